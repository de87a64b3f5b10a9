//! From the syntax tree to the typed tree: names, types, conversions, overloads, constants.
//!
//! * Names: [`scope`], declared by [`decl`]. Nothing is resolved before it is used.
//! * Types: [`types`] resolves what is written, [`structs`] makes instances of structs and finds members, [`generic`]
//!   binds and infers generic arguments, [`interfaces`] knows who conforms to what, [`existential`] makes values of interfaces, [`existential_methods`] their methods, [`stored`] those in memory,
//!   [`words`] the bits of one type as those of another.
//! * Globals: [`globals`]; functions: [`function`] (signatures and instances), [`definition`] (where their statements stand), [`returns`] (how they end); bodies: [`stmt`], [`local_decls`], [`expr`], [`call`],
//!   [`member`], [`init`]. What modules and the library have is checked once a build and linked into programs: [`link`].
//! * [`entry`] finds entry points; [`finish`] decides what is reachable, in what order it is emitted, and which methods
//!   change their `this`.
//!
//! A generic declaration is instantiated for each set of arguments that is used, as C++ templates are: its syntax is
//! checked again in a scope where the parameters are bound.

pub mod attributes;
pub mod constant;
pub mod convert;
mod operation;
pub mod operators;
pub mod swizzle;
mod text_arrays;
pub mod text_hash;

mod absent;
mod addresses;
mod aliases;
mod associated_values;
mod atomic_places;
mod body_shape;
mod buffers;
mod call;
mod conformance;
mod constant_locals;
mod decl;
mod definition;
mod entry;
mod effects;
mod existential;
mod existential_methods;
mod expr;
mod extent;
mod finish;
mod flat;
mod foreign_words;
mod function;
mod function_body;
mod function_values;
mod generic;
mod globals;
mod init;
mod interfaces;
mod known_code;
mod labels;
mod lambda;
mod left_out;
mod link;
mod literal;
mod local_decls;
mod member;
mod memberwise;
mod merge;
mod objects;
mod old_fields;
mod old_inputs;
mod opaque;
mod optional;
mod outside_names;
mod overload;
mod pack_arguments;
mod packs;
mod payload_access;
mod pointers;
mod positions;
mod query;
mod ray_entries;
mod repeated_inputs;
mod resource_modes;
mod returns;
pub mod root_signature;
mod scope;
mod size_constants;
mod specialize;
mod stage_rules;
mod stage_variables;
mod static_locals;
mod stmt;
mod stored;
mod structs;
mod subobjects;
mod switch;
mod tuples;
#[cfg(test)]
mod tests;
mod throwing;
mod types;
mod unset;
mod user_attributes;
mod vertex_inputs;
mod views;
mod written_numbers;
mod words;
mod wrappers;

#[cfg(feature = "cli")]
pub use entry::{stage_in_name, stage_of_word};
pub use known_code::KnownCode;
pub use link::Bodies;
pub use merge::body_text;

use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::parse::Language;
use crate::source::{FileId, Span};
use crate::stdlib::Stdlib;
use crate::symbol::Symbol;
use crate::tree::{self, Body, LocalId, MatrixOrder, Program, Stage, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{DeclId, DeclInfo, Scope, ScopeId, ScopeKind};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// A parsed file with all it includes, or several files that are one unit.
#[derive(Debug)]
pub struct SourceUnit {
    /// Its name, for entry point inference and messages.
    pub name: Symbol,
    /// The main file.
    pub file: FileId,
    /// The syntax, file by file.
    pub files: Vec<Arc<ast::Unit>>,
    /// The language, by the file's extension.
    pub language: Language,
    /// Imports: place, index in [`Input::modules`], exported.
    pub imports: Vec<(Span, usize, bool)>,
}

/// The sources of one program.
#[derive(Debug, Default)]
pub struct Input {
    /// Translation units in the order given.
    pub units: Vec<SourceUnit>,
    /// Imported modules in the order of first import.
    pub modules: Vec<SourceUnit>,
    /// What the programs of a build have checked.
    pub bodies: Option<Arc<Bodies>>,
    /// What the variants of this program have checked.
    pub known_code: Option<Arc<KnownCode>>,
}

/// An entry point that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryRequest {
    /// The function.
    pub name: String,
    /// The stage, if given.
    pub stage: Option<Stage>,
    /// The end of the path of the file that it is in, if given: other files may have functions of the same name.
    pub file: Option<String>,
}

