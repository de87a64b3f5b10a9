//! Attributes, from syntax to facts of the tree.
//!
//! Known attributes are checked against a table; foreign ones are kept as far as their arguments have values, because
//! real trees carry attributes of many tools. Everything wrong is reported where it stands.

mod explicit;
mod known;

pub(super) use explicit::CLASSES;
pub use explicit::explicit;
pub use known::{is_known, unknown};

use super::constant::Value;
use super::root_signature;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Attribute, AttributeArg, Explicit, Hints, Modifiers, Semantic};
use explicit::{format_of, is_image_format};

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
    /// The name of an extension of GLSL.
    Extension,
    /// A version of GLSL.
    Version,
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

use Takes::{Domain, Extension, Format, Int, Name, Number, OneOf, Rounds, Signature, Text, Version, Word};
use Writer::{Anyone, Library};

/// Versions of GLSL that shaders can ask for.
const GLSL_VERSIONS: &[i64] = &[110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];
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
    ("__base_level", Library, &[Word], 1),
    ("__bias", Library, &[], 0),
    ("__casts_resource", Library, &[], 0),
    ("__counts", Library, &[], 0),
    ("__as_structured", Library, &[], 0),
    ("__asks_status", Library, &[], 0),
    ("__at_vertex", Library, &[], 0),
    ("__atomic_texels", Library, &[], 0),
    ("__by_constant", Library, &[Int(0), Word], 2),
    ("__by_gradients", Library, &[Word], 1),
    ("__by_level", Library, &[Word; 2], 1),
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
    ("__element_count", Library, &[], 0),
    ("__emits", Library, &[Word; 2], 2),
    ("__statement", Library, &[], 0),
    ("__filters", Library, &[], 0),
    ("__floats_as_int", Library, &[], 0),
    ("__folds", Library, &[Name], 1),
    ("__gives_associated", Library, &[], 0),
    ("__gives_status", Library, &[], 0),
    ("__glsl_extension", Anyone, &[Extension], 1),
    ("__typed_extension", Library, &[Word], 1),
    ("__typed_literals", Library, &[], 0),
    ("__dxil", Library, &[], 0),
    ("__glsl_version", Anyone, &[Version], 1),
    ("__group_barrier", Library, &[], 0),
    ("__uniform_load", Library, &[], 0),
    ("__element_stride", Library, &[], 0),
    ("__group_size", Library, &[], 0),
    ("__hidden_counter", Library, &[], 0),
    ("__hlsl_calls", Library, &[], 0),
    ("__hlsl_profile", Library, &[Int(0); 2], 2),
    ("__image_variant", Library, &[Word], 1),
    ("__in_constants", Library, &[Name], 1),
    ("__index_marker", Library, &[], 0),
    ("__member_address", Library, &[], 0),
    ("__member_of", Library, &[Name], 1),
    ("__interlocks", Library, &[Word], 1),
    ("__interpolates", Library, &[], 0),
    ("__is_field", Library, &[], 0),
    ("__known_as", Library, &[Word], 1),
    ("__layout", Library, &[Word], 1),
    ("__non_uniform", Library, &[], 0),
    ("__one_offset", Library, &[Word], 1),
    ("__once", Library, &[], 0),
    ("__outside", Library, &[Name], 1),
    ("__passes", Library, &[Name], 0),
    ("__reads_texels", Library, &[], 0),
    ("__requires", Library, &[Name], 1),
    ("__writes_whole", Library, &[], 0),
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
const VARIADIC: &[&str] = &["__stages", "__requires", "__outside", "__member_of"];

/// Whether an attribute has a name; they are compared without regard to case, as in HLSL.
pub fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.name.as_str().eq_ignore_ascii_case(name)
}

/// The attribute of a name.
pub fn find<'t>(attributes: &'t [Attribute], name: &str) -> Option<&'t Attribute> {
    attributes.iter().find(|a| is(a, name))
}

