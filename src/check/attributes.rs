//! Attributes, `register(...)`, `packoffset(...)` and `layout(...)`: from syntax to facts of the tree.
//!
//! Known attributes are checked against a table; foreign ones are kept as far as their arguments have values, because
//! real trees carry attributes of many tools. Everything wrong is reported where it stands.

mod known;

pub use known::{is_known, unknown};

use super::constant::Value;
use super::root_signature;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Attribute, AttributeArg, Explicit, ExplicitRegister, Hints, Modifiers, Semantic};

/// Gives the value of an expression if it is a constant, and reports nothing if it is not.
pub type Eval<'a, 'e> = &'e mut dyn FnMut(&'a ast::Expr) -> Option<Value>;

/// What an argument of a known attribute may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// A constant integer of at least this.
    Int(i64),
    /// A constant integer; another number is ignored, as DXC has it.
    Rounds,
    /// A constant number.
    Number,
    /// A string, or a bare word that means the same.
    Word,
    /// A string.
    Text,
    /// The text of a root signature.
    Signature,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// What a patch is: one of [`DOMAINS`]. `triangle` is another name of `tri`, as slangc has it.
    Domain,
    /// The name of an image format.
    Format,
    /// A bare name, never looked up.
    Name,
}

/// Who may write an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Writer {
    Anyone,
    /// The standard library and passes: the attribute steers a pass or a printer.
    Library,
}

use Takes::{Domain, Format, Int, Name, Number, OneOf, Rounds, Signature, Text, Word};
use Writer::{Anyone, Library};

const DOMAINS: &[&str] = &["tri", "quad", "isoline"];
const PARTITIONINGS: &[&str] = &["integer", "fractional_even", "fractional_odd", "pow2"];
const TOPOLOGIES: &[&str] = &["point", "line", "triangle", "triangle_cw", "triangle_ccw"];

/// (name in lower case, who may write it, arguments, how many of them must be there). The last kind may repeat in
/// [`VARIADIC`].
const RULES: &[(&str, Writer, &[Takes], usize)] = &[
    ("numthreads", Anyone, &[Int(1); 3], 1),
    ("wavesize", Anyone, &[Int(0); 3], 1),
    ("maxvertexcount", Anyone, &[Int(1)], 1),
    ("instance", Anyone, &[Int(1)], 1),
    ("domain", Anyone, &[Domain], 1),
    ("partitioning", Anyone, &[OneOf(PARTITIONINGS)], 1),
    ("outputtopology", Anyone, &[OneOf(TOPOLOGIES)], 1),
    ("outputcontrolpoints", Anyone, &[Int(0)], 1),
    ("patchconstantfunc", Anyone, &[Word], 1),
    ("maxtessfactor", Anyone, &[Number], 1),
    ("shader", Anyone, &[Word], 1),
    ("rootsignature", Anyone, &[Signature], 1),
    ("unroll", Anyone, &[Rounds], 0),
    ("earlydepthstencil", Anyone, &[], 0),
    ("vk::binding", Anyone, &[Int(0); 2], 1),
    ("vk::location", Anyone, &[Int(0)], 1),
    ("vk::builtin", Anyone, &[Word], 1),
    ("vk::index", Anyone, &[Int(0)], 1),
    ("vk::constant_id", Anyone, &[Int(0)], 1),
    ("vk::specialization_constant", Anyone, &[], 0),
    ("vk::offset", Anyone, &[Int(0)], 1),
    ("vk::counter_binding", Anyone, &[Int(0)], 1),
    ("vk::input_attachment_index", Anyone, &[Int(0)], 1),
    ("vk::image_format", Anyone, &[Format], 1),
    ("vk::push_constant", Anyone, &[], 0),
    ("push_constant", Anyone, &[], 0),
    ("format", Anyone, &[Format], 1),
    ("specializationconstant", Anyone, &[], 0),
    ("__align", Library, &[Int(1)], 1),
    ("__appends", Library, &[], 0),
    ("__bias", Library, &[], 0),
    ("__counts", Library, &[], 0),
    ("__as_structured", Library, &[], 0),
    ("__asks_status", Library, &[], 0),
    ("__at_vertex", Library, &[], 0),
    ("__atomic_texels", Library, &[], 0),
    ("__by_constant", Library, &[Int(0), Word], 2),
    ("__by_gradients", Library, &[Word], 1),
    ("__by_words", Library, &[Int(0), Name, Name, Name, Name, Name], 6),
    ("__clusters", Library, &[], 0),
    ("__combined_part", Library, &[Int(0)], 1),
    ("__component", Library, &[Int(0)], 1),
    ("__computes", Library, &[Word], 1),
    ("__data", Library, &[], 0),
    ("__defined", Library, &[Word], 1),
    ("__depth_level", Library, &[Int(0)], 1),
    ("__not_of_depth", Library, &[], 0),
    ("__consumes", Library, &[], 0),
    ("__depth_texture", Library, &[], 0),
    ("__derivative", Library, &[], 0),
    ("__dynamic_object", Library, &[], 0),
    ("__effects", Library, &[], 0),
    ("__element", Library, &[], 0),
    ("__emits", Library, &[Word; 2], 2),
    ("__filters", Library, &[], 0),
    ("__folds", Library, &[Name], 1),
    ("__gives_status", Library, &[], 0),
    ("__glsl_extension", Library, &[Word], 1),
    ("__typed_extension", Library, &[Word], 1),
    ("__typed_literals", Library, &[], 0),
    ("__glsl_version", Library, &[Int(0)], 1),
    ("__group_barrier", Library, &[], 0),
    ("__uniform_load", Library, &[], 0),
    ("__element_stride", Library, &[], 0),
    ("__group_size", Library, &[], 0),
    ("__hidden_counter", Library, &[], 0),
    ("__hlsl_profile", Library, &[Int(0); 2], 2),
    ("__image_variant", Library, &[Word], 1),
    ("__in_constants", Library, &[Name], 1),
    ("__index_marker", Library, &[], 0),
    ("__interlocks", Library, &[Word], 1),
    ("__interpolates", Library, &[], 0),
    ("__is_field", Library, &[], 0),
    ("__known_as", Library, &[Word], 1),
    ("__layout", Library, &[Word], 1),
    ("__non_uniform", Library, &[], 0),
    ("__one_offset", Library, &[Word], 1),
    ("__once", Library, &[], 0),
    ("__outside", Library, &[Name], 1),
    ("__passes", Library, &[], 0),
    ("__reads_texels", Library, &[], 0),
    ("__requires", Library, &[Name], 1),
    ("__size", Library, &[Int(1)], 1),
    ("__storage", Library, &[Word], 1),
    ("__shifts", Library, &[Int(0)], 0),
    ("__shifts_texels", Library, &[Text], 1),
    ("__stages", Library, &[Name], 1),
    ("__system_value", Library, &[Word; 2], 2),
    ("__text_hash", Library, &[], 0),
    ("__present", Library, &[Name], 1),
    ("__unnamed_fields", Library, &[], 0),
    ("__widens", Library, &[], 0),
    ("__widens_interface", Library, &[], 0),
    ("__wgsl_enable", Library, &[Word], 1),
    ("__where_named", Library, &[Word], 1),
    ("__wide_words", Library, &[], 0),
    ("__words", Library, &[], 0),
];