/// A type that conforms to an interface, with the number that tells values of it in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Conformance {
    /// The type, its namespaces before it with dots between.
    pub ty: String,
    /// The interface, likewise.
    pub interface: String,
    /// The number; the next one that is free if there is none.
    pub number: Option<u32>,
}

/// How to check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Entry points that were asked for; empty: all that are marked.
    pub entries: Vec<EntryRequest>,
    /// Find entry points by the customs of D3D trees when none is marked or asked for.
    pub infer_entries: bool,
    /// No entry point is needed: a check of a library file.
    pub allow_no_entries: bool,
    /// Storage order of matrices without a modifier.
    pub default_matrix_order: MatrixOrder,
    /// A register of a struct or of plain data whose class it does not take is ignored rather than an error.
    pub ignores_unfit_registers: bool,
    /// As DXC has it: `register(t)` is `register(t0)`, plain data takes `b3` and `i3` as `c3`, structs have no register space, only
    /// members of a `cbuffer` a `packoffset`, and only globals an array without bound, of one dimension.
    pub places_as_dxc: bool,
    /// `#pragma pack_matrix` is obeyed.
    pub pack_matrix: bool,
    /// `row_major` at an array of matrices is obeyed.
    pub matrix_order_on_arrays: bool,
    /// Entry points stay in the order in which they were asked for; else they come in order of declaration.
    pub entries_as_asked: bool,
    /// Parameters of one name in several units stay apart.
    pub separate_units: bool,
    /// Which types a value of an interface from outside may be of.
    pub conformances: Vec<Conformance>,
    /// How much there may be.
    pub limits: Limits,
    /// The program has all functions, structs and constants of its sources, whether entry points use them or not.
    pub keeps_unused: bool,
    /// The words for the targets that the program is for; empty: any. Builtins have no cases for others.
    pub targets: Vec<Symbol>,
}

/// What checking found out besides the program.
#[derive(Debug, Default)]
pub struct Report {
    /// Entry points found by custom, each with the reason, for verbose output.
    pub inferred: Vec<String>,
    /// Functions that look like entry points but were not taken for any: file, name, and the stage that they seem to be of.
    pub passed_over: Vec<(Symbol, Symbol, Option<Stage>)>,
}

/// Checks sources and tells what was inferred. The program is complete only if `diags` has no error.
pub fn check(stdlib: &Stdlib, input: &Input, options: &Options, diags: &mut Diagnostics) -> (Program, Report) {
    let mut checker = Checker::new(options, diags);
    checker.declare_all(stdlib, input);
    checker.open_links(input);
    checker.known = known_code::DeclaredCode::of(input);
    checker.check_parameters();
    checker.check_subobjects();
    let entries = checker.find_entries(input);
    checker.check_entries(entries);
    checker.renew_semantics();
    checker.check_effects();
    checker.entries_checked = true;
    checker.check_everything();
    if checker.is_futile() {
        return (checker.program, checker.report);
    }
    checker.complete_existentials();
    checker.check_conformances();
    checker.check_buffers();
    checker.check_passed();
    checker.finish(input);
    checker.program.aliases = Arc::new(checker.written_aliases());
    (checker.program, checker.report)
}

/// A generic argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arg {
    Type(TypeId),
    Value(i64),
    Pack(Vec<Arg>),
}

/// Where declarations come from.
#[derive(Clone, Copy, Debug)]
struct Source {
    language: Language,
    /// Index of the unit; modules count on after the units.
    unit: u32,
    builtin: bool,
    module: bool,
    file: FileId,
    scope: ScopeId,
    /// [`ast::Unit::is_16_bit`].
    is_16_bit: bool,
    /// [`ast::Unit::is_versioned`].
    is_versioned: bool,
    /// [`ast::Unit::is_old`].
    is_old: bool,
}

