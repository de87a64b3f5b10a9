//! The syntax tree: what was written, nothing resolved. Made by `parse`, read by `check`, never changed after.
//!
//! Types are syntax of their own ([`TypeExpr`]); where type and expression cannot be determined apart without names
//! (`(a)(b)`, `f<a>(b)`, `T(1)`), the parser chooses by the rules in `parse` and `check` reinterprets:
//! a [`ExprKind::Path`] may turn out to be a type, a [`ExprKind::Cast`] to a non-type is an error there.

use crate::lex::{Comment, UnusedNumber};
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An identifier with its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Its place.
    pub span: Span,
}

/// One parsed file with all it includes.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Declarations in textual order.
    pub decls: Decls,
    /// Comments after the last declaration.
    pub trailing: Vec<Comment>,
    /// Where the head of the main file ends ([`crate::lex::TokenStream::head`]).
    pub head: u32,
    /// It names types of exactly 16 bits. DXC takes them only with the option that gives `half` 16 bits, too.
    pub is_16_bit: bool,
    /// It is written for Direct3D 9: with its samplers, or with techniques for it.
    pub is_old: bool,
    /// `#version` was met: the file is written in GLSL's words, and its globals are what they are in GLSL.
    pub is_versioned: bool,
    /// Names by which a statement or a cast would read in another way if they were of types, which other files may declare.
    pub undecided: FxHashSet<Symbol>,
    /// Of the tokens that are in no body of a function.
    pub declared: TokenHash,
    /// The sizes of arrays and the arguments of attributes that have names in them, by the names of what has them.
    pub written_numbers: WrittenNumbers,
    /// Macros that nothing asks for, with the numbers that they are.
    pub unused_numbers: Vec<(UnusedNumber, ExprKind)>,
}

/// Numbers with names of macros or constants in them, by the names of what has them; `None` for others beside them.
pub type WrittenNumbers = Vec<(Span, Arc<[Option<Expr>]>)>;

/// The declarations of a file. The first ones may be those of other variants of the program, too.
#[derive(Clone, Debug, Default)]
pub struct Decls {
    first: Arc<[Decl]>,
    rest: Vec<Decl>,
}

impl Decls {
    /// Some that other files have, and those behind them.
    pub fn new(first: Arc<[Decl]>, rest: Vec<Decl>) -> Decls {
        Decls { first, rest }
    }

    /// All in two parts.
    pub fn parts(&self) -> [&[Decl]; 2] {
        [&self.first, &self.rest]
    }

    /// All.
    pub fn iter(&self) -> impl Iterator<Item = &Decl> {
        self.first.iter().chain(&self.rest)
    }

    /// A list of its own.
    pub fn into_vec(self) -> Vec<Decl> {
        match self.first.is_empty() {
            true => self.rest,
            false => self.iter().cloned().collect(),
        }
    }
}

impl From<Vec<Decl>> for Decls {
    fn from(rest: Vec<Decl>) -> Decls {
        Decls { first: Arc::default(), rest }
    }
}

impl FromIterator<Decl> for Decls {
    fn from_iter<I: IntoIterator<Item = Decl>>(decls: I) -> Decls {
        Decls::from(Vec::from_iter(decls))
    }
}

/// Hashes of some tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TokenHash {
    /// Of what they say.
    pub tokens: u64,
    /// Of that, of where they stand, and of the comments between them.
    pub places: u64,
}

impl Unit {
    /// The declarations, and those in namespaces behind them. Wherever an `import` stands, it is one of the file.
    pub fn with_namespaces(&self) -> impl Iterator<Item = &Decl> {
        let [first, rest] = self.decls.parts();
        let mut open = vec![rest.iter(), first.iter()];
        std::iter::from_fn(move || {
            while let Some(list) = open.last_mut() {
                let Some(decl) = list.next() else {
                    open.pop();
                    continue;
                };
                if let DeclKind::Namespace(_, decls) = &decl.kind {
                    open.push(decls.iter());
                }
                return Some(decl);
            }
            None
        })
    }
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
    /// From its first modifier to its end.
    pub span: Span,
    /// Comments before it, and a trailing one on its last line.
    pub comments: Vec<Comment>,
    /// `[...]` and `[[...]]` attributes.
    pub attributes: Vec<Attribute>,
    /// Keywords before it (`static`, `const`, `groupshared`, `row_major`, `nointerpolation`, `public`, ...), as written.
    pub modifiers: Vec<Ident>,
    /// `layout(...)` qualifiers: (name, value).
    pub layout: Vec<(Ident, Option<Expr>)>,
}

