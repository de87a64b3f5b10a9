//! Takes out of a program what its target does not support.
//!
//! > A program *needs* capabilities ([`needs`]). A profile *has* capabilities. A pass *removes* a need.
//!
//! [`PASSES`] is the whole plan: [`run`] goes through it once, in order, and runs each pass that removes something which
//! the program needs and the profile lacks (or which always runs). What is left over is a list of located errors. A pass
//! knows no target by name.
//!
//! What emitters may rely on afterwards is written at [`run`].

mod helpers;
mod heap_variables;
mod hidden_constants;
pub mod hoist;
pub mod needs;
mod asked_pairs;
mod assigned_places;
mod assignment_order;
mod atomics;
mod bits;
mod bool_bits;
mod byte_address;
mod called_entry_points;
mod called_values;
mod carried_marks;
mod carried_values;
mod case_constants;
mod clamped_biases;
mod combined_samplers;
mod compared_arguments;
mod compared_pairs;
mod constant_calls;
mod copied_statics;
mod constant_parameters;
mod counters;
mod aggregates;
mod availability;
mod bases;
mod base_levels;
mod data_parts;
mod dead_branches;
mod dead_code;
mod dead_jumps;
mod dead_operands;
mod default_arguments;
mod defined;
mod early_returns;
mod early_tests;
mod empty_parameters;
mod element_structs;
mod empty_arrays;
mod enum_operators;
mod empty_structs;
mod fields;
mod depth_textures;
mod device_addresses;
mod distance_rows;
mod domain_locations;
mod derivative_groups;
mod derivatives;
mod entry_attributes;
mod entry_calls;
mod entry_distances;
mod entry_elements;
mod entry_globals;
mod entry_meshes;
mod entry_patches;
mod entry_points;
mod entry_streams;
mod entry_uniforms;
mod flatten;
mod float_remainder;
mod infinite_arguments;
mod inline_builtins;
mod vector_logic;
mod interpolants;
mod invocation_modes;
mod known_operands;
mod limits;
mod joined_outputs;
mod local_constants;
mod lower_enums;
mod lower_matrix_ops;
mod lower_properties;
mod lower_switch;
mod matrix_orientation;
mod matrix_parts;
mod matrix_rows;
mod minimum_division;
mod missing_inputs;
mod missing_returns;
mod narrow_integers;
mod narrow_texels;
mod mutable_parameters;
mod nested_resource_arrays;
mod names;
mod non_float_matrices;
mod null_addresses;
mod object_copies;
mod object_fields;
mod object_parameters;
mod object_results;
mod operand_order;
mod origins;
mod out_parameters;
mod parts;
mod plain_numbers;
mod payload_structs;
mod payloads;
mod references;
mod register_comments;
mod resolve_resources;
mod root_signatures;
mod sampler_pairs;
mod resource_arrays;
mod reversed_steps;
mod runtime_initializers;
mod positions;
mod push_constants;
mod raster_order;
mod select_target;
mod shared_copies;
mod shared_references;
mod shifted_offsets;
mod sampled_choices;
mod short_circuit;
mod signature_rows;
mod signatures;
mod signed_remainder;
mod sole_members;
mod specialization_constants;
mod split_resources;
mod stage_io;
mod stages;
mod storage;
mod stored_doubles;
mod strings;
mod static_resources;
mod uniform_blocks;
mod uniform_loads;
mod uniformity;
mod unknown_rounds;
mod unrolled_loops;
mod unset_parts;
mod user_places;
mod varying_gathers;
mod vertex_reads;
mod varyings;
mod wide_constants;
mod wide_integers;
mod wrapping_constants;
mod wrapping_shifts;
mod zero_divisors;
mod subpass_inputs;
mod task_payloads;
mod swizzle_elements;
mod system_value_types;
mod tessellation_factors;
mod mesh_bytes;
mod mesh_counts;
mod mesh_flow;
mod methods;
mod switch_widths;
mod texel_buffers;
mod texture_access;
#[cfg(test)]
mod tests;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::layout::{Leaf, Position, ProgramLayout, Role, TypeLayout};
use crate::source::Span;
use crate::target::{Capabilities, Capability, Profile, system_values};
use crate::tree::{
    Effects, EntryPoint, ExprArena, ExprId, ExprKind, ExprTree, Function, FunctionId, Global, GlobalId, GlobalKind,
    Item, LeafId, Origin, ParameterId, Program, Scalar, Stmt, StmtKind, TrackedExprs, Type, spelled,
};
use needs::{Finder, Needs};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What a pass works on.
pub struct Context<'a> {
    /// The program, changed in place.
    pub program: &'a mut Program,
    /// Positions, computed for the program as it was checked.
    pub layout: &'a ProgramLayout,
    /// The target.
    pub profile: &'a Profile,
    /// Errors of passes that cannot do their work on some input.
    pub diags: &'a mut Diagnostics,
    /// What passes leave for later ones.
    pub notes: &'a mut Notes,
    /// What was chosen.
    pub options: &'a Options<'a>,
}

