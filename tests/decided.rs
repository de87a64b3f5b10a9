//! Differences from the peers that are decided, with their reasons.

/// A decided difference.
pub struct Decided {
    /// The case.
    pub case: &'static str,
    /// `hlsl`, `glsl`, `wgsl` or `dxc`; empty for all.
    pub target: &'static str,
    /// Paths of the rows begin with this; `None`: one side stops with an error, the other does not.
    pub path: Option<&'static str>,
    /// Why.
    pub reason: &'static str,
    /// Only rows made of leaves differ, not those of the layout.
    pub leaves_only: bool,
}

/// All of them.
pub static DECIDED: &[Decided] = &[
    row(
        "combined_sampler_in_block_wgsl",
        "wgsl",
        "p.",
        "two bindings, as the emitted text needs (rule `layout-needs`)",
    ),
    row("dxc_0024_1_2", "dxc", "s.", STRUCT_ORDER),
    row("dxc_0024_2_2", "dxc", "s.", STRUCT_ORDER),
    row("dxc_struct_resources_by_use", "dxc", "s", STRUCT_ORDER),
    row("dxc_half_is_float", "dxc", "", "`half` has 16 bits here, as DXC has it with `-enable-16bit-types`"),
    row(
        "dxc_struct_explicit",
        "dxc",
        "",
        "the registers of a struct place its resources; DXC takes the last for bytes too",
    ),
    row("dxc_struct_part_unused", "dxc", "", STRUCT_WHOLE),
    row("dxc_struct_partly", "dxc", "", STRUCT_WHOLE),
    row("dxc_fold_loops_optimized", "dxc", "", OPTIMIZER),
    row("dxc_fold_statements_optimized", "dxc", "", OPTIMIZER),
    row("dxc_fold_values_open", "dxc", "", OPTIMIZER),
    row("dxc_fold_values_optimized", "dxc", "", OPTIMIZER),
    row("dxc_fold_ways_open", "dxc", "", OPTIMIZER),
    row("dxc_fold_ways_optimized", "dxc", "", OPTIMIZER),
    row("dxc_unused_local_times_zero", "dxc", "", OPTIMIZER),
    stop("dxc_fault_pack_resource", "dxc", "a resource has no bytes; DXC does not hear its `packoffset`"),
    stop("dxc_place_arr_max", "dxc", "2^32-1 elements are too many; DXC takes the number for no bound"),
    stop(
        "dxc_place_arr_max_at",
        "dxc",
        "two registers do not fit at the last one; DXC places them at 0 and does not say so",
    ),
    row("dxc_place_reg_max", "dxc", "a", "the last register is asked for; DXC takes its number for none asked for"),
    stop("dxc_place_pack_twice", "dxc", "one of two offsets would be chosen silently: DXC has the last"),
    stop("dxc_place_reg_struct_class", "dxc", "a struct without `u` registers; DXC does not hear what is asked for"),
    row("dxc_place_unb_cb", "dxc", "", "an array is one range, in a `cbuffer` too: rule `layout-differences`"),
    stop("dxc_0024_2_3", "dxc", "the ranges of whole arrays in structs are taken, so these overlap"),
    stop("dxc_0024_2_4", "dxc", "an array in a struct is an array as any other: rule `layout-differences`"),
    stop("explicit_constant_buffer_class_d", "", "a `tbuffer` is a `t` register; DXC refuses `b` as we do"),
    stop("globals_packoffset", "glsl", GLOBAL_PACKOFFSET),
    stop("globals_packoffset", "wgsl", GLOBAL_PACKOFFSET),
    stop("packoffset_straddle", "", "a vector across a row is an error, as for DXC"),
    stop("unsized_explicit", "hlsl", "what cannot be placed is an error, not register 2^64-1"),
    row("push_constant_resource_leaks", "wgsl", "p", NO_PUSH_CONSTANTS),
    row("push_constant_resource_leaks_b", "wgsl", "C", NO_PUSH_CONSTANTS),
    row("push_constant_resource_leaks_b", "wgsl", "q", NO_PUSH_CONSTANTS),
    row(
        "entry_bindings_g",
        "wgsl",
        "main::",
        "slangc gives the buffer of an entry point that has explicit bindings binding 0, which others have",
    ),
    row("counter_register", "glsl", "g0", COUNTER_OF_REGISTER),
    row("counter_register", "wgsl", "g0", COUNTER_OF_REGISTER),
    row(
        "push_constant_matrix",
        "",
        "",
        "slangc pushes vectors, arrays and structs; that it does not push a matrix alone is a slip",
    ),
    row("push_constant_struct_global", "wgsl", "p", NO_PUSH_CONSTANTS),
    row("push_constant_struct_global", "wgsl", "z", NO_PUSH_CONSTANTS),
    row("seed003_same_name", "dxc", "", "DXC's listing does not distinguish two buffers of one name"),
    row(
        "seed003_resource_in_cbuffer",
        "dxc",
        "",
        "DXC gives a structured buffer in a cbuffer the bytes of its element",
    ),
    stop("scalar_sizes_b", "", "slangc has no `min16float`, the language of HLSL has"),
    row(
        "stages_vectors",
        "hlsl",
        "g::",
        "vertices have the locations of one, as in the signature that DXC gives the text; slangc counts all of them",
    ),
    leaves("stages_tess", "", "h::$patch.", "what slangc does not tell: its reflection has no constants of patches"),
    leaves("stages_geometry", "", "g::i.", "leaves: vertices have the locations of one; slangc tells a distance of 1"),
    leaves("stages_mesh", "hlsl", "m::ids", "leaves of indices tell the array of primitives"),
    stop("vary_loc_out", "", "`[[vk::location]]` on a function is that of its result, as for DXC"),
    stop("vary_structs", "wgsl", "slangc crashes"),
    stop("varying_targets_by_order_b", "wgsl", "slangc refuses outputs from targets that are not the first"),
    row(
        "varying_array_b",
        "",
        "main::$result.i.c",
        "a matrix takes an index a stored vector, as in DXC's signature (rule `layout-stage-io`)",
    ),
    row("zero_length_array", "dxc", "C.C_a.z", "an array without elements has no leaf; DXC lists its place"),
];