/// Attributes whose last argument may be repeated.
const VARIADIC: &[&str] = &["__stages", "__requires", "__outside"];

/// Whether an attribute has a name; they are compared without regard to case, as in HLSL.
pub fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.name.as_str().eq_ignore_ascii_case(name)
}

/// The attribute of a name.
pub fn find<'t>(attributes: &'t [Attribute], name: &str) -> Option<&'t Attribute> {
    attributes.iter().find(|a| is(a, name))
}

/// Resolves the attributes of a declaration or statement. A faulty one stays, without arguments, so that nobody misses it.
pub fn resolve<'a>(
    attributes: &'a [ast::Attribute],
    eval: Eval<'a, '_>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Attribute> {
    let one = |attribute: &'a ast::Attribute| {
        let name = attribute.name.name.as_str();
        let args = match rule(name) {
            Some((_, Library, ..)) if !of_library(attribute.name.span) => {
                errors.push(reserved(attribute));
                Vec::new()
            }
            Some((n, _, takes, needed)) => {
                let last = if VARIADIC.contains(n) { usize::MAX } else { takes.len() };
                if attribute.args.len() < *needed || attribute.args.len() > last {
                    errors.push(wrong_count(attribute, *needed, last));
                    let (name, span) = (attribute.name.name, attribute.name.span);
                    return Attribute { name, args: Vec::new(), declared: false, span };
                }
                let kinds = takes.iter().chain(takes.last().into_iter().cycle());
                let args = attribute.args.iter().zip(kinds).map(|(arg, takes)| known_arg(arg, *takes, eval));
                args.collect::<Result<Vec<_>, _>>().unwrap_or_else(|(span, reason)| {
                    let message = format!("`[{name}]`: {reason}");
                    errors.push(match takes.first() {
                        Some(Rounds) if attribute.args.first().is_some_and(|arg| is_number(arg, eval)) => {
                            Diagnostic::warning(Code::BAD_ATTRIBUTE, span, format!("{message}; it is ignored"))
                        }
                        _ => Diagnostic::error(Code::BAD_ATTRIBUTE, span, message),
                    });
                    Vec::new()
                })
            }
            None => {
                if of_library(attribute.name.span) && name.starts_with("__") {
                    let message = format!("`[{name}]` is missing in the table of attributes");
                    errors.push(Diagnostic::error(Code::INTERNAL, attribute.name.span, message));
                }
                attribute.args.iter().filter_map(|arg| foreign_arg(arg, eval)).collect()
            }
        };
        Attribute { name: attribute.name.name, args, declared: false, span: attribute.name.span }
    };
    attributes.iter().map(one).collect()
}

/// Whether an argument is a number that is known.
fn is_number<'a>(arg: &'a ast::Expr, eval: Eval<'a, '_>) -> bool {
    eval(arg).is_some_and(|value| matches!(value, Value::Float(..)) || value.int().is_some())
}

fn rule(name: &str) -> Option<&'static (&'static str, Writer, &'static [Takes], usize)> {
    RULES.iter().find(|(n, ..)| n.eq_ignore_ascii_case(name))
}