/// What may be chosen.
#[derive(Default)]
pub struct Options<'a> {
    /// Derivatives stay where flow differs between invocations, if they cannot be moved.
    pub varying_derivatives: bool,
    /// The y of positions is turned over where the last stage before rasterization writes them.
    pub invert_y: bool,
    /// Textures are combined with the samplers that they are read through, on targets that have both.
    pub combine_samplers: bool,
    /// The `w` of a fragment's position is the target's, and not D3D's.
    pub target_position_w: bool,
    /// Registers and semantics of the source are comments.
    pub register_comments: bool,
    /// Other programs share structs with this one: what stands in one must not depend on what a program uses of others.
    pub shared_structs: bool,
    /// Buffers of uniform parameters of entry points are not named after these.
    pub fixed_names: bool,
    /// A pass that does nothing, which tests must notice.
    pub left_out: Option<&'a str>,
}

/// What passes leave for later ones, beside the program.
#[derive(Default)]
pub struct Notes {
    /// The blocks of push constants and shader records that are made of uniform parameters of entry points.
    pub entry_blocks: Vec<GlobalId>,
    /// Functions that stand for entry points that are called.
    pub entry_copies: Vec<(FunctionId, FunctionId)>,
    /// Entry points with the bodies of others.
    pub taken_bodies: Vec<entry_calls::TakenBody>,
    /// The variables that hold zeros which constant evaluation does not see.
    pub zeros: BTreeMap<Scalar, GlobalId>,
}

/// One step: a row of [`PASSES`].
pub struct Pass {
    /// Name, for `--dump-after`.
    pub name: &'static str,
    /// Why it runs for every program. Without a reason it runs if something that it removes or lessens is needed and not had.
    pub always: Option<&'static str>,
    /// The needs that it takes away, with what finds them; the last pass of several that remove the same leaves none.
    pub removes: &'static [Finder],
    /// Needs of which it takes some away; the others are left to later passes, or are errors.
    pub lessens: &'static [Capability],
    /// The needs that it may bring, beside those of [`needs::OF_CONSTANTS`]; passes for them come later in the table.
    pub adds: &'static [Capability],
    /// Passes that stand before it: it relies on what they leave. `*` is all others.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test checks the order of the table"))]
    pub after: &'static [&'static str],
    /// The work.
    pub run: fn(&mut Context),
}

impl Pass {
    /// A row that says nothing yet.
    const ROW: Pass = Pass { name: "", always: None, removes: &[], lessens: &[], adds: &[], after: &[], run: |_| {} };

    /// The needs that it takes away or of which it takes some away.
    pub fn rewrites(&self) -> impl Iterator<Item = Capability> {
        self.removes.iter().map(|(c, _)| *c).chain(self.lessens.iter().copied())
    }

    /// Whether it takes a need away.
    fn removes(&self, capability: Capability) -> bool {
        self.removes.iter().any(|(c, _)| *c == capability)
    }

    /// Whether it finds something to rewrite at an expression by itself, for a profile.
    fn finds(&self, profile: &Profile, program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
        let lacking = self.removes.iter().filter(|(c, _)| !profile.has(*c));
        lacking.copied().any(|(_, find)| find.finds(program, exprs, id))
    }
}

