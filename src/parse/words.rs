//! The vocabulary: every punctuator and contextual keyword that the grammar asks for, as one small enum.
//!
//! No word is reserved: the grammar asks for a word only where a following token makes its meaning clear, so `point`,
//! `sample`, `module` or `property` stay usable as names. Type names are *hints* for `(T)-x` and `a<b>(c)`, nothing more.

use super::old_samplers;
use crate::lex::{Token, TokenKind};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::OnceLock;

macro_rules! words {
    ($($name:ident $text:literal)*) => {
        /// What a token is to the grammar.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum W {
            /// An identifier that no rule asks for by name.
            Name,
            Int, Float, Str, Char, Eof,
            /// Punctuation that no rule knows.
            Other,
            $($name),*
        }
        const WORDS: &[(&str, W)] = &[$(($text, W::$name)),*];
    };
}

words! {
    LParen "(" RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}" Comma "," Semi ";" Colon ":" Scope "::"
    Dot "." Arrow "->" Question "?" Lt "<" Gt ">" Assign "=" Eq "==" Ne "!=" Le "<=" Shl "<<" Plus "+" Minus "-"
    Star "*" Slash "/" Percent "%" And "&" Or "|" Caret "^" AndAnd "&&" OrOr "||" Bang "!" Tilde "~" Inc "++" Dec "--"
    AddAssign "+=" SubAssign "-=" MulAssign "*=" DivAssign "/=" ModAssign "%=" AndAssign "&=" OrAssign "|="
    XorAssign "^=" ShlAssign "<<=" FatArrow "=>" Dollar "$" Ellipsis "..."

    Struct "struct" Class "class" Interface "interface" Extension "extension" ExtensionOld "__extension" Enum "enum" CBuffer "cbuffer"
    TBuffer "tbuffer" Typedef "typedef" TypeAlias "typealias" Using "using" Namespace "namespace" Module "module"
    Import "import" ImportOld "__import" Include "__include" Implementing "implementing" AssociatedType "associatedtype"
    Property "property" Subscript "__subscript" Init "__init" Func "func" FuncOld "__func" Let "let" Var "var"
    Auto "auto" Template "template" Generic "__generic" Operator "operator" Where "where" Constraint "__constraint" Optional "optional"
    Throws "throws" Layout "layout" Register "register" PackOffset "packoffset" Read "read" Write "write"
    PackFirst "__first" PackLast "__last" TrimFirst "__trimFirst" TrimLast "__trimLast" PackBranch "__packBranch"
    Typename "typename" Each "each" Expand "expand" SomeType "some" Dyn "dyn" FuncType "functype" Decltype "decltype"
    TypeOf "__typeof" ThisType "This" Unsigned "unsigned" Signed "signed" Long "long" Short "short" IntWord "int"
    CharWord "char" Const "const" Technique "technique" TechniqueFirst "Technique" Technique10 "technique10" Technique11 "technique11"
    FxGroup "fxgroup" StaticAssert "static_assert" StaticAssertC "_Static_assert" AttributeSyntax "attribute_syntax"
    TypeParam "type_param" TypeParamOld "__type_param" Compile "compile" SamplerState "sampler_state" Get "get"
    Set "set" Ref "ref"

    If "if" Else "else" For "for" While "while" Do "do" Switch "switch" Case "case" Default "default" Break "break"
    Continue "continue" Return "return" Discard "discard" Defer "defer" Throw "throw" Try "try" Catch "catch"
    TargetSwitch "__target_switch" StageSwitch "__stage_switch" IntrinsicAsm "__intrinsic_asm" RequirePrelude "__requirePrelude" SpirvAsm "spirv_asm"
    GpuForeach "__gpu_foreach" Goto "goto"

    True "true" False "false" Null "NULL" Nullptr "nullptr" NoneWord "none" This "this" Is "is" As "as" In "in"
    SizeOf "sizeof" AlignOf "alignof" CountOf "countof" StrideOf "__strideof" New "new" NoDiff "no_diff" FwdDiff "fwd_diff"
    BwdDiff "bwd_diff" FwdDiffOld "__fwd_diff" BwdDiffOld "__bwd_diff"
}