const GLOBAL_PACKOFFSET: &str = "`packoffset` on a global is an error for every target";
const COUNTER_OF_REGISTER: &str = "the counter has the next binding, as the emitted text needs";
const NO_PUSH_CONSTANTS: &str = "WGSL has no push constants: the buffer has the binding that is emitted";
const STRUCT_ORDER: &str = "resources in structs lie in order of declaration, arrays whole: rule `layout-differences`";

const OPTIMIZER: &str = "a branch is unused if its condition is a constant expression or follows from the bounds of a counting \
    loop (src/usage), also where DXC's optimizer misses that; algebra, unrolled loops and what else it finds are not followed: \
    the parameter keeps its register";

const STRUCT_WHOLE: &str = "a struct that is used has places for all of its resources: rule `layout-differences`";

const fn row(case: &'static str, target: &'static str, path: &'static str, reason: &'static str) -> Decided {
    Decided { case, target, path: Some(path), reason, leaves_only: false }
}

const fn leaves(case: &'static str, target: &'static str, path: &'static str, reason: &'static str) -> Decided {
    Decided { leaves_only: true, ..row(case, target, path, reason) }
}

const fn stop(case: &'static str, target: &'static str, reason: &'static str) -> Decided {
    Decided { case, target, path: None, reason, leaves_only: false }
}

/// The decision that a difference falls under.
pub fn decision(case: &str, target: &str, path: Option<&str>) -> Option<&'static Decided> {
    let fits = |d: &&Decided| {
        let row = match (d.path, path) {
            (Some(prefix), Some(path)) => path.starts_with(prefix),
            (None, None) => true,
            _ => false,
        };
        row && d.case == case && (d.target.is_empty() || d.target == target)
    };
    DECIDED.iter().find(fits)
}
