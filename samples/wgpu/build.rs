//! Compiles the shaders, and writes the module that the program includes.

fn main() {
    shaderport::Build::new("shaders")
        .target(shaderport::Target::Wgsl)
        .module("shaders.rs")
        .bytemuck(true)
        .wgpu(true)
        .run();
}
