//! Particles that fall and bounce: a compute pass moves them, a render pass draws them, without a window.
//!
//! The texts of the shaders, the structs of their buffers, bind-group layouts and vertex layouts come from `build.rs`. The program
//! compares what the compute pass gives with what the processor computes, looks for the particles in the picture, and writes it.

use std::error::Error;

mod shaders {
    include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
}

use shaders::draw::View;
use shaders::simulate::{Particle, Step};

/// Particles, one beside the other.
const COUNT: u32 = 200;
/// Steps of the simulation.
const STEPS: u32 = 90;
/// The picture is a square of so many pixels, whose rows are as long as copies of textures want them.
const SIZE: u32 = 256;
const BYTES_PER_PIXEL: u32 = 4;
/// The squares that particles are drawn into, as a strip.
const CORNERS: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::find()?;
    let step = Step { gravity: [0.0, -9.8], seconds: 1.0 / 60.0, count: COUNT };
    let view = View { center: [0.0, 2.0], halfSize: [2.0, 2.0] };
    let start: Vec<Particle> = (0..COUNT).map(particle).collect();
    let (particles, pixels) = gpu.run(step, view, &start)?;
    let off = furthest(&particles, &simulated(step, start));
    let background = pixels.chunks_exact(4).filter(|pixel| pixel[..3] == [0, 0, 0]).count();
    let drawn = pixels.len() / 4 - background;
    println!("{COUNT} particles after {STEPS} steps, at most {off:.6} from what is expected; {drawn} pixels drawn");
    write_picture(&pixels)?;
    if off > 1e-3 {
        return Err("the particles are not where they should be".into());
    }
    // None of them is hidden by all others, and they do not fill the picture.
    if !(COUNT as usize * 4..pixels.len() / 8).contains(&drawn) {
        return Err("the picture does not show the particles".into());
    }
    Ok(())
}

/// A particle at the start.
fn particle(index: u32) -> Particle {
    let part = index as f32 / COUNT as f32;
    Particle {
        position: [part * 3.6 - 1.8, 1.0 + 2.5 * (part * 20.0).sin().abs()],
        velocity: [0.0, 0.0],
        color: [1.0 - part, 0.4, 0.2 + 0.8 * part],
        size: 0.03,
    }
}

/// What the compute shader does.
fn simulated(step: Step, mut particles: Vec<Particle>) -> Vec<Particle> {
    for _ in 0..STEPS {
        for Particle { position, velocity, .. } in &mut particles {
            for axis in 0..2 {
                velocity[axis] += step.gravity[axis] * step.seconds;
                position[axis] += velocity[axis] * step.seconds;
            }
            if position[1] < 0.0 {
                position[1] = -position[1];
                velocity[1] *= -0.8;
            }
        }
    }
    particles
}

/// The longest way from a particle to where it should be.
fn furthest(found: &[Particle], wanted: &[Particle]) -> f32 {
    let distance = |(a, b): (&Particle, &Particle)| {
        (a.position[0] - b.position[0]).hypot(a.position[1] - b.position[1])
    };
    found.iter().zip(wanted).map(distance).fold(0.0, f32::max)
}

/// Writes the picture in the format PPM.
fn write_picture(pixels: &[u8]) -> std::io::Result<()> {
    let mut picture = format!("P6 {SIZE} {SIZE} 255\n").into_bytes();
    pixels.chunks_exact(4).for_each(|pixel| picture.extend_from_slice(&pixel[..3]));
    let path = std::env::temp_dir().join("particles.ppm");
    println!("the picture is {}", path.display());
    std::fs::write(path, picture)
}

