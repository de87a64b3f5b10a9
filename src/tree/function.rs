//! Functions, their parameters, and the entry points that some of them are.

use super::{
    AddressSpace, Attribute, AttributeArg, Body, Comment, Explicit, ExprTree, FunctionId, GlobalId, LocalId,
    MatrixOrder, Modifiers, Program, Semantic, Span, Stage, Symbol, Template, Type, TypeId,
};
use crate::preprocess::Language;

/// The attribute of a function or struct of the library that users know by another name.
pub const KNOWN_AS: &str = "__known_as";

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ParamMode {
    /// By value.
    #[default]
    In,
    /// Copy out at return.
    Out,
    /// Copy in, copy out.
    InOut,
    /// By reference: atomics' destinations, `this` of mutating methods may be either. Standard library only.
    Ref,
}

/// A parameter; its local has the name and type.
#[derive(Clone, Debug)]
pub struct Param {
    /// The local that it is in the body. For functions without a body too: `Function::locals` holds it.
    pub local: LocalId,
    /// Which of its function's parameters in the source it is; nothing for what a pass made.
    pub declared: Option<u32>,
    /// How it is passed.
    pub mode: ParamMode,
    /// Entry points: its semantic.
    pub semantic: Option<Semantic>,
    /// Interpolation, `uniform`, geometry primitive...
    pub modifiers: Modifiers,
    /// Storage order of its matrices (uniform parameters of entry points).
    pub matrix_order: Option<MatrixOrder>,
    /// Explicit positions (entry points).
    pub explicit: Explicit,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Builtins: its arguments are to be constants.
    pub constant: bool,
    /// What it is where a call does not give it, if that is a constant. Calls have all arguments; those that are this value have
    /// its span.
    pub default: Option<ExprTree>,
    /// Comments before it and trailing.
    pub comments: Vec<Comment>,
}

impl Param {
    /// A parameter by value, made by a pass.
    pub fn new(local: LocalId) -> Param {
        Param {
            local,
            declared: None,
            mode: ParamMode::In,
            semantic: None,
            modifiers: Modifiers::default(),
            matrix_order: None,
            explicit: Explicit::default(),
            attributes: Vec::new(),
            constant: false,
            default: None,
            comments: Vec::new(),
        }
    }
}

/// The attribute of builtins whose last argument is passed to other shaders.
pub const PASSES: &str = "__passes";

/// What the source declares a function as, in the type that owns it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Member {
    /// None that a target could have: a free function, an accessor, a constructor, an operator.
    #[default]
    None,
    /// A method by a name, with an object.
    Method,
    /// The same without an object.
    Static,
}

/// Where the statements of a method stand that its struct only declares.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Span of its name there.
    pub span: Span,
    /// Comments before it.
    pub comments: Vec<Comment>,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Name in the source, without owner.
    pub name: Symbol,
    /// The struct or type whose method this is; `params[0]` is then `this` unless static. Kept for naming.
    pub owner: Option<TypeId>,
    /// What it is in its owner; of a legal program, what it is declared as.
    pub member: Member,
    /// Its struct only declares it: where it is defined.
    pub outside: Option<Outside>,
    /// Generic arguments as text, for naming an instance (`int_4`); empty if none.
    pub instance: Symbol,
    /// Parameters.
    pub params: Vec<Param>,
    /// Result type.
    pub result: TypeId,
    /// Result semantic (entry points).
    pub result_semantic: Option<Semantic>,
    /// Explicit position of the result.
    pub result_explicit: Explicit,
    /// Storage order of a matrix that it gives, where the source says it (entry points).
    pub result_order: Option<MatrixOrder>,
    /// The result is an lvalue: a `ref` accessor of the standard library.
    pub returns_ref: bool,
    /// Body.
    pub body: FunctionBody,
    /// The body's storage; parameters live in `code.locals` even when there are no statements.
    pub code: Body,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Comments before it.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
    /// From the standard library.
    pub builtin: bool,
    /// Inline at every call (`[ForceInline]` of the standard library).
    pub inline: bool,
    /// `precise` or other modifiers on the function.
    pub modifiers: Modifiers,
    /// The source has no such function: its name yields to those of the source.
    pub made: bool,
}