/// Whether a span is in the standard library; passes write attributes without going through [`resolve`].
fn of_library(span: Span) -> bool {
    span.file.is_library()
}

/// Whether later layers may see an attribute: names that begin with `__` steer passes and printers, so none comes from a user.
pub fn is_kept(attribute: &Attribute) -> bool {
    of_library(attribute.span) || !attribute.name.as_str().starts_with("__")
}

/// The error of a library attribute in a user's file.
fn reserved(attribute: &ast::Attribute) -> Diagnostic {
    let name = attribute.name.name;
    let message = format!("`[{name}]` is reserved for the standard library");
    Diagnostic::error(Code::LIBRARY_ATTRIBUTE, attribute.name.span, message)
}

/// The error of a wrong number of arguments.
fn wrong_count(attribute: &ast::Attribute, needed: usize, last: usize) -> Diagnostic {
    let count = match (needed, last) {
        (0, 0) => "no arguments".to_owned(),
        (n, m) if n == m => format!("{n} argument{}", if n == 1 { "" } else { "s" }),
        (n, usize::MAX) => format!("at least {n} argument{}", if n == 1 { "" } else { "s" }),
        (n, m) => format!("{n} to {m} arguments"),
    };
    let message = format!("`[{}]` takes {count}, not {}", attribute.name.name, attribute.args.len());
    Diagnostic::error(Code::BAD_ATTRIBUTE, attribute.name.span, message)
}

/// An argument of a known attribute.
fn known_arg<'a>(arg: &'a ast::Expr, takes: Takes, eval: Eval<'a, '_>) -> Result<AttributeArg, (Span, String)> {
    match takes {
        Takes::Text => match &arg.kind {
            ast::ExprKind::String(text) => Ok(AttributeArg::Text(*text)),
            _ => Err((arg.span, "the argument must be a string".into())),
        },
        Takes::Signature => match &arg.kind {
            ast::ExprKind::String(text) => match root_signature::fault(text.as_str()) {
                Some(fault) => Err((arg.span, format!("this is no root signature: {fault}"))),
                None => Ok(AttributeArg::Text(*text)),
            },
            _ => Err((arg.span, "the argument must be a string".into())),
        },
        Takes::Word | Takes::Name => match (&arg.kind, bare_name(arg)) {
            (ast::ExprKind::String(text), _) => Ok(AttributeArg::Text(*text)),
            (_, Some(name)) if takes == Takes::Word => Ok(AttributeArg::Text(name)),
            (_, Some(name)) => Ok(AttributeArg::Name(name)),
            _ => Err((arg.span, "the argument must be a word".into())),
        },
        Takes::Domain if word_of(arg).is_some_and(|word| word == *"triangle") => {
            Ok(AttributeArg::Text(Symbol::new("tri")))
        }
        Takes::Domain => known_arg(arg, OneOf(DOMAINS), eval),
        Takes::OneOf(words) => {
            // Whatever its case, it is spelled as targets know it.
            let found = word_of(arg).and_then(|word| words.iter().find(|w| word.as_str().eq_ignore_ascii_case(w)));
            let wrong = || (arg.span, format!("the argument must be one of {}", words.join(", ")));
            found.map(|word| AttributeArg::Text(Symbol::new(word))).ok_or_else(wrong)
        }
        Takes::Format => {
            let found = word_of(arg).map(|word| Symbol::new(format_of(word.as_str())));
            let found = found.filter(|word| *word == *"unknown" || is_image_format(word.as_str()));
            let wrong = || (arg.span, "the argument must be an image format such as `rgba16f`".to_owned());
            found.map(AttributeArg::Text).ok_or_else(wrong)
        }
        Takes::Rounds => known_arg(arg, Int(0), eval),
        Takes::Int(least) => match eval(arg) {
            Some(value) => match value.int() {
                Some(n) if n >= least => Ok(AttributeArg::Int(n)),
                Some(n) => Err((arg.span, format!("{n} is too small; it must be at least {least}"))),
                None => Err((arg.span, "the argument must be an integer".into())),
            },
            None => Err((arg.span, "the argument must be a constant integer".into())),
        },
        Takes::Number => match eval(arg) {
            Some(Value::Float(v, _)) if v.is_finite() => Ok(AttributeArg::Float(v)),
            Some(value) if value.int().is_some() => Ok(AttributeArg::Int(value.int().unwrap_or(0))),
            _ => Err((arg.span, "the argument must be a constant number".into())),
        },
    }
}

/// A string, or a bare word that means the same.
fn word_of(arg: &ast::Expr) -> Option<Symbol> {
    match &arg.kind {
        ast::ExprKind::String(text) => Some(*text),
        _ => bare_name(arg),
    }
}

/// An argument of an attribute that we do not know, if it has a value.
fn foreign_arg<'a>(arg: &'a ast::Expr, eval: Eval<'a, '_>) -> Option<AttributeArg> {
    if let ast::ExprKind::String(text) = &arg.kind {
        return Some(AttributeArg::Text(*text));
    }
    match eval(arg) {
        Some(Value::Float(v, _)) => Some(AttributeArg::Float(v)),
        Some(Value::Text(text)) => Some(AttributeArg::Text(text)),
        Some(value) => value.int().map(AttributeArg::Int),
        None => bare_name(arg).map(AttributeArg::Name),
    }
}

