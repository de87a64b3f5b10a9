//! Runs SPIR-V compute shaders on a Vulkan device: one job a line on standard input, one answer a line on standard output. It is
//! a program of its own because a driver may crash. What it leaks ends with it.
//!
//! A job: `{"spirv": PATH, "buffers": [{"binding": 0, "uniform": false, "bytes": 4096, "zero": false, "read": true}]}`, all in descriptor set 0,
//! entry point `main`, one work group. The buffers are filled as [`word`] says. The answer: `{"Ok": [[words of a buffer that is
//! read], ...]}` or `{"Err": "reason"}`.

#![allow(clippy::disallowed_methods, reason = "a development tool")]

#[path = "../filling.rs"]
mod filling;

use ash::vk;
use filling::word;
use serde::Deserialize;
use std::io::{BufRead, Write};

#[derive(Deserialize)]
struct Job {
    spirv: std::path::PathBuf,
    buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
struct Buffer {
    binding: u32,
    uniform: bool,
    bytes: u64,
    /// Holds zeros at first, not what [`word`] says.
    zero: bool,
    read: bool,
}

fn main() -> Result<(), String> {
    // SAFETY: the handles are used as Vulkan asks, by one thread, and never after their device.
    let device = unsafe { Device::new() }?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let job: Result<Job, String> = serde_json::from_str(&line).map_err(|e| e.to_string());
        // SAFETY: as above; the module was validated by whoever wrote the job.
        let answer: Result<Vec<Vec<u32>>, String> = job.and_then(|job| unsafe { device.run(&job) });
        let text = serde_json::to_string(&answer).map_err(|e| e.to_string())?;
        writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|e| e.to_string())?;
    }
    Ok(())
}

struct Device {
    _entry: ash::Entry,
    _instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    family: u32,
    memory: vk::PhysicalDeviceMemoryProperties,
}

/// A buffer, its memory, and where that is mapped.
struct Mapped {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    at: *mut u32,
}

fn said<T>(what: &'static str) -> impl Fn(vk::Result) -> Result<T, String> {
    move |error| Err(format!("{what}: {error:?}"))
}