impl W {
    /// Whether only a place or a value stands before it.
    pub(super) fn follows_operand(self) -> bool {
        use W::*;
        matches!(self, Assign | AddAssign | SubAssign | MulAssign | DivAssign | ModAssign | Inc | Dec | Dot)
            || matches!(self, AndAssign | OrAssign | XorAssign | ShlAssign | Lt | Gt | Le | Eq | Ne)
    }
}

/// A modifier wherever a declaration or parameter may begin.
const HARD_MODIFIERS: &str = "\
    static const extern uniform groupshared shared volatile precise row_major column_major nointerpolation \
    linear centroid noperspective in out inout inline unorm snorm globallycoherent reordercoherent public \
    private internal export __exported override virtual abstract no_diff constexpr __constref __ref __global \
    borrow pervertex flat smooth coherent readonly writeonly restrict highp mediump lowp dynamic_uniform \
    __extern_cpp __prefix __postfix __builtin __pack_row_major __pack_column_major";

/// A modifier only if a whole declaration follows: these are names as well.
const SOFT_MODIFIERS: &str = "\
    sample point line triangle lineadj triangleadj vertices primitives indices payload dynamic open sealed \
    center param buffer attribute varying patch hitAttributeEXT";

/// Keywords that can neither begin a type nor name anything.
const RESERVED: &str = "\
    if else for while do switch case default break continue return discard struct class enum typedef \
    true false this operator const static __target_switch __stage_switch __intrinsic_asm sizeof goto";

const SCALARS: &str = "\
    bool int uint float half double dword int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t \
    float16_t float32_t float64_t min16float min10float min16int min12int min16uint";

/// Further type names of the standard library; a shape suffix (`Texture` + `2DArray`) is spelled out.
const OBJECTS: &str = "\
    void string vector matrix intptr_t uintptr_t Texture1D Texture1DArray Texture2D Texture2DArray Texture2DMS \
    Texture2DMSArray Texture3D TextureCube TextureCubeArray RWTexture1D RWTexture1DArray RWTexture2D \
    RWTexture2DArray RWTexture2DMS RWTexture3D Sampler1D Sampler2D Sampler2DArray Sampler2DMS Sampler3D \
    SamplerCube SamplerCubeArray SamplerState SamplerComparisonState Buffer RWBuffer StructuredBuffer \
    RWStructuredBuffer ByteAddressBuffer RWByteAddressBuffer AppendStructuredBuffer ConsumeStructuredBuffer \
    ConstantBuffer TextureBuffer ParameterBlock RaytracingAccelerationStructure RayDesc RayQuery InputPatch \
    OutputPatch PointStream LineStream TriangleStream Ptr Optional Tuple SubpassInput";

/// A keyword, its classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub w: W,
    class: u8,
}

const HARD: u8 = 1;
const SOFT: u8 = 2;
const BUILTIN: u8 = 4;
const KEYWORD: u8 = 8;
const UNDERSCORES: u8 = 16;
const OLD: u8 = 32;
const OLD_PROFILE: u8 = 64;
const SIXTEEN_BITS: u8 = 128;

impl Word {
    pub(super) const EOF: Word = Word { w: W::Eof, class: 0 };

    pub(super) fn is_hard_modifier(self) -> bool {
        self.class & HARD != 0
    }
    /// Asks for a part of a pack.
    pub(super) fn is_pack_query(self) -> bool {
        matches!(self.w, W::PackFirst | W::PackLast | W::TrimFirst | W::TrimLast | W::PackBranch)
    }
    pub(super) fn is_soft_modifier(self) -> bool {
        self.class & SOFT != 0
    }
    /// Names a type of the standard library.
    pub(super) fn is_builtin_type(self) -> bool {
        self.class & BUILTIN != 0
    }
    /// Can never be a name.
    pub(super) fn is_reserved(self) -> bool {
        self.class & KEYWORD != 0
    }
    /// A word of samplers and textures as they were before shader model 4.
    pub(super) fn is_old(self) -> bool {
        self.class & OLD != 0
    }
    /// The profile of a shader model before 4.
    pub(super) fn is_old_profile(self) -> bool {
        self.class & OLD_PROFILE != 0
    }
    /// The name of a type of exactly 16 bits, such as `int16_t` or `float16_t4x4`.
    pub(super) fn is_16_bit(self) -> bool {
        self.class & SIXTEEN_BITS != 0
    }
    /// Begins with `__` and is no word of the grammar: a modifier where one may stand.
    pub(super) fn is_foreign(self) -> bool {
        self.class & UNDERSCORES != 0 && self.w == W::Name
    }
}