/// The name, if an expression is only one.
fn bare_name(arg: &ast::Expr) -> Option<Symbol> {
    match &arg.kind {
        ast::ExprKind::Path(path) => match path.as_slice() {
            [only] if only.args.is_none() => Some(only.name.name),
            _ => None,
        },
        _ => None,
    }
}

/// The hints that attributes of a statement give.
pub fn hints(attributes: &[Attribute]) -> Hints {
    let has = |name| find(attributes, name).is_some();
    let count = |a: &Attribute| match a.args.first() {
        Some(AttributeArg::Int(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    // HLSL has no other hints beside `unroll`, and no two ways for a choice.
    let unroll = find(attributes, "unroll").or_else(|| find(attributes, "ForceUnroll")).map(count);
    Hints {
        unroll,
        loop_: has("loop") && unroll.is_none(),
        branch: has("branch"),
        flatten: has("flatten") && !has("branch"),
        fastopt: has("fastopt") && unroll.is_none(),
        allow_uav_condition: has("allow_uav_condition"),
        forcecase: has("forcecase"),
        call: has("call"),
    }
}

/// The modifiers that attributes stand for.
pub fn modifiers(attributes: &[Attribute]) -> Modifiers {
    const TABLE: &[(&str, Modifiers)] = &[
        ("vk::push_constant", Modifiers::PUSH_CONSTANT),
        ("push_constant", Modifiers::PUSH_CONSTANT),
        ("vk::shader_record", Modifiers::SHADER_RECORD),
        ("shader_record", Modifiers::SHADER_RECORD),
        ("vk::shader_record_ext", Modifiers::SHADER_RECORD),
        ("vk::shader_record_nv", Modifiers::SHADER_RECORD),
    ];
    let mut modifiers = Modifiers::default();
    for (name, modifier) in TABLE {
        if find(attributes, name).is_some() {
            modifiers.set(*modifier);
        }
    }
    modifiers
}

/// The three numbers of `[numthreads]`.
pub fn workgroup_size(attributes: &[Attribute]) -> Option<[u32; 3]> {
    let mut size = [1; 3];
    for (to, from) in size.iter_mut().zip(&find(attributes, "numthreads")?.args) {
        if let AttributeArg::Int(n) = from {
            *to = u32::try_from(*n).unwrap_or(u32::MAX);
        }
    }
    Some(size)
}

/// The semantic of a declaration.
pub fn semantic(semantics: &[ast::Semantic]) -> Option<Semantic> {
    semantics.iter().find_map(|s| match s {
        ast::Semantic::Name(ident) => Some(Semantic { text: ident.name, span: ident.span }),
        _ => None,
    })
}

/// The explicit positions of a declaration, from its semantics, resolved attributes and `layout(...)`. As DXC has it, a
/// register without a number is the first.
pub fn explicit<'a>(
    semantics: &[ast::Semantic],
    attributes: &[Attribute],
    layout: &'a [(ast::Ident, Option<ast::Expr>)],
    eval: Eval<'a, '_>,
    as_dxc: bool,
    errors: &mut Vec<Diagnostic>,
) -> Explicit {
    let mut explicit = Explicit::default();
    for semantic in semantics {
        let placed = match semantic {
            ast::Semantic::Name(name) => index_fault(*name).map_or(Ok(()), |fault| Err((name.span, fault))),
            ast::Semantic::Register(words, span) => register(words, *span).map(|placed| {
                errors.extend(words.iter().find_map(|word| without_number(*word, as_dxc)));
                let profile = words.first().is_some_and(|w| is_profile(w.name.as_str()));
                let same = |r: &&ExplicitRegister| {
                    !profile && (r.class == placed.class || r.class.is_none() || placed.class.is_none())
                };
                // Saying the same again does no harm.
                if !explicit.registers.iter().any(|r| r.is_same(&placed)) {
                    errors.extend(explicit.registers.iter().find(same).map(|r| said_twice("register", r.span, *span)));
                    explicit.registers.push(placed);
                }
            }),
            ast::Semantic::PackOffset(words, span) => packoffset(words, *span).map(|bytes| {
                errors.extend(explicit.packoffset.map(|(_, first)| said_twice("packoffset", first, *span)));
                explicit.packoffset = Some((bytes, *span));
            }),
        };
        if let Err((span, reason)) = placed {
            errors.push(Diagnostic::error(Code::BAD_REGISTER, span, reason));
        }
    }
    for attribute in attributes {
        if let (true, Some((.., first))) = (attribute.name == *"vk::binding", explicit.vk_binding) {
            errors.push(said_twice("vk::binding", first, attribute.span));
        }
        if let Err(reason) = from_attribute(&mut explicit, attribute) {
            errors.push(Diagnostic::error(Code::BAD_REGISTER, attribute.span, reason));
        }
    }
    from_layout(&mut explicit, layout, eval, errors);
    explicit
}

/// Two positions of one kind: neither is better than the other.
fn said_twice(what: &str, first: Span, second: Span) -> Diagnostic {
    let message = format!("there are two of `{what}` here");
    Diagnostic::error(Code::BAD_REGISTER, second, message).label(first, "the other one")
}

/// What is wrong with the index at the end of a semantic, if anything.
fn index_fault(name: ast::Ident) -> Option<String> {
    let text = name.name.as_str();
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(word.len()..).unwrap_or("");
    match digits.parse::<u16>() {
        Err(_) if !digits.is_empty() => Some(format!("the index of `{text}` is too large")),
        Ok(n) if n >= RENDER_TARGETS && word.eq_ignore_ascii_case("SV_Target") => {
            Some(format!("`{text}` is beyond the {RENDER_TARGETS} render targets, which are counted from 0"))
        }
        _ => None,
    }
}

/// Outputs that a fragment may have.
const RENDER_TARGETS: u16 = 8;

/// Classes of register and what they hold.
pub(super) const CLASSES: &[(char, &str)] = &[
    ('b', "constant buffers"),
    ('t', "textures and read-only buffers"),
    ('u', "read-write textures and buffers"),
    ('s', "samplers"),
    ('c', "constants"),
    ('i', "integer constants"),
];

/// Profile words that Direct3D 9 registers may begin with: `register(vs, c0)`, `register(ps_5_0, t1)`.
const PROFILES: &[&str] = &["vs", "ps", "gs", "hs", "ds", "cs", "lib"];

type Positioned<T> = Result<T, (Span, String)>;

/// `register(t0, space1)`; in `register(t)`, the number is 0.
fn register(words: &[ast::Ident], span: Span) -> Positioned<ExplicitRegister> {
    let mut result = ExplicitRegister { class: None, index: 0, space: None, span };
    let profile = words.first().is_some_and(|w| is_profile(w.name.as_str()));
    for word in words.iter().skip(usize::from(profile)) {
        let text = word.name.as_str();
        if let Some(digits) = text.strip_prefix("space") {
            if result.space.is_some() {
                return Err((word.span, "`register` names two spaces".into()));
            }
            let wrong = || (word.span, format!("`{text}` is not a register space; write `space0`, `space1`, ..."));
            result.space = Some(number(digits).ok_or_else(wrong)?);
            continue;
        }
        if result.class.is_some() {
            return Err((word.span, format!("`register` takes one register and one space; `{text}` is too much")));
        }
        if result.space.is_some() {
            return Err((word.span, "the register stands before the space: `register(t0, space1)`".into()));
        }
        let (class, index) = match letter(text) {
            Some(letter) => (letter, 0),
            None => class_and_index(text).map_err(|reason| (word.span, reason))?,
        };
        if class == 'c' && index >= MAX_ROWS {
            return Err((word.span, beyond(text)));
        }
        (result.class, result.index) = (Some(class), index);
    }
    match (result.class, result.space) {
        (None, None) => Err((span, "`register` needs a register such as `t0` or a space such as `space1`".into())),
        _ => Ok(result),
    }
}

/// `vs`, `ps_5_0`.
fn is_profile(word: &str) -> bool {
    let (name, version) = word.split_once('_').unwrap_or((word, ""));
    PROFILES.contains(&name) && version.chars().all(|c| c.is_ascii_digit() || c == '_')
}

/// `t`, without a number.
fn letter(text: &str) -> Option<char> {
    let mut chars = text.chars().map(|c| c.to_ascii_lowercase());
    let letter = chars.next().filter(|letter| CLASSES.iter().any(|(c, _)| c == letter));
    letter.filter(|_| chars.next().is_none())
}

/// What is said of a register without a number, such as `t`.
fn without_number(word: ast::Ident, as_dxc: bool) -> Option<Diagnostic> {
    let letter = letter(word.name.as_str())?;
    let message = format!("`{letter}` needs a number, such as `{letter}0`");
    Some(match as_dxc {
        true => Diagnostic::warning(Code::BAD_REGISTER, word.span, format!("{message}; the number 0 is assumed")),
        false => Diagnostic::error(Code::BAD_REGISTER, word.span, message),
    })
}

/// `t12`.
fn class_and_index(text: &str) -> Result<(char, u32), String> {
    let mut chars = text.chars();
    let letter = chars.next().unwrap_or_default().to_ascii_lowercase();
    if !CLASSES.iter().any(|(c, _)| *c == letter) {
        let list: Vec<String> = CLASSES.iter().map(|(c, what)| format!("`{c}` for {what}")).collect();
        return Err(format!("`{text}` is not a register; there are {}", list.join(", ")));
    }
    let digits = chars.as_str();
    match number(digits) {
        Some(index) => Ok((letter, index)),
        None if digits.chars().all(|c| c.is_ascii_digit()) => Err(format!("the number of `{text}` is too large")),
        None => Err(format!("`{text}` is not a register; a letter and a number are needed, such as `{letter}0`")),
    }
}

/// A decimal number without a sign.
fn number(digits: &str) -> Option<u32> {
    digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Rows of the largest constant buffer.
pub(super) const MAX_ROWS: u32 = 4096;

fn beyond(row: &str) -> String {
    format!("`{row}` is beyond the {MAX_ROWS} rows of a constant buffer")
}

/// `packoffset(c1.y)` in bytes.
fn packoffset(words: &[ast::Ident], span: Span) -> Positioned<u32> {
    let Some(first) = words.first() else { return Err((span, "`packoffset` needs a position such as `c0.x`".into())) };
    let text = first.name.as_str();
    let row = text.strip_prefix(['c', 'C']).and_then(|d| if d.is_empty() { None } else { number(d) });
    let Some(row) = row else {
        let digits = text.get(1..).unwrap_or("");
        let large = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        let fault = if large { beyond(text) } else { format!("`{text}` is not a constant; write `c0`, `c1.y`, ...") };
        return Err((first.span, fault));
    };
    if row >= MAX_ROWS {
        return Err((first.span, beyond(text)));
    }
    let component = match words.get(1) {
        None => 0,
        Some(word) => {
            let letter = word.name.as_str();
            let at = ["xyzw", "rgba"].iter().find_map(|set| set.find(letter).filter(|_| letter.len() == 1));
            at.ok_or_else(|| (word.span, format!("`{letter}` is not a component; one of x, y, z, w is needed")))? as u32
        }
    };
    match words.get(2) {
        Some(word) => Err((word.span, "`packoffset` takes one row and one component".into())),
        None => Ok(16 * row + 4 * component),
    }
}

/// Positions that an attribute gives.
fn from_attribute(explicit: &mut Explicit, attribute: &Attribute) -> Result<(), String> {
    let number = |index: usize| -> Result<u32, String> {
        match attribute.args.get(index) {
            Some(AttributeArg::Int(n)) => {
                u32::try_from(*n).map_err(|_| format!("`[{}]`: {n} is out of range", attribute.name))
            }
            _ => Ok(0),
        }
    };
    let text = || match attribute.args.first() {
        Some(AttributeArg::Text(text)) => Some(*text),
        _ => None,
    };
    match attribute.name.as_str().to_ascii_lowercase().as_str() {
        "vk::binding" => explicit.vk_binding = Some((number(0)?, number(1)?, attribute.span)),
        "vk::location" => explicit.location = Some((number(0)?, attribute.span)),
        "vk::builtin" => explicit.builtin = text(),
        "vk::index" => match number(0)? {
            n @ 0..=1 => explicit.index = Some(n),
            n => return Err(format!("`vk::index` is 0 or 1, not {n}: the first or the second source of blending")),
        },
        "vk::constant_id" => explicit.constant_id = Some(Some(number(0)?)),
        "specializationconstant" | "vk::specialization_constant" => {
            explicit.constant_id = Some(explicit.constant_id.flatten())
        }
        "vk::offset" => explicit.vk_offset = Some(number(0)?),
        "vk::counter_binding" => explicit.vk_counter_binding = Some(number(0)?),
        "vk::input_attachment_index" => explicit.input_attachment_index = Some(number(0)?),
        "vk::image_format" | "format" => explicit.image_format = text(),
        _ => {}
    }
    Ok(())
}

/// Positions that `layout(...)` gives. Words without a value that are known to be no position are passed over; image
/// formats are such words.
fn from_layout<'a>(
    explicit: &mut Explicit,
    layout: &'a [(ast::Ident, Option<ast::Expr>)],
    eval: Eval<'a, '_>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut binding: Option<(Option<u32>, Option<u32>, Span)> = None;
    for (name, value) in layout {
        let word = name.name.as_str();
        let Some(value) = value else {
            if is_image_format(word) {
                explicit.image_format = Some(name.name);
            }
            continue;
        };
        let number = match eval(value).and_then(|v| v.int()).map(u32::try_from) {
            Some(Ok(number)) => number,
            _ => {
                let message = format!("`layout({word} = ...)` needs a constant from 0 to {}", u32::MAX);
                errors.push(Diagnostic::error(Code::BAD_REGISTER, value.span, message));
                continue;
            }
        };
        match word {
            "binding" => binding.get_or_insert((None, None, name.span)).0 = Some(number),
            "set" => binding.get_or_insert((None, None, name.span)).1 = Some(number),
            "location" => explicit.location = Some((number, name.span)),
            "index" => explicit.index = Some(number),
            "offset" => explicit.vk_offset = Some(number),
            "constant_id" => explicit.constant_id = Some(Some(number)),
            "input_attachment_index" => explicit.input_attachment_index = Some(number),
            _ => {}
        }
    }
    let other =
        explicit.vk_binding.filter(|b| binding.is_some_and(|new| (Some(b.0), b.1) != (new.0, new.1.unwrap_or(0))));
    if let (Some((.., first)), Some((.., second))) = (other, binding) {
        errors.push(said_twice("binding", first, second));
    }
    match binding {
        Some((Some(number), set, span)) => explicit.vk_binding = Some((number, set.unwrap_or(0), span)),
        Some((None, Some(set), span)) => explicit.vk_set = Some((set, span)),
        _ => {}
    }
}

/// DXC's name of an image format, without underscores, as GLSL has it.
fn format_of(word: &str) -> &str {
    const NAMES: &[(&str, &str)] = &[
        ("rgba16snorm", "rgba16_snorm"),
        ("rgba8snorm", "rgba8_snorm"),
        ("rg16snorm", "rg16_snorm"),
        ("rg8snorm", "rg8_snorm"),
        ("r16snorm", "r16_snorm"),
        ("r8snorm", "r8_snorm"),
        ("r11g11b10f", "r11f_g11f_b10f"),
        ("rgb10a2", "rgb10_a2"),
        ("rgb10a2ui", "rgb10_a2ui"),
    ];
    NAMES.iter().find(|(name, _)| *name == word).map_or(word, |(_, format)| format)
}

/// Whether a word is the name of a storage image format: channels, bits, kind (`rgba16f`, `r32ui`, `rgba8_snorm`).
fn is_image_format(word: &str) -> bool {
    const CHANNELS: &[&str] = &["rgba", "rgb", "rg", "r"];
    const KINDS: &[&str] = &["", "f", "i", "ui", "_snorm", "_a2", "_a2ui"];
    let Some(rest) = CHANNELS.iter().find_map(|c| word.strip_prefix(c)) else { return word == "r11f_g11f_b10f" };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (bits, kind) = rest.split_at(digits);
    word == "r11f_g11f_b10f" || (matches!(bits, "8" | "10" | "16" | "32" | "64") && KINDS.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Decl, DeclKind, Expr, ExprKind, Ident};
    use crate::parse::tests::parse_text;
    use crate::tree::Scalar;

    /// The first declaration of a text.
    fn parsed(text: &str) -> Decl {
        parse_text(text).0.decls.into_iter().next().expect("a declaration")
    }

    /// Literals have values, and the name `FOUR`.
    fn eval(e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Int(v, ..) => Some(Value::Int(*v as i64, Scalar::I32)),
            ExprKind::Float(v, ..) => Some(Value::Float(*v, Scalar::F32)),
            ExprKind::Path(_) if bare_name(e)? == *"FOUR" => Some(Value::Int(4, Scalar::I32)),
            ExprKind::Prefix(_, inner) => Some(Value::Int(-eval(inner)?.int()?, Scalar::I32)),
            _ => None,
        }
    }

    fn resolved(attributes: &[ast::Attribute]) -> (Vec<Attribute>, Vec<String>) {
        let mut errors = Vec::new();
        let list = resolve(attributes, &mut |e| eval(e), &mut errors);
        (list, errors.into_iter().map(|d| format!("{} {}", d.code, d.message)).collect())
    }

    fn of_user(text: &str) -> (Vec<Attribute>, Vec<String>) {
        resolved(&parsed(&format!("{text} void f();")).attributes)
    }

    fn of_the_library(text: &str) -> (Vec<Attribute>, Vec<String>) {
        let mut decl = parsed(&format!("{text} void f();"));
        let file = crate::source::Sources::for_library().add("core.slang", "".into());
        decl.attributes.iter_mut().for_each(|a| a.name.span.file = file);
        resolved(&decl.attributes)
    }

    /// The positions of a variable, and what is wrong with them.
    fn positions(text: &str) -> (Explicit, Vec<String>) {
        let decl = parsed(text);
        let DeclKind::Var(var) = &decl.kind else { panic!("{text} is no variable") };
        let mut errors = Vec::new();
        let attributes = resolved(&decl.attributes).0;
        let found = explicit(&var.semantics, &attributes, &decl.layout, &mut |e| eval(e), false, &mut errors);
        (found, errors.into_iter().map(|d| d.code.to_string()).collect())
    }

    #[test]
    fn known_attributes() {
        let (list, errors) = of_user(
            "[NumThreads(8, FOUR, 1)] [domain(\"tri\")] [outputtopology(triangle_cw)] [unroll] [vk::push_constant]",
        );
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(list[0].args, [AttributeArg::Int(8), AttributeArg::Int(4), AttributeArg::Int(1)]);
        assert_eq!(list[0].name, *"NumThreads");
        assert_eq!(list[1].args, [AttributeArg::Text("tri".into())]);
        assert_eq!(list[2].args, [AttributeArg::Text("triangle_cw".into())]);
        assert_eq!(workgroup_size(&list), Some([8, 4, 1]));
        assert_eq!(hints(&list).unroll, Some(None));
        assert!(modifiers(&list).has(Modifiers::PUSH_CONSTANT));
        let (list, errors) = of_the_library("[__stages(fragment, FOUR)]");
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(list[0].args, [AttributeArg::Name("fragment".into()), AttributeArg::Name("FOUR".into())]);
    }

    #[test]
    fn faults_of_known_attributes() {
        for (attribute, fault) in [
            ("[numthreads]", "E0315 `[numthreads]` takes 1 to 3 arguments, not 0"),
            ("[numthreads(8, 0, 1)]", "E0315 `[numthreads]`: 0 is too small; it must be at least 1"),
            ("[numthreads(8, n, 1)]", "E0315 `[numthreads]`: the argument must be a constant integer"),
            ("[unroll(1, 2)]", "E0315 `[unroll]` takes 0 to 1 arguments, not 2"),
            ("[earlydepthstencil(1)]", "E0315 `[earlydepthstencil]` takes no arguments, not 1"),
            ("[shader(1)]", "E0315 `[shader]`: the argument must be a word"),
            ("[__stages]", "E0322 `[__stages]` is reserved for the standard library"),
        ] {
            let (list, errors) = of_user(attribute);
            assert!(list.iter().all(|a| a.args.is_empty()), "{attribute}");
            assert_eq!(errors, [fault]);
        }
        assert_eq!(of_the_library("[__stages]").1, ["E0315 `[__stages]` takes at least 1 argument, not 0"]);
        assert_eq!(of_the_library("[__unlisted]").1, ["E0901 `[__unlisted]` is missing in the table of attributes"]);
    }

    #[test]
    fn foreign_attributes_keep_what_has_a_value() {
        let (list, errors) = of_user("[SomeEngine::Slot(\"x\", 3, FOUR, other, nullptr)]");
        assert!(errors.is_empty());
        let text = |t: &str| AttributeArg::Text(t.into());
        let expected = [text("x"), AttributeArg::Int(3), AttributeArg::Int(4), AttributeArg::Name("other".into())];
        assert_eq!(list[0].args, expected);
    }

    fn idents(words: &[&str]) -> Vec<Ident> {
        words.iter().map(|w| Ident { name: Symbol::new(w), span: Span::default() }).collect()
    }

    fn reg(words: &[&str]) -> Result<(Option<char>, u32, Option<u32>), String> {
        let placed = register(&idents(words), Span::default());
        placed.map(|r| (r.class, r.index, r.space)).map_err(|(_, reason)| reason)
    }

    #[test]
    fn registers() {
        assert_eq!(reg(&["t7"]), Ok((Some('t'), 7, None)));
        assert_eq!(reg(&["T7"]), Ok((Some('t'), 7, None)));
        assert_eq!(reg(&["b0", "space3"]), Ok((Some('b'), 0, Some(3))));
        assert_eq!(reg(&["space1"]), Ok((None, 0, Some(1))));
        assert_eq!(reg(&["vs", "c4"]), Ok((Some('c'), 4, None)));
        assert_eq!(reg(&["ps_5_0", "s1", "space2"]), Ok((Some('s'), 1, Some(2))));
        assert_eq!(reg(&["u4294967295"]), Ok((Some('u'), u32::MAX, None)));
        for (words, part) in [
            (&["x3"][..], "`x3` is not a register"),
            (&["t", "1"], "is too much"),
            (&["t3x"], "a letter and a number"),
            (&["t99999999999"], "too large"),
            (&["t-1"], "a letter and a number"),
            (&["t0", "t1"], "is too much"),
            (&["t0", "space"], "not a register space"),
            (&["t0", "SPACE1"], "is too much"),
            (&["space1", "t0"], "stands before the space"),
            (&["t0", "space1", "space2"], "two spaces"),
            (&[], "needs a register"),
            (&["vs"], "needs a register"),
        ] {
            let reason = reg(words).unwrap_err();
            assert!(reason.contains(part), "{words:?}: {reason}");
        }
    }

    #[test]
    fn packoffsets() {
        let pack = |words: &[&str]| packoffset(&idents(words), Span::default()).ok();
        assert_eq!(pack(&["c0"]), Some(0));
        assert_eq!(pack(&["c0", "y"]), Some(4));
        assert_eq!(pack(&["c12", "w"]), Some(204));
        assert_eq!(pack(&["C1", "b"]), Some(24));
        for words in [&["b0"][..], &["c"], &["c0", "q"], &["c0", "xy"], &["c0", "x", "y"], &["c4096"], &[], &["c0", ""]]
        {
            assert_eq!(pack(words), None, "{words:?}");
        }
    }

    #[test]
    fn positions_of_declarations() {
        let (e, errors) = positions(
            "[vk::binding(3, 1)] [vk::counter_binding(9)] [vk::image_format(\"rgba16f\")] [SpecializationConstant] int x;",
        );
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(e.vk_binding.map(|(b, s, _)| (b, s)), Some((3, 1)));
        assert_eq!((e.vk_counter_binding, e.image_format), (Some(9), Some("rgba16f".into())));
        assert_eq!(e.constant_id, Some(None));

        let (e, errors) = positions("layout(binding = 2, set = FOUR, r32ui, std140, location = unknown) int x;");
        assert_eq!(e.vk_binding.map(|(b, s, _)| (b, s)), Some((2, 4)));
        assert_eq!((e.image_format, e.location), (Some("r32ui".into()), None));
        assert_eq!(errors, ["E0402"]);

        let text = "int x : SV_Target0 : register(t1) : register(s2) : register(zz) : packoffset(c1.z);";
        let (e, errors) = positions(text);
        let registers: Vec<_> = e.registers.iter().map(|r| (r.class, r.index)).collect();
        assert_eq!(registers, [(Some('t'), 1), (Some('s'), 2)]);
        assert_eq!(e.packoffset.map(|p| p.0), Some(24));
        assert_eq!(errors, ["E0402"]);
        let DeclKind::Var(var) = parsed(text).kind else { panic!("a variable") };
        assert_eq!(semantic(&var.semantics).map(|s| s.split()), Some(("SV_TARGET".into(), 0)));
    }

    #[test]
    fn image_formats() {
        for word in ["rgba8", "r32ui", "rg16f", "rgba8_snorm", "r11f_g11f_b10f", "r64i", "rgba16"] {
            assert!(is_image_format(word), "{word}");
        }
        for word in ["row_major", "std140", "rgba", "red", "r7", "push_constant", "local_size_x"] {
            assert!(!is_image_format(word), "{word}");
        }
    }
}