/// `[name(args)]`, `[[vk::name(args)]]` (path `vk::name`).
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name; namespaces joined by `::`.
    pub name: Ident,
    /// The arguments.
    pub args: Vec<Expr>,
}

/// The kinds of declaration.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// A variable, field or parameter. `float a, b[2];` gives two declarations.
    Var(VarDecl),
    /// A function, method, constructor (`__init`), operator (`operator+`).
    Function(FunctionDecl),
    /// `struct`, `class` (as struct).
    Struct(StructDecl),
    /// `interface`.
    Interface(StructDecl),
    /// `extension TYPE : BASES { ... }`.
    Extension(ExtensionDecl),
    /// `cbuffer`, `tbuffer`.
    Buffer(BufferDecl),
    /// `enum`.
    Enum(EnumDecl),
    /// `typedef T N;`, `typealias N = T;`, `using N = T;`.
    Alias(AliasDecl),
    /// `associatedtype N : BASES;`
    AssociatedType(GenericParam),
    /// `namespace A::B { ... }`.
    Namespace(Vec<Ident>, Vec<Decl>),
    /// `using namespace A::B;`
    UsingNamespace(Vec<Ident>),
    /// `using Base<T>::member;` in a struct: the member.
    UsingMember(Ident),
    /// `import a.b;` or `import "a/b.slang";`: the path with `/` between parts; `true` for `__exported import`.
    Import(Ident, bool),
    /// `__include a.b;`
    Include(Ident),
    /// `implementing a.b;`: the file is a part of that module.
    Implementing(Ident),
    /// `property T name { get {...} set {...} }` / `property name : T`.
    Property(PropertyDecl),
    /// `__subscript(params) -> T { get ... set ... }`.
    Subscript(PropertyDecl),
    /// `LocalRootSignature name = { ... };` and the like: a part of a state object of ray tracing.
    Subobject(SubobjectDecl),
    /// What an effect file says to the application: a technique, or the states of an object.
    Effect(Box<EffectDecl>),
    /// `T __global_param`, `type_param`, `__attributeTarget` declarations and the like that hold nothing we emit.
    Ignored,
    /// A lone `;`.
    Empty,
}

/// `: NAME`, `: register(...)`, `: packoffset(...)`, `: read(...)` after a declarator.
#[derive(Clone, Debug)]
pub enum Semantic {
    /// A semantic such as `SV_Target0` or `TEXCOORD1`, as written.
    Name(Ident),
    /// `register(t0, space1)`, `register(vs, t0)` or `register(t0[1])`: the words in order, `[]` for an index.
    Register(Vec<Ident>, Span),
    /// `packoffset(c0.y)`: the words `c0` and `y`.
    PackOffset(Vec<Ident>, Span),
    /// `read(caller, miss)` of a field of a payload: the words.
    Read(Vec<Ident>),
    /// `write(caller, miss)`.
    Write(Vec<Ident>),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// `let`/`var` without a type give [`TypeKind::Infer`].
    pub ty: TypeExpr,
    /// Empty for an unnamed parameter.
    pub name: Ident,
    /// The struct whose static member is given its value, and those around it: `int S::count = 0;`.
    pub owner: Vec<Ident>,
    /// The parameters of the templates that these are.
    pub generics: Option<Generics>,
    /// Semantics, registers.
    pub semantics: Vec<Semantic>,
    /// The initializer.
    pub init: Option<Expr>,
    /// Declared by `let` (immutable).
    pub is_let: bool,
    /// Bit-field width: `uint a : 4`.
    pub bits: Option<Expr>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// The name: `operator+`, `__init` and so on for special ones.
    pub name: Ident,
    /// `func T.name(...)`-style or out-of-line `S::name` owners.
    pub owner: Vec<Ident>,
    /// Generic parameters.
    pub generics: Option<Generics>,
    /// `template<> float f<int>(int x)`: for which arguments it stands in for the template; empty if its parameters tell.
    pub specializes: Option<Vec<GenericArg>>,
    /// Parameters: `Var` declarations with `in`/`out`/`inout`/`uniform`/`borrow`... among the modifiers.
    pub params: Vec<Decl>,
    /// The result type.
    pub result: TypeExpr,
    /// Result semantics.
    pub semantics: Vec<Semantic>,
    /// The body; `None` for a forward declaration or interface requirement.
    pub body: Option<Block>,
    /// Of the tokens of the body.
    pub code: TokenHash,
    /// What the body calls by a name, as far as its tokens tell.
    pub calls: Vec<Symbol>,
    /// `throws E`.
    pub throws: Option<TypeExpr>,
}