/// The words that stand in the lists above.
fn table() -> &'static FxHashMap<&'static str, Word> {
    static TABLE: OnceLock<FxHashMap<&'static str, Word>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut map: FxHashMap<&'static str, Word> = FxHashMap::default();
        map.reserve(512);
        let classes = [
            (HARD_MODIFIERS, HARD),
            (SOFT_MODIFIERS, SOFT),
            (RESERVED, KEYWORD),
            (OBJECTS, BUILTIN),
            (SCALARS, BUILTIN),
        ];
        for (list, class) in classes {
            for text in list.split_ascii_whitespace() {
                map.entry(text).or_insert(Word { w: W::Name, class: 0 }).class |= class;
            }
        }
        for (text, w) in WORDS {
            map.entry(text).or_insert(Word { w: *w, class: 0 }).w = *w;
        }
        map
    })
}

/// The scalar that a name such as `float3` or `float3x4` begins with.
fn component(text: &str) -> Option<&str> {
    let dimension = |text: &str| text.ends_with(['1', '2', '3', '4']);
    let rest = text.get(..text.len().checked_sub(1)?).filter(|_| dimension(text))?;
    match rest.strip_suffix('x') {
        Some(rows) if dimension(rows) => rows.get(..rows.len() - 1),
        _ => Some(rest),
    }
}

/// The word of an identifier.
fn identifier(text: &str) -> Word {
    const OF_16_BITS: [&str; 3] = ["int16_t", "uint16_t", "float16_t"];
    let flags = [
        (OLD, old_samplers::is_old_word(text)),
        (OLD_PROFILE, old_samplers::is_old_profile(text)),
        (SIXTEEN_BITS, OF_16_BITS.iter().any(|name| text.starts_with(name))),
    ];
    let more = flags.iter().filter(|(_, has)| *has).fold(0, |all, (flag, _)| all | flag);
    if let Some(word) = table().get(text) {
        return Word { class: word.class | more, ..*word };
    }
    let is_scalar = |name: &str| SCALARS.split_ascii_whitespace().any(|s| s == name);
    let shape = component(text).is_some_and(is_scalar);
    let class = if shape { BUILTIN } else { 0 } | if text.starts_with("__") { UNDERSCORES } else { 0 };
    Word { w: W::Name, class: class | more }
}

/// The words of a token list, one each.
pub(super) fn classify(tokens: &[Token]) -> Vec<Word> {
    KNOWN.with_borrow_mut(|known| words_of(tokens, known))
}

thread_local! {
    /// What spellings are: each is looked at once, as files of a build have most of them in common.
    static KNOWN: RefCell<FxHashMap<Symbol, Word>> = RefCell::default();
}

fn words_of(tokens: &[Token], known: &mut FxHashMap<Symbol, Word>) -> Vec<Word> {
    let word = |token: &Token| match token.kind {
        TokenKind::Ident => *known.entry(token.text).or_insert_with(|| identifier(token.text.as_str())),
        TokenKind::Punct => *known
            .entry(token.text)
            .or_insert_with(|| table().get(token.text.as_str()).copied().unwrap_or(Word { w: W::Other, class: 0 })),
        TokenKind::Int => Word { w: W::Int, class: 0 },
        TokenKind::Float => Word { w: W::Float, class: 0 },
        TokenKind::String => Word { w: W::Str, class: 0 },
        TokenKind::Char => Word { w: W::Char, class: 0 },
        TokenKind::Newline | TokenKind::Other => Word { w: W::Other, class: 0 },
        TokenKind::Eof => Word::EOF,
    };
    tokens.iter().map(word).collect()
}