/// Two lists of needs as one; `N` is the sum of their lengths.
const fn joined<const N: usize>(first: &[Capability], second: &[Capability]) -> [Capability; N] {
    assert!(first.len() + second.len() == N, "the length is the sum");
    let mut all = [Capability::ResourceValues; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    all
}

/// What is known of a program's needs between passes. A scan costs as much as a pass, so that one is made only if a pass
/// depends on what others may have changed since the last, and for no more than the passes up to the next that may bring anything.
struct Known {
    /// What was found.
    needs: Needs,
    /// The needs that passes may have brought or taken away since they were looked for.
    doubtful: Capabilities,
}

impl Known {
    /// Nothing yet.
    fn nothing() -> Known {
        Known { needs: Needs::new(), doubtful: Capabilities::EMPTY.with(Capability::ALL) }
    }

    /// Whether a pass has work to do.
    fn applies(&mut self, at: usize, program: &Program, profile: &Profile) -> bool {
        let Some((row, later)) = ROWS.get(at..).and_then(<[Row]>::split_first) else { return false };
        let handled = row.rewrites.without(profile.capabilities);
        if handled.common(self.doubtful) != Capabilities::EMPTY {
            // What every pass may bring is in doubt again soon: it is looked for when a pass asks for some of it.
            let of_constants = Capabilities::EMPTY.with(needs::OF_CONSTANTS);
            let left_out =
                if handled.common(of_constants) == Capabilities::EMPTY { of_constants } else { Capabilities::EMPTY };
            let next = later.iter().take_while(|row| !row.brings_all);
            let wanted = next.fold(Capabilities::EMPTY, |wanted, row| wanted.or(row.rewrites)).without(left_out);
            self.look(program, profile, wanted.or(handled));
        }
        self.needs.keys().any(|c| handled.has(*c))
    }

    /// Looks for those needs that are in doubt.
    fn look(&mut self, program: &Program, profile: &Profile, wanted: Capabilities) {
        let looked_for = self.doubtful.common(wanted);
        self.doubtful = self.doubtful.without(looked_for);
        self.needs.retain(|c, _| !looked_for.has(*c));
        self.needs.extend(needs::needs_among(program, profile, looked_for));
    }

    /// Looks for all needs that are in doubt. What was needed may be gone with what needed it: of a program that will be an error,
    /// all is looked for.
    fn finish(&mut self, program: &Program, profile: &Profile) {
        let all = Capabilities::EMPTY.with(Capability::ALL);
        self.look(program, profile, all);
        if !self.needs.is_empty() {
            self.doubtful = all;
            self.look(program, profile, all);
        }
    }

    /// Notes that a pass has changed the program.
    fn doubt(&mut self, at: usize) {
        if let Some(row) = ROWS.get(at) {
            self.doubtful = self.doubtful.or(row.rewrites).or(row.brings);
        }
    }
}

/// What a row of the plan says of needs, as sets.
struct Row {
    /// Those that it takes away or of which it takes some away.
    rewrites: Capabilities,
    /// Those that it may bring.
    brings: Capabilities,
    brings_all: bool,
}

/// The rows of [`PASSES`].
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |pass: &Pass| {
        let mut rewrites = Capabilities::EMPTY;
        pass.rewrites().for_each(|c| rewrites.insert(c));
        let brings = Capabilities::EMPTY.with(pass.adds).with(needs::OF_CONSTANTS);
        Row { rewrites, brings, brings_all: pass.adds.len() == Capability::ALL.len() }
    };
    PASSES.iter().map(row).collect()
});