impl Device {
    unsafe fn new() -> Result<Device, String> {
        unsafe {
            let entry = ash::Entry::load().map_err(|e| format!("no Vulkan loader (Debian package libvulkan1): {e}"))?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let information = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&information, None).or_else(said("vkCreateInstance"))?;
            let devices = instance.enumerate_physical_devices().or_else(said("vkEnumeratePhysicalDevices"))?;
            let software = |d: &vk::PhysicalDevice| {
                instance.get_physical_device_properties(*d).device_type == vk::PhysicalDeviceType::CPU
            };
            let physical = devices.iter().copied().find(software).or(devices.first().copied());
            let physical =
                physical.ok_or("no Vulkan device (Debian package mesa-vulkan-drivers has one in software)")?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = families
                .iter()
                .position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE))
                .ok_or("no queue for compute")? as u32;
            // Everything that the device has.
            let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut features12);
            instance.get_physical_device_features2(physical, &mut features);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let information = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
            let device = instance.create_device(physical, &information, None).or_else(said("vkCreateDevice"))?;
            let queue = device.get_device_queue(family, 0);
            let memory = instance.get_physical_device_memory_properties(physical);
            Ok(Device { _entry: entry, _instance: instance, device, queue, family, memory })
        }
    }

    unsafe fn buffer(&self, wanted: &Buffer) -> Result<Mapped, String> {
        unsafe {
            let usage = if wanted.uniform {
                vk::BufferUsageFlags::UNIFORM_BUFFER
            } else {
                vk::BufferUsageFlags::STORAGE_BUFFER
            };
            let information = vk::BufferCreateInfo::default().size(wanted.bytes).usage(usage);
            let buffer = self.device.create_buffer(&information, None).or_else(said("vkCreateBuffer"))?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |i: &u32| {
                needs.memory_type_bits & (1 << i) != 0
                    && self.memory.memory_types[*i as usize].property_flags.contains(flags)
            };
            let kind = (0..self.memory.memory_type_count).find(fits).ok_or("no memory that the host sees")?;
            let information = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&information, None).or_else(said("vkAllocateMemory"))?;
            self.device.bind_buffer_memory(buffer, memory, 0).or_else(said("vkBindBufferMemory"))?;
            let at = self
                .device
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .or_else(said("vkMapMemory"))?;
            let at = at.cast::<u32>();
            for index in 0..wanted.bytes / 4 {
                at.add(index as usize).write(if wanted.zero { 0 } else { word(wanted.binding, index as u32) });
            }
            Ok(Mapped { buffer, memory, at })
        }
    }

    unsafe fn run(&self, job: &Job) -> Result<Vec<Vec<u32>>, String> {
        unsafe {
            let device = &self.device;
            let bytes = std::fs::read(&job.spirv).map_err(|e| format!("{}: {e}", job.spirv.display()))?;
            let code = ash::util::read_spv(&mut std::io::Cursor::new(bytes)).map_err(|e| e.to_string())?;
            let module = device
                .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
                .or_else(said("vkCreateShaderModule"))?;
            let kind = |b: &Buffer| {
                if b.uniform { vk::DescriptorType::UNIFORM_BUFFER } else { vk::DescriptorType::STORAGE_BUFFER }
            };

            let binding = |b: &Buffer| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(b.binding)
                    .descriptor_type(kind(b))
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            };
            let bindings: Vec<_> = job.buffers.iter().map(binding).collect();
            let set_layout = device
                .create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings), None)
                .or_else(said("vkCreateDescriptorSetLayout"))?;
            let set_layouts = [set_layout];
            let layout = device
                .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts), None)
                .or_else(said("vkCreatePipelineLayout"))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let information = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let pipelines = device.create_compute_pipelines(vk::PipelineCache::null(), &information, None);
            let pipeline = pipelines.map_err(|(_, e)| format!("vkCreateComputePipelines: {e:?}"))?[0];

            let sizes = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER]
                .map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: job.buffers.len().max(1) as u32 });
            let pool = device
                .create_descriptor_pool(&vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes), None)
                .or_else(said("vkCreateDescriptorPool"))?;
            let sets = device
                .allocate_descriptor_sets(
                    &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts),
                )
                .or_else(said("vkAllocateDescriptorSets"))?;
            let buffers: Vec<Mapped> = job.buffers.iter().map(|b| self.buffer(b)).collect::<Result<_, _>>()?;
            for (wanted, mapped) in job.buffers.iter().zip(&buffers) {
                let information = [vk::DescriptorBufferInfo::default().buffer(mapped.buffer).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[0])
                    .dst_binding(wanted.binding)
                    .descriptor_type(kind(wanted))
                    .buffer_info(&information);
                device.update_descriptor_sets(&[write], &[]);
            }

            let commands = device
                .create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(self.family), None)
                .or_else(said("vkCreateCommandPool"))?;
            let list = device
                .allocate_command_buffers(
                    &vk::CommandBufferAllocateInfo::default().command_pool(commands).command_buffer_count(1),
                )
                .or_else(said("vkAllocateCommandBuffers"))?;
            device
                .begin_command_buffer(list[0], &vk::CommandBufferBeginInfo::default())
                .or_else(said("vkBeginCommandBuffer"))?;
            device.cmd_bind_pipeline(list[0], vk::PipelineBindPoint::COMPUTE, pipeline);
            device.cmd_bind_descriptor_sets(list[0], vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
            device.cmd_dispatch(list[0], 1, 1, 1);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            device.cmd_pipeline_barrier(
                list[0],
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
            device.end_command_buffer(list[0]).or_else(said("vkEndCommandBuffer"))?;
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).or_else(said("vkCreateFence"))?;
            device
                .queue_submit(self.queue, &[vk::SubmitInfo::default().command_buffers(&list)], fence)
                .or_else(said("vkQueueSubmit"))?;
            if device.wait_for_fences(&[fence], true, 10_000_000_000).is_err() {
                // Nothing can be freed while the device still works on it.
                println!("{{\"Err\": \"no end after 10 s\"}}");
                std::process::exit(3);
            }

            let words = |(wanted, mapped): (&Buffer, &Mapped)| {
                wanted
                    .read
                    .then(|| (0..wanted.bytes / 4).map(|i| mapped.at.add(i as usize).read()).collect::<Vec<u32>>())
            };
            let results = job.buffers.iter().zip(&buffers).filter_map(words).collect();
            for mapped in buffers {
                device.destroy_buffer(mapped.buffer, None);
                device.free_memory(mapped.memory, None);
            }
            device.destroy_fence(fence, None);
            device.destroy_command_pool(commands, None);
            device.destroy_descriptor_pool(pool, None);
            device.destroy_pipeline(pipeline, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_descriptor_set_layout(set_layout, None);
            device.destroy_shader_module(module, None);
            Ok(results)
        }
    }
}
