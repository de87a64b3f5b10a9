//! What the buffers of generated programs hold at first.

/// Floats that are small multiples of a quarter, so that sums and products are exact; as integers they are large.
pub fn word(binding: u32, index: u32) -> u32 {
    let mixed = (binding + 1).wrapping_mul(0x9e37_79b9) ^ index.wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d);
    let quarters = ((mixed >> 12) % 512) as f32 - 256.0;
    (quarters / 4.0).to_bits()
}