/// The plan, in order.
pub const PASSES: &[Pass] = &[
    register_comments::PASS,
    select_target::PASS,
    plain_numbers::PASS,
    dead_code::PASS,
    dead_branches::PASS,
    dead_operands::PASS,
    dead_jumps::PASS,
    assigned_places::PASS,
    default_arguments::PASS,
    lower_properties::PASS,
    object_fields::PASS,
    object_results::PASS,
    object_copies::PASS,
    object_parameters::PASS,
    inline_builtins::PASS,
    // A function with a comma is flattened as a whole, with copies of what its calls are given.
    shared_references::PASS,
    flatten::COMMAS,
    lower_enums::PASS,
    enum_operators::PASS,
    switch_widths::PASS,
    empty_parameters::PASS,
    called_entry_points::PASS,
    shared_references::PASS,
    shared_references::OF_CONSTANTS,
    static_resources::PASS,
    unrolled_loops::PASS,
    unknown_rounds::PASS,
    constant_parameters::PASS,
    varying_gathers::PASS,
    shifted_offsets::PASS,
    runtime_initializers::PASS,
    entry_uniforms::PASS,
    resolve_resources::PASS,
    dead_code::PASS,
    root_signatures::PASS,
    split_resources::PASS,
    uniform_blocks::PASS,
    compared_pairs::PASS,
    combined_samplers::PASS,
    counters::PASS,
    texel_buffers::PASS,
    byte_address::PASS,
    nested_resource_arrays::PASS,
    resource_arrays::PASS,
    // The choice of an element may be given a sampler.
    resolve_resources::PASS,
    heap_variables::PASS,
    narrow_texels::PASS,
    depth_textures::PASS,
    bool_bits::PASS,
    storage::PASS,
    matrix_orientation::PASS,
    device_addresses::PASS,
    empty_structs::PASS,
    empty_arrays::PASS,
    push_constants::PASS,
    specialization_constants::PASS,
    subpass_inputs::PASS,
    sampler_pairs::PASS,
    asked_pairs::PASS,
    compared_arguments::PASS,
    called_values::PASS,
    payload_structs::PASS,
    task_payloads::PASS,
    payloads::PASS,
    shared_references::OF_PAYLOADS,
    mesh_counts::PASS,
    flatten::MESH_ELEMENTS,
    tessellation_factors::PASS,
    system_value_types::PASS,
    varyings::PASS,
    positions::PASS,
    entry_points::PASS,
    interpolants::CONVERTED,
    interpolants::INDEXED,
    interpolants::PASS,
    swizzle_elements::PASS,
    wide_constants::PASS,
    constant_calls::PASS,
    null_addresses::PASS,
    zero_divisors::PASS,
    reversed_steps::PASS,
    hidden_constants::COMPARED,
    hidden_constants::PASS,
    wrapping_constants::PASS,
    clamped_biases::PASS,
    flatten::NESTED,
    assignment_order::PASS,
    flatten::CONVERTED,
    lower_matrix_ops::PASS,
    float_remainder::PASS,
    minimum_division::PASS,
    matrix_parts::PASS,
    matrix_rows::PASS,
    non_float_matrices::PASS,
    signed_remainder::PASS,
    wrapping_shifts::PASS,
    flatten::PASS,
    operand_order::PASS,
    narrow_integers::PASS,
    stored_doubles::PASS,
    wide_integers::PASS,
    vector_logic::PASS,
    vertex_reads::PASS,
    atomics::PASS,
    lower_switch::PASS,
    short_circuit::PASS,
    sampled_choices::PASS,
    texture_access::PASS,
    base_levels::PASS,
    derivatives::PASS,
    derivative_groups::PASS,
    raster_order::PASS,
    early_returns::PASS,
    joined_outputs::PASS,
    // What writes a whole variable has been made.
    copied_statics::PASS,
    uniform_loads::PASS,
    mutable_parameters::PASS,
    out_parameters::PASS,
    missing_returns::PASS,
    enum_operators::PASS,
    aggregates::PASS,
    carried_marks::PASS,
    entry_calls::PASS,
    dead_code::PASS,
    shared_copies::PASS,
    unset_parts::PASS,
    sole_members::PASS,
    local_constants::PASS,
    methods::PASS,
    bases::PASS,
    names::PASS,
];