/// Resolves the attributes of a declaration or statement. A faulty one stays, without arguments, so that nobody misses it.
/// `unused`: of what slangc does not look at, a word that it would not know is a warning.
pub fn resolve<'a>(
    attributes: &'a [ast::Attribute],
    unused: bool,
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
                    return Attribute { name, args: Vec::new(), declared: false, written: None, span };
                }
                let kinds = takes.iter().chain(takes.last().into_iter().cycle());
                let args = attribute.args.iter().zip(kinds).map(|(arg, takes)| known_arg(arg, *takes, eval));
                args.collect::<Result<Vec<_>, _>>().unwrap_or_else(|(span, reason)| {
                    let message = format!("`[{name}]`: {reason}");
                    errors.push(match takes.first() {
                        // DXC warns of a hint that is no number, and refuses a text.
                        Some(Rounds) if !attribute.args.first().is_some_and(is_text) => {
                            Diagnostic::warning(Code::BAD_ATTRIBUTE, span, format!("{message}; it is ignored"))
                        }
                        Some(OneOf(_) | Domain) if unused => Diagnostic::warning(Code::BAD_ATTRIBUTE, span, message),
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
        let written = match attribute.args.as_slice() {
            [arg] => Some(arg.span).filter(|span| span.file.is_named()),
            _ => None,
        };
        Attribute { name: attribute.name.name, args, declared: false, written, span: attribute.name.span }
    };
    attributes.iter().map(one).collect()
}

fn rule(name: &str) -> Option<&'static (&'static str, Writer, &'static [Takes], usize)> {
    RULES.iter().find(|(n, ..)| n.eq_ignore_ascii_case(name))
}

/// Whether a span is in the standard library; passes write attributes without going through [`resolve`].
fn of_library(span: Span) -> bool {
    span.file.is_library()
}

/// Whether later layers may see an attribute: names that begin with `__` steer passes and printers, so that of a user's only
/// those count that the table gives to anyone.
pub fn is_kept(attribute: &Attribute) -> bool {
    let name = attribute.name.as_str();
    of_library(attribute.span) || !name.starts_with("__") || matches!(rule(name), Some((_, Anyone, ..)))
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
                None => Ok(AttributeArg::Text(root_signature::spaced(text.as_str()))),
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
            let found = found.filter(|word| *word == *Explicit::UNKNOWN_FORMAT || is_image_format(word.as_str()));
            let wrong = || (arg.span, "the argument must be an image format such as `rgba16f`".to_owned());
            found.map(AttributeArg::Text).ok_or_else(wrong)
        }
        Takes::Extension => {
            let is_name = |word: &Symbol| {
                word.as_str().strip_prefix("GL_").is_some_and(|rest| {
                    !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                })
            };
            let wrong =
                || (arg.span, "the argument must be the name of an extension such as `GL_EXT_shader_clock`".into());
            word_of(arg).filter(is_name).map(AttributeArg::Text).ok_or_else(wrong)
        }
        Takes::Version => match eval(arg).and_then(|value| value.int()) {
            Some(version) if GLSL_VERSIONS.contains(&version) => Ok(AttributeArg::Int(version)),
            _ => Err((arg.span, "the argument must be a version of GLSL such as 450".into())),
        },
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

fn is_text(arg: &ast::Expr) -> bool {
    matches!(arg.kind, ast::ExprKind::String(_))
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
    let unroll = find(attributes, "unroll").or_else(|| find(attributes, "ForceUnroll"));
    let (unroll, unroll_name) = (unroll.map(count), unroll.map_or(Span::default(), |attribute| attribute.span));
    Hints {
        unroll,
        unroll_name,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Decl, Expr, ExprKind};
    use crate::parse::tests::parse_text;
    use crate::tree::Scalar;

    /// The first declaration of a text.
    pub(super) fn parsed(text: &str) -> Decl {
        parse_text(text).0.decls.into_vec().into_iter().next().expect("a declaration")
    }

    /// Literals have values, and the name `FOUR`.
    pub(super) fn eval(e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Int(v, ..) => Some(Value::Int(*v as i64, Scalar::I32)),
            ExprKind::Float(v, ..) => Some(Value::Float(*v, Scalar::F32)),
            ExprKind::Path(_) if bare_name(e)? == *"FOUR" => Some(Value::Int(4, Scalar::I32)),
            ExprKind::Prefix(_, inner) => Some(Value::Int(-eval(inner)?.int()?, Scalar::I32)),
            _ => None,
        }
    }

    pub(super) fn resolved(attributes: &[ast::Attribute]) -> (Vec<Attribute>, Vec<String>) {
        let mut errors = Vec::new();
        let list = resolve(attributes, false, &mut |e| eval(e), &mut errors);
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
}