/// Generic parameters with where-clauses.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    /// In order.
    pub params: Vec<GenericParam>,
    /// `where T : I` and `where T == U`.
    pub constraints: Vec<(TypeExpr, Vec<TypeExpr>)>,
}

/// One generic parameter.
#[derive(Clone, Debug)]
pub struct GenericParam {
    /// Its name.
    pub name: Ident,
    /// Type or value.
    pub kind: GenericParamKind,
}

/// Kinds of generic parameter.
#[derive(Clone, Debug)]
pub enum GenericParamKind {
    /// `T : I & J = Default`.
    Type {
        /// Interfaces.
        bounds: Vec<TypeExpr>,
        /// Default.
        default: Option<TypeExpr>,
    },
    /// `let N : int = 4`, HLSL's `int N`.
    Value {
        /// Its type.
        ty: TypeExpr,
        /// Default.
        default: Option<Expr>,
    },
    /// `each T : I`, `let each N : int`.
    Pack {
        /// Interfaces of each type.
        bounds: Vec<TypeExpr>,
        /// Of a pack of constants: their type.
        value: Option<TypeExpr>,
    },
}

/// A struct or interface.
#[derive(Clone, Debug)]
pub struct StructDecl {
    /// The name; empty if anonymous.
    pub name: Ident,
    /// Generic parameters.
    pub generics: Option<Generics>,
    /// `template<typename T> struct S<T, 4>`: the arguments for which it stands in for the template.
    pub specializes: Option<Vec<GenericArg>>,
    /// Base struct and interfaces.
    pub bases: Vec<TypeExpr>,
    /// Fields, methods, nested types, ...; `None` for a forward declaration.
    pub members: Option<Vec<Decl>>,
    /// `__magic_type(NAME)` in the standard library: the builtin kind.
    pub magic: Option<Symbol>,
    /// A variable template, `template<typename T> static const uint size = sizeof(T)`: its only member has the values.
    pub is_variable: bool,
}

/// The member of a variable template that has the value.
pub const TEMPLATE_VALUE: &str = "value";

/// `extension<T> TYPE : BASES where ... { ... }`.
#[derive(Clone, Debug)]
pub struct ExtensionDecl {
    /// Generic parameters, bound by matching `target` (partial specialization).
    pub generics: Option<Generics>,
    /// The type that is extended.
    pub target: TypeExpr,
    /// Interfaces added.
    pub bases: Vec<TypeExpr>,
    /// Members.
    pub members: Vec<Decl>,
}

/// `cbuffer NAME : register(b0) { ... }`.
#[derive(Clone, Debug)]
pub struct BufferDecl {
    /// `tbuffer`.
    pub texture: bool,
    /// The name.
    pub name: Ident,
    /// Registers.
    pub semantics: Vec<Semantic>,
    /// Fields.
    pub members: Vec<Decl>,
}

/// A part of a state object (HLSL, "DirectX Raytracing", "Subobjects in HLSL").
#[derive(Clone, Debug)]
pub struct SubobjectDecl {
    /// Which part: `TriangleHitGroup`.
    pub kind: Symbol,
    /// The name.
    pub name: Ident,
    /// Strings, numbers and flags.
    pub values: Vec<Expr>,
}

/// What an effect file (`fx_2_0` to `fx_5_0`) says to the application.
#[derive(Clone, Debug)]
pub enum EffectDecl {
    /// `technique Draw { pass First { ... } }`
    Technique(TechniqueDecl),
    /// `BlendState blending { ... }`, or the states of a sampler that is declared before it.
    Object(EffectObject),
}

/// A technique.
#[derive(Clone, Debug)]
pub struct TechniqueDecl {
    /// `technique`, `technique10`, `technique11`.
    pub word: Symbol,
    /// The `fxgroup` that it is in.
    pub group: Option<Symbol>,
    /// The name; may be empty.
    pub name: Ident,
    /// `< string Script = "x"; >`
    pub annotations: Vec<EffectState>,
    /// The passes in order.
    pub passes: Vec<EffectPass>,
}