/// Shows a program after a pass.
pub type Dump<'a> = &'a mut dyn FnMut(&'static str, &Program);

/// Makes `program` one that the profile's language supports, or reports why it cannot.
///
/// Afterwards: `program.items` holds what is used, in an order in which each declaration stands after those it uses. A
/// global of kind `Parameter` is a resource, a buffer, a block or an array of them, and has a binding (or is a push constant).
/// Called builtin functions have one spelling (`Intrinsic`) or are functions like those of the user.
pub fn run(
    program: &mut Program,
    layout: &ProgramLayout,
    profile: &Profile,
    diags: &mut Diagnostics,
    mut dump: Option<Dump>,
    options: &Options,
) {
    passes_and_checks(program, layout, profile, diags, &mut dump, options);
    user_places::move_errors(program, diags);
}

fn passes_and_checks(
    program: &mut Program,
    layout: &ProgramLayout,
    profile: &Profile,
    diags: &mut Diagnostics,
    dump: &mut Option<Dump>,
    options: &Options,
) {
    let mut notes = Notes::default();
    origins::note(program, layout);
    let mut known = Known::nothing();
    // In debug builds: what the program needs before a pass.
    let mut before = None;
    for (at, pass) in PASSES.iter().enumerate() {
        if pass.always.is_none() && !known.applies(at, program, profile) {
            continue;
        }
        if cfg!(debug_assertions) {
            before.get_or_insert_with(|| needs::needs(program, profile));
        }
        let stamp = program.stamp();
        if options.left_out != Some(pass.name) {
            (pass.run)(&mut Context { program, layout, profile, diags, notes: &mut notes, options });
            program.items.settle();
            program.parameters.settle();
        }
        if let Some(dump) = dump {
            dump(pass.name, program);
        }
        if diags.has_errors() {
            return;
        }
        if program.stamp() != stamp {
            known.doubt(at);
        }
        if let (Some(needs), None) = (&mut before, options.left_out) {
            let after = needs::needs(program, profile);
            verify_after(at, program, profile, needs, &after);
            *needs = after;
        }
    }
    known.finish(program, profile);
    if cfg!(debug_assertions) {
        let needs = needs::needs(program, profile);
        debug_assert!(known.needs.keys().eq(needs.keys()), "{:?} are known, and there are {needs:?}", known.needs);
    }
    report(&known.needs, profile, diags);
    without_spelling(program, profile, diags);
    availability::check(program, profile, diags);
    stages::check(program, profile, diags);
    atomics::check(program, diags);
    strings::check(program, profile, diags);
    object_copies::check(program, diags);
    limits::check(program, profile, diags);
    hidden_constants::specialized(program, profile, diags);
    counters::check(program, profile, diags);
    mesh_counts::check(program, profile, diags);
    mesh_flow::check(program, profile, diags);
    push_constants::check(program, profile, diags);
    payloads::check(program, profile, diags);
    interpolants::check(program, profile, diags);
    invocation_modes::check(program, profile, diags);
    if cfg!(debug_assertions) && !diags.has_errors() {
        let faults = origins::verify(program, layout, profile);
        debug_assert!(faults.is_empty(), "not where it was placed:\n{}", faults.join("\n"));
    }
}

/// In tests and debug builds: after a pass the tree is sound, and its row says what became of the needs.
fn verify_after(at: usize, program: &Program, profile: &Profile, before: &Needs, after: &Needs) {
    let rest = PASSES.get(at..).unwrap_or_default();
    let Some((pass, later)) = rest.split_first() else { return };
    // A pass may rely on what its target has: a program that will be an error is not followed.
    if before.keys().any(|c| !rest.iter().any(|p| p.rewrites().any(|rewritten| rewritten == *c))) {
        return;
    }
    let mut faults = crate::tree::verify(program);
    for capability in after.keys() {
        let more = later.iter().any(|p| p.removes(*capability));
        if pass.removes(*capability) && !more {
            faults.push(format!("{capability:?} is left"));
        }
        let constant = more && needs::OF_CONSTANTS.contains(capability);
        if !before.contains_key(capability) && !pass.adds.contains(capability) && !constant {
            faults.push(format!("{capability:?} is new, and not one that the pass adds"));
        }
    }
    assert!(faults.is_empty(), "after {}, for {}: {}", pass.name, profile.name, faults.join("\n"));
}

/// What is not reported where the second, of which it is a part, is.
const PARTS: &[(Capability, Capability)] = &[
    (Capability::UnknownOffsets, Capability::VaryingOffsets),
    // What is changed atomically in a heap is declared nowhere else.
    (Capability::PlainlyAccessedAtomics, Capability::DescriptorHeaps),
    (Capability::UnstatedRasterOrder, Capability::RasterOrder),
    (Capability::RasterOrderAnywhere, Capability::RasterOrder),
    (Capability::UnstatedRasterOrder, Capability::FragmentInterlocks),
    (Capability::FreePayloads, Capability::RayTracing),
    // Scenes are of both.
    (Capability::RayQueries, Capability::RayTracing),
    (Capability::FreePayloads, Capability::MeshShaders),
];

/// Needs that no pass removed.
fn report(needs: &Needs, profile: &Profile, diags: &mut Diagnostics) {
    for (capability, span) in needs {
        if !PARTS.iter().any(|(part, whole)| part == capability && needs.contains_key(whole)) {
            diags.push(lack(*capability, *span, profile));
        }
    }
}

fn lack(capability: Capability, span: Span, profile: &Profile) -> Diagnostic {
    let what = capability.description().trim_end_matches('.');
    let message = format!("{} does not support {}{}", profile.name, what[..1].to_lowercase(), &what[1..]);
    Diagnostic::error(Code::CAPABILITY, span, message).note(profile.missing(capability))
}

/// Reports a need that a pass can remove for some targets only.
fn report_need(cx: &mut Context, capability: Capability) {
    let wanted = Capabilities::EMPTY.with(&[capability]);
    if let Some(span) = needs::needs_among(cx.program, cx.profile, wanted).get(&capability) {
        cx.diags.push(lack(capability, *span, cx.profile));
    }
}

/// Reports heaps that the target does not have, before passes would trace their elements to declared resources; whether it did.
fn reports_heaps(cx: &mut Context) -> bool {
    let has = |kind| cx.program.globals.iter().any(|(_, g)| g.kind == kind);
    if cx.profile.has(Capability::DescriptorHeaps) || !has(GlobalKind::Heap) {
        return false;
    }
    report_need(cx, Capability::DescriptorHeaps);
    cx.diags.has_errors()
}

/// Functions that have no spelling in the target: builtins that are called, entry points without a case for it.
fn without_spelling(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    // What needs a missing capability has been reported with its name.
    let is_unknown = |f: &Function| lacks_spelling(f) && needs::required(f).all(|capability| profile.has(capability));
    let unsupported = |function: &Function, span: Span| {
        let name = function.known_as();
        let message = format!("`{}` is not supported by {}", name.as_str().trim_start_matches('_'), profile.name);
        Diagnostic::error(Code::CAPABILITY, span, message)
    };
    for root in program.entry_points.iter().flat_map(EntryPoint::roots) {
        let function = &program.functions[root];
        if is_unknown(function) {
            let note = format!("no case of its `__target_switch` is for {}", profile.language.name());
            diags.push(unsupported(function, function.span).note(note));
        }
    }
    // They are left where the pass that replaces them has reported what it cannot do.
    let replaced = program.marked("__as_structured");
    let mut calls = |exprs: &ExprArena, live: &[ExprId]| {
        for id in live {
            let ExprKind::Call(callee, _) = exprs[*id].kind else { continue };
            if replaced.contains(&callee) {
                continue;
            }
            let callee = &program.functions[callee];
            if is_unknown(callee) {
                diags.push(unsupported(callee, exprs[*id].span));
            }
        }
    };
    for caller in program.reachable_functions() {
        let body = &program.functions[caller].code;
        calls(&body.exprs, &body.expressions());
    }
    for tree in program.listed_globals().filter_map(|id| program.globals[id].init.as_ref()) {
        calls(&tree.exprs, &tree.exprs.post_order(tree.root));
    }
}

/// A function without a case for the target.
pub(crate) fn lacks_spelling(function: &Function) -> bool {
    matches!(function.body, crate::tree::FunctionBody::Switch(_) | crate::tree::FunctionBody::None)
}

impl Context<'_> {
    /// Which functions have effects, as of now.
    pub fn effects(&self) -> Arc<Effects> {
        self.program.effects()
    }

    /// Runs `f` on the body of every function that has statements; the body is taken out of the program meanwhile.
    pub fn each_body(&mut self, f: &mut dyn FnMut(&mut Context, FunctionId, &mut crate::tree::Body)) {
        for id in self.program.functions_with_code() {
            let Context { program, layout, profile, diags, notes, options } = self;
            program.lend_code(id, |program, body| {
                f(&mut Context { program, layout, profile, diags, notes, options }, id, body);
            });
        }
    }

    /// Runs `f` on the live expressions of every body and initializer, children before parents; these are taken out of the
    /// program meanwhile.
    pub fn each_exprs(&mut self, f: &mut dyn FnMut(&mut Context, &mut TrackedExprs, &[ExprId])) {
        self.each_body(&mut |cx, _, body| {
            let live = body.live();
            f(cx, &mut body.exprs, &live);
        });
        for id in self.program.globals_with_values() {
            let Context { program, layout, profile, diags, notes, options } = self;
            program.lend_value(id, |program, exprs, root| {
                let live = exprs.post_order(root);
                f(&mut Context { program, layout, profile, diags, notes, options }, exprs, &live);
            });
        }
    }

    /// Runs `f` on the values of globals, each as the body of a function that returns it. A value that needs more statements than
    /// that one stays as it was.
    pub fn each_value(&mut self, f: &mut dyn FnMut(&mut Context, &mut crate::tree::Body)) {
        for id in self.program.globals.ids() {
            let Some(tree) = self.program.globals[id].init.take() else { continue };
            let mut body = crate::tree::Body { exprs: tree.exprs.clone().into(), ..Default::default() };
            let span = tree.exprs[tree.root].span;
            body.block.stmts.push(Stmt::new(StmtKind::Return(Some(tree.root)), span));
            f(self, &mut body);
            let value = match body.block.stmts.as_slice() {
                [Stmt { kind: StmtKind::Return(Some(root)), .. }] => {
                    ExprTree { root: *root, exprs: body.exprs.into_value() }
                }
                _ => tree,
            };
            self.program.globals[id].init = Some(value);
        }
    }

    /// The shader parameter that a global is as a whole, also one that was a uniform parameter of an entry point.
    pub fn parameter(&self, global: GlobalId) -> Option<ParameterId> {
        match self.program.globals[global].origin {
            Origin::Parameter(id) => Some(id),
            Origin::Declared
            | Origin::Field(_)
            | Origin::Leaf(_)
            | Origin::Element(..)
            | Origin::Builtin
            | Origin::Synthesized => None,
        }
    }

    /// Its position and layout.
    pub fn position(&self, global: GlobalId) -> Option<(Position, &TypeLayout)> {
        self.layout.position(self.parameter(global)?)
    }

    /// What a global stands for, of that which layout placed.
    pub fn leaf(&self, global: GlobalId) -> Option<(LeafId, &Leaf)> {
        let id = self.layout.leaves.leaf_of(self.program.globals[global].origin)?;
        Some((id, self.layout.leaves.leaf(id)))
    }

    /// What stands beside a global, such as its counter.
    pub fn beside(&self, global: GlobalId, role: Role) -> Option<(LeafId, &Leaf)> {
        self.layout.leaves.beside(self.leaf(global)?.0, role)
    }

    /// Declares a shader parameter behind another one.
    pub fn declare_behind(&mut self, behind: GlobalId, global: Global) -> GlobalId {
        let id = self.program.globals.push(global);
        self.program.items.put_after(Item::Global(behind), Item::Global(id));
        self.program.parameters.push(id);
        id
    }

    /// Declares what stands beside a global, with the same array dimensions and with the position that layout gave it.
    pub fn declare_beside(&mut self, whole: GlobalId, role: Role, suffix: &str, ty: Type) -> GlobalId {
        let ty = self.program.types.intern(ty);
        let ty = self.program.types.beside(self.program.globals[whole].ty, ty);
        let Global { name, kind, span, unit, file, .. } = self.program.globals[whole];
        let mut global = Global { unit, file, ..Global::new(format!("{name}_{suffix}").as_str(), ty, kind, span) };
        if let Some((id, leaf)) = self.beside(whole, role) {
            (global.origin, global.binding) = (Origin::Leaf(id), leaf.binding());
        }
        self.declare_behind(whole, global)
    }

    /// An error that names what the target lacks.
    pub fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
    }

    /// Reports a system value that the target does not have there, with the one that it may be a misspelling of.
    pub fn no_system_value(&mut self, span: Span, semantic: &str, message: String) {
        let error = Diagnostic::error(Code::CAPABILITY, span, message);
        self.diags.push(match system_values::similar(semantic) {
            Some(name) => error.note(format!("there is `{}`", spelled(name))),
            None => error,
        });
    }
}