/// What is being checked: a body or a global's initializer.
struct Context<'a> {
    /// A number of its own, for locals.
    id: u32,
    body: Body,
    scope: ScopeId,
    source: u32,
    /// The language of the call whose generic arguments are inferred: that of the source while there is none.
    call: Option<Language>,
    /// The declared result type; `None` outside of functions.
    result: Option<TypeId>,
    /// The vectors that type parameters of the function stand for.
    generic_vectors: Vec<TypeId>,
    this: Option<LocalId>,
    this_ty: Option<TypeId>,
    /// Depth of loops, and of loops and switches.
    loops: u32,
    breakable: u32,
    /// Nesting of expressions and statements.
    depth: u32,
    /// The target whose case of a target switch is checked.
    target: Option<Symbol>,
    /// A number is built that is meant as such, as the size of an array: nothing may be shifted out of it.
    exact: bool,
    /// In a constructor: `return;` returns `this`.
    constructs: bool,
    function: Option<tree::FunctionId>,
    /// The free function of HLSL whose body this is: it sees no functions that are declared after it.
    sees_until: Option<DeclId>,
    /// Deferred statements that are pending, with their scopes; and how many were when the innermost loop or switch began.
    defers: Vec<(&'a ast::Stmt, ScopeId)>,
    loop_defers: usize,
    break_defers: usize,
    labels: labels::Labels,
    throwing: throwing::Throwing,
    /// `__return_val`, where the body names it.
    return_value: Option<LocalId>,
    /// In the body of a lambda.
    captures: Option<lambda::Captures>,
    /// The result type is that of the first `return`.
    infers: bool,
    /// Variables to be declared before the statement at hand.
    temporaries: Vec<LocalId>,
    /// What is known of variables whose type is a generic parameter.
    views: FxHashMap<LocalId, views::View>,
    /// The types of variables and parameters as they are written, with the scope.
    written: FxHashMap<LocalId, (&'a ast::TypeExpr, ScopeId)>,
    /// Variables of `for` loops that have ended, and those of them that are named afterwards, as HLSL allows.
    ended: FxHashSet<LocalId>,
    outlived: FxHashSet<LocalId>,
    /// The conditions of the branches that the statement at hand stands in, and what they are there.
    branches: Vec<(tree::ExprId, bool)>,
    /// How many calls in branches that are never taken have been left out.
    left_out: usize,
    /// What is a literal, or is none, although its type does not say so.
    literals: convert::LiteralMarks,
    /// Values of `const` variables.
    constants: Vec<(LocalId, constant::Value)>,
    /// What those are made of whose values specialization constants give.
    specialized: Vec<(LocalId, tree::ExprTree)>,
    /// Those of them that not every target takes for constants, since parts of other values are in theirs.
    computed: FxHashSet<LocalId>,
}

/// The checker: everything known so far.
pub(crate) struct Checker<'a> {
    program: Program,
    report: Report,
    diags: &'a mut Diagnostics,
    /// Not all of the library is in view: a program with errors is checked again with all of it.
    partial: bool,
    /// Errors of what is made once, found while others were of no interest.
    lasting: Vec<Diagnostic>,
    /// Loops that nothing ends, with the functions whose bodies they are in.
    endless: Vec<(tree::FunctionId, Span)>,
    /// What entry points reach has been checked.
    entries_checked: bool,
    /// How many calls of `quiet` are under way.
    quiet_depth: u32,
    options: &'a Options,
    scopes: Vec<Scope>,
    decls: Vec<DeclInfo<'a>>,
    /// Whether functions of the source are only declared, once it has been asked for.
    lacks_bodies: Option<bool>,
    sources: Vec<Source>,
    cx: Context<'a>,
    contexts: u32,
    builtin_types: FxHashMap<Symbol, Option<TypeId>>,
    /// Names of builtin types that are declared as something else.
    shadowed: FxHashSet<Symbol>,
    structs: structs::Structs<'a>,
    aliases: FxHashMap<(DeclId, Vec<Arg>), TypeId>,
    active_aliases: Vec<DeclId>,
    /// Where the source writes them, by where that begins.
    alias_uses: FxHashMap<(FileId, u32), (Span, DeclId)>,
    /// What expressions name that were evaluated by themselves, and where.
    number_names: Vec<(Span, tree::NumberName)>,
    packs: Vec<Rc<[packs::Item]>>,
    /// Patterns with packs have been opened.
    has_open_packs: bool,
    /// The address of a variable is taken somewhere.
    addresses_taken: bool,
    /// Which element of the packs is being expanded.
    element: Option<usize>,
    globals: FxHashMap<DeclId, globals::State>,
    /// Declarations of globals in order of making.
    global_decls: Vec<(tree::GlobalId, DeclId)>,
    enums: FxHashMap<DeclId, TypeId>,
    /// The constants that size arrays, by what they are made of.
    size_constants: FxHashMap<String, tree::SizeConstant>,
    enum_decls: Vec<DeclId>,
    /// Cases of each enum declaration.
    enum_cases: FxHashMap<DeclId, Vec<DeclId>>,
    interfaces: interfaces::Interfaces<'a>,
    views: views::Views<'a>,
    existentials: existential::Existentials,
    functions: function::Functions<'a>,
    /// The functions of the library that calls have chosen.
    choices: FxHashMap<overload::ChoiceKey, function::InstanceId>,
    links: link::Links,
    known: Option<known_code::DeclaredCode<'a>>,
    lambdas: lambda::Lambdas,
    function_values: function_values::FunctionValues<'a>,
    queue: VecDeque<function::InstanceId>,
    /// Definitions outside of their struct: the names of the struct and those around it, from the outside, and of the method.
    out_of_line: FxHashMap<(Vec<Symbol>, Symbol), Vec<definition::OutOfLine<'a>>>,
    /// The same of static members that are given their values outside.
    values_out_of_line: FxHashMap<(Vec<Symbol>, Symbol), definition::ValueOutOfLine<'a>>,
    /// Specializations of the templates of a scope, by name.
    specializations: FxHashMap<(ScopeId, Symbol), Vec<DeclId>>,
    pending_usings: Vec<(ScopeId, &'a [ast::Ident])>,
    /// Namespaces that several imported files declare, and the scope that shows them all.
    joined_namespaces: Vec<(Vec<ScopeId>, ScopeId)>,
    /// Functions that several units have alike; another one stands for them.
    merged_functions: FxHashSet<tree::FunctionId>,
    /// The last place of the user's that was looked at.
    user_span: Option<Span>,
    /// `layout(local_size_x = 4) in;` by file.
    group_layouts: FxHashMap<u32, &'a ast::Decl>,
    /// Parts of state objects, with the scopes of their values.
    subobjects: Vec<(&'a ast::Decl, &'a ast::SubobjectDecl, ScopeId)>,
    /// What effect files say to the application, and the sources that they are in.
    effects: Vec<(&'a ast::EffectDecl, u32)>,
    words: Words,
    /// Inputs and outputs of stages that are declared outside of functions.
    stage_variables: Vec<stage_variables::StageVariable>,
    /// The operators that functions of the program outside of types define.
    free_operators: FxHashSet<Symbol>,
}

/// Names that the checker looks for often.
struct Words {
    this_type: Symbol,
    init: Symbol,
    subscript: Symbol,
    get: Symbol,
    base: Symbol,
}

/// Nesting beyond this is an error rather than a stack overflow.
const MAX_DEPTH: u32 = 256;
/// Bases of bases.
const MAX_BASES: u32 = 1024;

impl<'a> Checker<'a> {
    fn new(options: &'a Options, diags: &'a mut Diagnostics) -> Self {
        let program = Program { default_matrix_order: options.default_matrix_order, ..Program::default() };
        Checker {
            program,
            report: Report::default(),
            diags,
            partial: false,
            lasting: Vec::new(),
            endless: Vec::new(),
            entries_checked: false,
            quiet_depth: 0,
            options,
            scopes: Vec::new(),
            decls: Vec::new(),
            lacks_bodies: None,
            sources: Vec::new(),
            cx: Context::new(0, ScopeId(0), 0),
            contexts: 0,
            builtin_types: FxHashMap::default(),
            shadowed: FxHashSet::default(),
            structs: structs::Structs::default(),
            aliases: FxHashMap::default(),
            active_aliases: Vec::new(),
            alias_uses: FxHashMap::default(),
            number_names: Vec::new(),
            packs: Vec::new(),
            has_open_packs: false,
            addresses_taken: false,
            element: None,
            globals: FxHashMap::default(),
            global_decls: Vec::new(),
            enums: FxHashMap::default(),
            size_constants: FxHashMap::default(),
            enum_decls: Vec::new(),
            enum_cases: FxHashMap::default(),
            interfaces: interfaces::Interfaces::default(),
            views: views::Views::default(),
            existentials: existential::Existentials::default(),
            functions: function::Functions::default(),
            choices: FxHashMap::default(),
            links: link::Links::default(),
            known: None,
            lambdas: lambda::Lambdas::default(),
            function_values: function_values::FunctionValues::default(),
            queue: VecDeque::new(),
            out_of_line: FxHashMap::default(),
            values_out_of_line: FxHashMap::default(),
            specializations: FxHashMap::default(),
            pending_usings: Vec::new(),
            joined_namespaces: Vec::new(),
            merged_functions: FxHashSet::default(),
            user_span: None,
            group_layouts: FxHashMap::default(),
            subobjects: Vec::new(),
            effects: Vec::new(),
            words: Words {
                this_type: Symbol::new("This"),
                init: Symbol::new("__init"),
                subscript: Symbol::new("__subscript"),
                get: Symbol::new("Get"),
                base: Symbol::new("base"),
            },
            stage_variables: Vec::new(),
            free_operators: FxHashSet::default(),
        }
    }

    /// Declares the standard library, modules and units, each in a scope of its own.
    fn declare_all(&mut self, stdlib: &'a Stdlib, input: &'a Input) {
        self.partial = !stdlib.whole;
        let root = self.scope(None, ScopeKind::Plain);
        self.declare_builtin_generics(root);
        let library = self.scope(Some(root), ScopeKind::Plain);
        let unit_count = input.units.len() as u32;
        let source = |read: &SourceUnit, unit, module, scope| Source {
            language: read.language,
            unit,
            builtin: false,
            module,
            file: read.file,
            scope,
            is_16_bit: read.files.iter().any(|f| f.is_16_bit),
            is_versioned: read.files.iter().any(|f| f.is_versioned),
            is_old: read.files.iter().any(|f| f.is_old),
        };
        for parts in &stdlib.files {
            self.sources.push(Source {
                language: Language::Slang,
                unit: u32::MAX,
                builtin: true,
                module: true,
                file: FileId::default(),
                scope: library,
                is_16_bit: false,
                is_versioned: false,
                is_old: false,
            });
            self.declare_library(parts, library, self.sources.len() as u32 - 1);
        }
        let mut modules = Vec::new();
        for (index, module) in input.modules.iter().enumerate() {
            let scope = self.scope(Some(library), ScopeKind::Plain);
            self.sources.push(source(module, unit_count + index as u32, true, scope));
            modules.push((scope, self.sources.len() as u32 - 1));
        }
        for (module, (scope, source)) in input.modules.iter().zip(modules.clone()) {
            self.open_imports(module, scope, &modules);
            let parts = module.files.iter().flat_map(|f| f.decls.parts());
            parts.for_each(|decls| self.declare_decls(decls, scope, source, None, 0));
        }
        self.links.first_own = self.decls.len() as u32;
        for (index, unit) in input.units.iter().enumerate() {
            let scope = self.scope(Some(library), ScopeKind::Plain);
            self.sources.push(source(unit, index as u32, false, scope));
            self.open_imports(unit, scope, &modules);
            let source = self.sources.len() as u32 - 1;
            let parts = unit.files.iter().flat_map(|f| f.decls.parts());
            parts.for_each(|decls| self.declare_decls(decls, scope, source, None, 0));
        }
        self.join_namespaces();
        self.resolve_usings();
    }

    fn open_imports(&mut self, unit: &SourceUnit, scope: ScopeId, modules: &[(ScopeId, u32)]) {
        for (_, index, _) in &unit.imports {
            if let Some((opened, _)) = modules.get(*index) {
                let opened = *opened;
                self.at_mut(scope).opened.push(opened);
            }
        }
    }

    /// Reports an error.
    ///
    /// A fault that shows in the standard library (an alias with arguments that do not fit) is the user's.
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        let span = self.blamed(span);
        self.diags.push(Diagnostic::error(code, span, message));
    }

    /// Whether nobody will see what this check gives.
    fn is_futile(&self) -> bool {
        self.partial && self.quiet_depth == 0 && self.diags.has_errors()
    }

    /// Where a fault is reported: one in the library is the user's.
    fn blamed(&self, span: Span) -> Span {
        if span.file.is_library() { self.user_span.unwrap_or(span) } else { span }
    }

    /// Reports that something is not supported yet.
    fn unsupported(&mut self, span: Span, what: &str) {
        self.error(Code::UNSUPPORTED, span, format!("{what} is not supported yet"));
    }

    /// Runs `f` in a context of its own at a scope and gives the body that was built.
    fn in_context<R>(&mut self, scope: ScopeId, source: u32, f: impl FnOnce(&mut Self) -> R) -> (R, Body) {
        self.contexts += 1;
        let mut inner = Context::new(self.contexts, scope, source);
        inner.depth = self.cx.depth + 1;
        std::mem::swap(&mut self.cx, &mut inner);
        let result = f(self);
        std::mem::swap(&mut self.cx, &mut inner);
        (result, inner.body)
    }

    /// Counts nesting; past the limit it reports and gives false. Pair with `self.cx.depth -= 1`.
    fn enter(&mut self, span: Span) -> bool {
        if self.cx.depth >= MAX_DEPTH {
            // What lies around it is so, too.
            if !self.diags.list().iter().any(|d| d.code == Code::NESTING) {
                let span = self.blamed(span);
                let message = format!("this is nested more than {MAX_DEPTH} levels deep");
                let note = "move parts of it into variables or functions; a sum has as many levels as it has terms";
                self.diags.push(Diagnostic::error(Code::NESTING, span, message).note(note));
            }
            return false;
        }
        self.cx.depth += 1;
        if !span.file.is_library() {
            self.user_span = Some(span);
        }
        true
    }

    fn source_of(&self, decl: DeclId) -> Source {
        self.source(self.info(decl).source)
    }

    fn source(&self, index: u32) -> Source {
        self.sources[index as usize]
    }

    /// Whether code of the standard library is being checked.
    fn in_builtin(&self) -> bool {
        self.sources.get(self.cx.source as usize).is_some_and(|s| s.builtin)
    }

    /// The language of what is being checked.
    fn language(&self) -> Language {
        self.sources.get(self.cx.source as usize).map_or(Language::Slang, |s| s.language)
    }
}

impl Context<'_> {
    fn new(id: u32, scope: ScopeId, source: u32) -> Self {
        Context {
            id,
            body: Body::default(),
            scope,
            source,
            call: None,
            result: None,
            this: None,
            this_ty: None,
            loops: 0,
            breakable: 0,
            depth: 0,
            target: None,
            exact: false,
            constructs: false,
            function: None,
            sees_until: None,
            defers: Vec::new(),
            loop_defers: 0,
            break_defers: 0,
            labels: labels::Labels::default(),
            throwing: throwing::Throwing::default(),
            return_value: None,
            captures: None,
            infers: false,
            generic_vectors: Vec::new(),
            temporaries: Vec::new(),
            ended: FxHashSet::default(),
            branches: Vec::new(),
            left_out: 0,
            outlived: FxHashSet::default(),
            literals: convert::LiteralMarks::default(),
            constants: Vec::new(),
            specialized: Vec::new(),
            views: FxHashMap::default(),
            written: FxHashMap::default(),
            computed: FxHashSet::default(),
        }
    }
}