/// A pass of a technique.
#[derive(Clone, Debug)]
pub struct EffectPass {
    /// The name; may be empty.
    pub name: Ident,
    /// `< ... >`
    pub annotations: Vec<EffectState>,
    /// What it compiles.
    pub shaders: Vec<EffectShader>,
    /// What else it sets.
    pub states: Vec<EffectState>,
}

/// `compile ps_3_0 main(true)`, `CompileShader(ps_4_0, main(true))`
#[derive(Clone, Debug)]
pub struct EffectShader {
    /// `ps_3_0`.
    pub profile: Ident,
    /// The function; of one that has arguments, the variant that they make.
    pub entry: Ident,
    /// The function as it is written.
    pub function: Ident,
    /// The values of its `uniform` parameters.
    pub args: Vec<Expr>,
}

/// An object of an effect.
#[derive(Clone, Debug)]
pub struct EffectObject {
    /// `sampler_state`, `BlendState`, `texture` and so on.
    pub kind: Symbol,
    /// The name; of the states of a sampler, the sampler's.
    pub name: Ident,
    /// What it sets.
    pub states: Vec<EffectState>,
    /// What it compiles, of an object that is a shader.
    pub shaders: Vec<EffectShader>,
}

/// `BlendEnable[0] = TRUE;`, `SetBlendState(blending, 0, 0xFFFFFFFF);`
#[derive(Clone, Debug)]
pub struct EffectState {
    /// The type of an annotation.
    pub ty: Option<Symbol>,
    /// The name, with its index.
    pub name: Symbol,
    /// The value, as it is written.
    pub value: Symbol,
}

/// What a value of a subobject is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubobjectValue {
    /// A root signature.
    Signature,
    /// The name of an export or a subobject.
    Name,
    /// Names of exports or subobjects, or none.
    Names,
    /// A size or count.
    Number,
    /// Flags.
    Flags,
}

/// The values of each subobject (DirectX Raytracing functional specification, "Subobjects").
pub const SUBOBJECTS: &[(&str, &[SubobjectValue])] = &[
    ("GlobalRootSignature", &[SubobjectValue::Signature]),
    ("LocalRootSignature", &[SubobjectValue::Signature]),
    ("StateObjectConfig", &[SubobjectValue::Flags]),
    ("SubobjectToExportsAssociation", &[SubobjectValue::Name, SubobjectValue::Names]),
    ("RaytracingShaderConfig", &[SubobjectValue::Number; 2]),
    ("RaytracingPipelineConfig", &[SubobjectValue::Number]),
    ("RaytracingPipelineConfig1", &[SubobjectValue::Number, SubobjectValue::Flags]),
    ("TriangleHitGroup", &[SubobjectValue::Names; 2]),
    ("ProceduralPrimitiveHitGroup", &[SubobjectValue::Names, SubobjectValue::Names, SubobjectValue::Name]),
];

/// An enum.
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// The name; empty if anonymous.
    pub name: Ident,
    /// `enum class`: cases only by `E::A`.
    pub scoped: bool,
    /// The tag type.
    pub tag: Option<TypeExpr>,
    /// Cases: name, value, comments.
    pub cases: Vec<(Ident, Option<Expr>, Vec<Comment>)>,
}

/// A type alias.
#[derive(Clone, Debug)]
pub struct AliasDecl {
    /// The new name.
    pub name: Ident,
    /// Generic parameters.
    pub generics: Option<Generics>,
    /// What it stands for.
    pub target: TypeExpr,
}

/// A property or subscript.
#[derive(Clone, Debug)]
pub struct PropertyDecl {
    /// The name; `subscript` for a subscript.
    pub name: Ident,
    /// Generic parameters of a subscript.
    pub generics: Option<Generics>,
    /// Index parameters of a subscript.
    pub params: Vec<Decl>,
    /// The type.
    pub ty: TypeExpr,
    /// Accessors: `get`, `set`, `ref` with attributes, modifiers, the setter's parameter name (default `newValue`), body.
    pub accessors: Vec<Accessor>,
}