impl Function {
    /// An attribute by its name, in any case.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name.as_str().eq_ignore_ascii_case(name))
    }

    /// Whether it is declared in its struct.
    pub fn is_member(&self) -> bool {
        self.member != Member::None
    }

    /// Span of its name where it is defined.
    pub fn definition_span(&self) -> Span {
        self.outside.as_ref().map_or(self.span, |outside| outside.span)
    }

    /// Whether `params[0]` is `this`.
    pub fn is_method(&self) -> bool {
        self.owner.is_some() && self.params.first().is_some_and(|p| self.code.locals[p.local].name == "this")
    }

    /// Whether it is a method that takes its object by reference to change it.
    pub fn changes_object(&self) -> bool {
        self.is_method() && self.params.first().is_some_and(|p| p.mode == ParamMode::InOut)
    }

    /// The name that users know a function of the library by.
    pub fn known_as(&self) -> Symbol {
        match self.attribute(KNOWN_AS).and_then(|a| a.args.first()) {
            Some(AttributeArg::Text(name)) => *name,
            _ => self.name,
        }
    }

    /// What a builtin computes, as the library says with `[__computes("min")]`.
    pub fn computes(&self) -> Option<&'static str> {
        match self.attribute("__computes")?.args.first()? {
            AttributeArg::Text(word) | AttributeArg::Name(word) => Some(word.as_str()),
            AttributeArg::Int(_) | AttributeArg::Float(_) => None,
        }
    }

    /// A function made by a pass; its parameters' locals are in `code`.
    pub fn new(name: impl Into<Symbol>, params: Vec<Param>, result: TypeId, code: Body, span: Span) -> Function {
        let body = FunctionBody::Block;
        Function { name: name.into(), params, result, body, code, span, made: true, ..Function::default() }
    }
}

/// What a function does.
#[derive(Clone, Debug, Default)]
pub enum FunctionBody {
    /// Declared only.
    #[default]
    None,
    /// Statements in `Function::code.block`.
    Block,
    /// Standard library, before the target is chosen: per target name (`hlsl`, `glsl`, `wgsl`; the empty name is
    /// `default`) what it is there. Statement cases hold their own [`Body`], whose first locals are the parameters.
    Switch(Vec<(Symbol, TargetCase)>),
    /// A spelling of the target, see [`Template`].
    Intrinsic(Template),
}

/// A case of [`FunctionBody::Switch`].
#[derive(Clone, Debug)]
pub enum TargetCase {
    /// Statements.
    Block(Box<Body>),
    /// A spelling.
    Intrinsic(Template),
}

/// Whether a case of [`FunctionBody::Switch`] is for the targets that have none of their own.
pub fn is_default_case(name: Symbol) -> bool {
    name.is_empty() || name == "default"
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// The function.
    pub function: FunctionId,
    /// The function that gives the constants of a patch, which runs with a hull entry point.
    pub patch_constant: Option<FunctionId>,
    /// Its stage.
    pub stage: Stage,
    /// Its name in the source.
    pub name: Symbol,
    /// Thread group size of compute, mesh and amplification; 1 where not given.
    pub workgroup_size: [u32; 3],
    /// The specialization constants that give the size, where the source names them: `workgroup_size` has their defaults.
    pub workgroup_constants: [Option<GlobalId>; 3],
    /// Index of its translation unit.
    pub unit: u32,
    /// The language of its source.
    pub language: Language,
    /// Its inputs and outputs, where legalization makes globals of them; used or not, they belong to it.
    pub interface: Vec<GlobalId>,
    /// Its uniform parameters of plain data, where legalization makes globals of them: one buffer has all.
    pub uniforms: Vec<GlobalId>,
}

impl EntryPoint {
    /// The functions that the stage runs by itself.
    pub fn roots(&self) -> impl Iterator<Item = FunctionId> + use<> {
        [Some(self.function), self.patch_constant].into_iter().flatten()
    }

    /// The globals that belong to it whether or not its functions name them.
    pub fn globals(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.interface.iter().copied().chain(self.workgroup_constants.into_iter().flatten())
    }
}

/// Whether an entry-point parameter is a shader parameter rather than stage input or output.
pub fn is_uniform(program: &Program, param: &Param, ty: TypeId) -> bool {
    // The word means nothing with what the stage is given and gives (slangc and DXC take it so, too).
    if matches!(program.types.get(ty), Type::Patch(..) | Type::Stream(..) | Type::MeshOutput(..)) {
        return false;
    }
    if param.modifiers.has(Modifiers::UNIFORM) {
        return true;
    }
    // Addresses of memory are no data that stages pass each other (slangc takes them for uniforms, too).
    let address = |ty: Type| matches!(ty, Type::Pointer(_, AddressSpace::Device(_)));
    let innermost = program.types.get(program.types.innermost(ty));
    innermost.is_resource() || param.semantic.is_none() && address(innermost)
}