/// A device with its queue.
struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn find() -> Result<Gpu, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        println!("{}", adapter.get_info().name);
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        Ok(Gpu { device, queue })
    }

    /// Runs all passes. Gives the particles at the end, and the pixels.
    fn run(&self, step: Step, view: View, start: &[Particle]) -> Result<(Vec<Particle>, Vec<u8>), Box<dyn Error>> {
        use wgpu::BufferUsages as U;
        let particles = self.buffer("particles", bytemuck::cast_slice(start), U::STORAGE | U::COPY_SRC);
        let step = self.buffer("step", bytemuck::bytes_of(&step), U::UNIFORM);
        let view = self.buffer("view", bytemuck::bytes_of(&view), U::UNIFORM);
        let corners = self.buffer("corners", bytemuck::cast_slice(&CORNERS), U::VERTEX);
        let picture = self.picture();
        let mut commands = self.device.create_command_encoder(&Default::default());
        self.simulate(&mut commands, &step, &particles);
        self.draw(&mut commands, &view, &particles, &corners, &picture);
        let moved = self.buffer_of("moved", particles.size(), U::MAP_READ | U::COPY_DST);
        commands.copy_buffer_to_buffer(&particles, 0, &moved, 0, particles.size());
        let pixels = self.buffer_of("pixels", (SIZE * SIZE * BYTES_PER_PIXEL).into(), U::MAP_READ | U::COPY_DST);
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(SIZE * BYTES_PER_PIXEL),
            rows_per_image: Some(SIZE),
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &pixels, layout };
        commands.copy_texture_to_buffer(picture.as_image_copy(), into, picture.size());
        self.queue.submit([commands.finish()]);
        Ok((bytemuck::cast_slice(&self.read(&moved)?).to_vec(), self.read(&pixels)?))
    }

    /// The compute pass.
    fn simulate(&self, commands: &mut wgpu::CommandEncoder, step: &wgpu::Buffer, particles: &wgpu::Buffer) {
        use shaders::simulate::{SOURCE, bindings, entry_points, wgpu as types};
        let layout = self.group_layout(types::group0);
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("simulate"),
            layout: Some(&self.pipeline_layout(&layout)),
            module: &self.module(SOURCE),
            entry_point: Some(entry_points::simulate.name),
            compilation_options: Default::default(),
            cache: None,
        });
        let group = self.group(&layout, &[(bindings::Step.index, step), (bindings::particles.index, particles)]);
        let [threads, ..] = entry_points::simulate.workgroup_size.unwrap_or([1; 3]);
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        (0..STEPS).for_each(|_| pass.dispatch_workgroups(COUNT.div_ceil(threads), 1, 1));
    }

    /// The render pass.
    fn draw(
        &self,
        commands: &mut wgpu::CommandEncoder,
        view: &wgpu::Buffer,
        particles: &wgpu::Buffer,
        corners: &wgpu::Buffer,
        picture: &wgpu::Texture,
    ) {
        use shaders::draw::{SOURCE, bindings, entry_points, wgpu as types};
        let layout = self.group_layout(types::group0);
        let module = self.module(SOURCE);
        let pipeline = self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("draw"),
            layout: Some(&self.pipeline_layout(&layout)),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(entry_points::corner.name),
                compilation_options: Default::default(),
                buffers: &[Some(types::corner_vertices)],
            },
            primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::TriangleStrip, ..Default::default() },
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(entry_points::disk.name),
                compilation_options: Default::default(),
                targets: &[Some(picture.format().into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let group = self.group(&layout, &[(bindings::view.index, view), (bindings::particles.index, particles)]);
        let target = picture.create_view(&Default::default());
        let attachment = wgpu::RenderPassColorAttachment {
            view: &target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        };
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, corners.slice(..));
        pass.draw(0..CORNERS.len() as u32, 0..COUNT);
    }

    fn module(&self, source: &str) -> wgpu::ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(source.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    fn group_layout(&self, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
    }

    fn pipeline_layout(&self, group: &wgpu::BindGroupLayout) -> wgpu::PipelineLayout {
        self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(group)],
            ..Default::default()
        })
    }

    fn group(&self, layout: &wgpu::BindGroupLayout, buffers: &[(u32, &wgpu::Buffer)]) -> wgpu::BindGroup {
        let entry =
            |&(binding, buffer)| wgpu::BindGroupEntry { binding, resource: wgpu::Buffer::as_entire_binding(buffer) };
        let entries: Vec<_> = buffers.iter().map(entry).collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    fn picture(&self) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    fn buffer(&self, label: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer_of(label, bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    fn buffer_of(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let label = Some(label);
        self.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
    }

    /// The bytes of a buffer, when all work is done.
    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, Box<dyn Error>> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None })?;
        receiver.recv()??;
        Ok(buffer.get_mapped_range(..)?.to_vec())
    }
}