/// `get`, `set(x)`, `ref` of a property or subscript.
#[derive(Clone, Debug)]
pub struct Accessor {
    /// `get`, `set`, `ref`.
    pub name: Ident,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Name of the setter's value.
    pub param: Option<Ident>,
    /// The body.
    pub body: Option<Block>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What was written.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of type syntax.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `A::B<int, 4>::C`; `unsigned int` is one segment `uint`.
    Path(Vec<PathSegment>),
    /// `T[N]`, `T[]`; also of declarators: `float a[2][3]` is Array(Array(float, 3), 2).
    Array(Box<TypeExpr>, Option<Box<Expr>>),
    /// `T*`.
    Pointer(Box<TypeExpr>),
    /// With type modifiers: `const`, `row_major`, `unorm`, `snorm`, ... as written.
    Modified(Vec<Ident>, Box<TypeExpr>),
    /// `(A, B)`, `Tuple`-less tuples.
    Tuple(Vec<TypeExpr>),
    /// `T?`
    Optional(Box<TypeExpr>),
    /// `functype (A, B) -> C`: the parameters and the result.
    Function(Vec<TypeExpr>, Box<TypeExpr>),
    /// An inline struct definition used as a type: `struct { ... } x;`.
    Struct(Box<Decl>),
    /// `var`/`let`/`auto` without a type.
    Infer,
    /// `This`.
    This,
    /// A conjunction `I & J` in bounds.
    And(Vec<TypeExpr>),
    /// `some I` / `dyn I`.
    Some(Box<TypeExpr>),
    /// `expand X`: the types that `X` is for each element of the packs in it.
    Expand(Box<TypeExpr>),
    /// `each P`: the element of a pack that is expanded.
    Each(Box<TypeExpr>),
    /// `__first(P)` and its like, with the path behind it: `__first(P).Element`.
    PackQuery(Ident, Vec<TypeExpr>, Vec<PathSegment>),
    /// `__typeof`-like: `decltype(expr)`.
    TypeOf(Box<Expr>),
    /// A syntax error was reported here.
    Error,
}

/// One part of a path.
#[derive(Clone, Debug)]
pub struct PathSegment {
    /// The name.
    pub name: Ident,
    /// `<...>` arguments, if written.
    pub args: Option<Vec<GenericArg>>,
}

/// A generic argument: which of the two, only `check` can tell when it is a plain name, so a plain name comes as a type.
#[derive(Clone, Debug)]
pub enum GenericArg {
    /// A type, or a name that may turn out to be a constant.
    Type(TypeExpr),
    /// A constant expression.
    Value(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Integer literal: value and suffix in lower case (`u`, `l`, `ul`, `ll`, `ull`, `z`...), and the spelling.
    Int(u64, Symbol, Symbol),
    /// Float literal: value, suffix in lower case (`f`, `h`, `l`, `lf`), and the spelling.
    Float(f64, Symbol, Symbol),
    /// `true`/`false`.
    Bool(bool),
    /// A string, unescaped; adjacent strings joined.
    String(Symbol),
    /// `nullptr`, `none`, `NULL`.
    Null,
    /// `this`.
    This,
    /// A name: `a`, `A::b`, `f<int>`, `::g` (first segment empty).
    Path(Vec<PathSegment>),
    /// `(e)`.
    Paren(Box<Expr>),
    /// `a.b`, `a->b`, with `b<...>` args.
    Member(Box<Expr>, PathSegment),
    /// `a.Base::` before a member (HLSL): the object as one of its bases.
    Qualified(Box<Expr>, Vec<PathSegment>),
    /// `a[i]`, `a[i, j]`, `a[]`.
    Index(Box<Expr>, Vec<Expr>),
    /// `f(args)`, `T(args)`. Named arguments do not exist.
    Call(Box<Expr>, Vec<Expr>),
    /// `T(args)` where `T` can only be a type by syntax (`float4`, `vector<float,4>`, `float[2]`, `struct`).
    Construct(Box<TypeExpr>, Vec<Expr>),
    /// `(T)e`.
    Cast(Box<TypeExpr>, Box<Expr>),
    /// Prefix operator: `-`, `+`, `!`, `~`, `++`, `--`, `*`, `&`.
    Prefix(Symbol, Box<Expr>),
    /// Postfix `++`, `--`.
    Postfix(Symbol, Box<Expr>),
    /// Binary operator without assignment and comma: `+`, `<<`, `&&`, ...
    Binary(Symbol, Box<Expr>, Box<Expr>),
    /// Assignment: `=`, `+=`, ...
    Assign(Symbol, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `{ a, b, }`.
    InitList(Vec<Expr>),
    /// `sizeof(T)`, `alignof(T)`, `countof(x)`, `__getAddress`...: operator and operand.
    TypeQuery(Symbol, Box<TypeExpr>, Option<Box<TypeExpr>>),
    /// `e is T` / `e as T`.
    IsAs(Box<Expr>, bool, Box<TypeExpr>),
    /// `try e`.
    Try(Box<Expr>),
    /// `new T(args)` and other Slang forms that are parsed and rejected by name.
    Unsupported(Symbol),
    /// `(int x) => e`: a struct with an `operator()` whose result type is inferred.
    Lambda(Box<Decl>),
    /// `expand e`: the values that `e` has for each element of the packs in it.
    Expand(Box<Expr>),
    /// `each p`: the element of a pack that is expanded.
    Each(Box<Expr>),
    /// `(a, b)` of Slang 2026; elsewhere it is a [`ExprKind::Comma`].
    Tuple(Vec<Expr>),
    /// A syntax error was reported here.
    Error,
}

impl Expr {
    /// Whether it may be a constant by its form: of numbers, names, operators, `float3(...)` and `(float3)...`, without calls.
    pub fn is_plain(&self) -> bool {
        match &self.kind {
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) | ExprKind::Path(_) => true,
            ExprKind::Paren(inner) | ExprKind::Cast(_, inner) | ExprKind::Member(inner, _) => inner.is_plain(),
            ExprKind::Prefix(op, inner) => matches!(op.as_str(), "-" | "+" | "~" | "!") && inner.is_plain(),
            ExprKind::Binary(_, a, b) => a.is_plain() && b.is_plain(),
            ExprKind::Conditional(c, a, b) => c.is_plain() && a.is_plain() && b.is_plain(),
            ExprKind::Construct(_, parts) => parts.iter().all(Expr::is_plain),
            _ => false,
        }
    }
}

/// A braced block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Comments before the closing brace.
    pub trailing: Vec<Comment>,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
    /// Comments before it and a trailing one on its last line.
    pub comments: Vec<Comment>,
    /// `[unroll]`, `[branch]`, ...
    pub attributes: Vec<Attribute>,
    /// A blank line stands before it.
    pub blank_before: bool,
}

/// Kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Local declarations: variables (one per declarator), structs, aliases, functions, using.
    Decl(Vec<Decl>),
    /// An expression.
    Expr(Expr),
    /// `{ ... }`.
    Block(Block),
    /// `if (c) a else b`. `if (let x = e)` has the declaration first.
    If(Option<Box<Decl>>, Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `for (init; cond; step) body`.
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `do ... while`.
    DoWhile(Box<Stmt>, Expr),
    /// `switch (e) { ... }`: cases in order.
    Switch(Expr, Vec<SwitchCase>),
    /// `break;` or `break label;`
    Break(Option<Ident>),
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `discard;`
    Discard,
    /// `label: stmt`
    Label(Ident, Box<Stmt>),
    /// `defer stmt`
    Defer(Box<Stmt>),
    /// `throw e;`
    Throw(Expr),
    /// `do { ... } catch (error : E) { ... }`
    DoCatch(Box<Stmt>, Vec<CatchClause>),
    /// `__target_switch { case hlsl: ... default: ... }`: per case its names (empty: default) and body.
    TargetSwitch(Vec<(Vec<Ident>, Block)>),
    /// `__stage_switch { ... }`, like the target switch.
    StageSwitch,
    /// `__intrinsic_asm "template";` (standard library): the result of the function spelled for the target.
    IntrinsicAsm(Symbol),
    /// `static_assert(c, "message");`
    StaticAssert(Expr, Option<Symbol>),
    /// `[ForceUnroll] $for(i in Range(a, b)) body` and other forms that are parsed and rejected by name.
    Unsupported(Symbol),
    /// `;`
    Empty,
    /// A syntax error was reported here.
    Error,
}

/// What the braces of a block with labels of a `switch` do to the scope of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeChange {
    /// There is no brace before the part.
    None,
    /// `{`.
    Enters,
    /// `}`.
    Leaves,
}

/// `catch (error : E) { ... }`.
#[derive(Clone, Debug)]
pub struct CatchClause {
    /// The name of the error and its type; without them it takes all.
    pub error: Option<(Ident, TypeExpr)>,
    /// What is done.
    pub body: Block,
}

/// `case a: case b: stmts`; or what goes on from the case before, where a block begins or ends that has labels in it.
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// `None` is `default`.
    pub labels: Vec<Option<Expr>>,
    /// What happens to the scope before it.
    pub scope: ScopeChange,
    /// Comments before and beside the labels.
    pub comments: Vec<Comment>,
    /// A blank line stands before the labels.
    pub blank_before: bool,
    /// The statements up to the next label.
    pub body: Block,
}
