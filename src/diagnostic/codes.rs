//! The table of error codes. Each has a page `E0123.md` in this directory, shown by `shaderport explain E0123`.
//!
//! A code of layout names the rule that decides; each message of that code ends with it.
//!
//! Ranges: 01xx sources and preprocessor, 02xx syntax, 03xx names and types, 04xx layout and bindings,
//! 05xx what a target does not support, 06xx entry points and stages, 07xx options, manifest and files, 09xx internal.

/// A stable error code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E{:04}", self.0)
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $title:literal $(, $rule:literal)?;)*) => {
        impl Code {
            $($(#[doc = $doc])* #[doc = $title] pub const $name: Code = Code($number);)*
        }
        /// Code, constant name and title of every code.
        pub const TABLE: &[(Code, &str, &str)] = &[$((Code($number), stringify!($name), $title)),*];
        /// The rule of layout that decides what a code reports.
        const RULES: &[(Code, &str)] = &[$($((Code($number), $rule),)?)*];
    };
}

codes! {
    FILE_NOT_FOUND = 101, "a source or include file was not found";
    INCLUDE_CYCLE = 102, "a file includes itself, directly or through others";
    INCLUDE_DEPTH = 103, "includes are nested too deeply";
    OUTSIDE_ROOTS = 104, "an include leads out of the allowed roots";
    UNREADABLE = 105, "a file is binary, too large or could not be read";
    UNTERMINATED = 106, "a comment, string or conditional is not closed";
    BAD_LITERAL = 107, "a number, character or string literal is malformed";
    BAD_DIRECTIVE = 108, "a preprocessor directive is malformed or unknown";
    USER_ERROR = 109, "`#error` or `#warning` of the source";
    MACRO_ARGUMENTS = 110, "a macro was used with the wrong number of arguments";
    BAD_CHARACTER = 111, "a character that no token begins with";
    EXPANSION_LIMIT = 112, "macro expansion produces too many tokens";
    SYNTAX = 201, "the text does not follow the grammar here";
    NESTING = 202, "expressions, statements or types are nested too deeply";
    UNDECLARED = 301, "a name is not declared";
    REDECLARED = 302, "a name is declared twice in one scope";
    TYPE_MISMATCH = 303, "a value's type does not convert to the type that is needed";
    NO_OVERLOAD = 304, "no overload takes these arguments";
    AMBIGUOUS = 305, "several overloads fit equally well";
    NO_MEMBER = 306, "a type has no such member";
    NOT_ASSIGNABLE = 307, "the left side cannot be assigned to";
    NOT_CONSTANT = 308, "a constant expression is needed here";
    BAD_OPERANDS = 309, "an operator does not take operands of these types";
    NOT_A_TYPE = 310, "a type is needed here";
    NOT_A_VALUE = 311, "a value is needed here";
    ARGUMENT_COUNT = 312, "a wrong number of arguments";
    BAD_SUBSCRIPT = 313, "a value cannot be indexed like this";
    BAD_INITIALIZER = 314, "an initializer does not fit its type";
    BAD_ATTRIBUTE = 315, "an attribute or modifier is malformed or misplaced";
    GENERIC_ARGUMENTS = 316, "generic arguments do not fit or could not be inferred";
    BAD_STATEMENT = 317, "a statement is not allowed here";
    RECURSION = 318, "a function or type contains itself";
    UNSUPPORTED = 319, "a language feature that shaderport does not support yet";
    MODULE_NOT_FOUND = 320, "an imported module was not found, or a part of one stands alone";
    CONSTRAINT = 321, "a type does not conform to an interface";
    LIBRARY_ATTRIBUTE = 322, "an attribute that is reserved for the standard library";
    BAD_SPELLING = 323, "the text of `__intrinsic_asm` is not one expression";
    TRUNCATION = 324, "a conversion leaves out components";
    UNSET = 325, "nothing sets a variable that is read, or an `out` parameter";
    BINDING_OVERLAP = 401, "explicit bindings overlap", "layout-explicit";
    BAD_REGISTER = 402, "a register, binding or packoffset is malformed or does not suit the type", "layout-register-classes";
    BINDING_EXHAUSTED = 403, "a parameter cannot be placed", "layout-first-fit";
    DECLARATION_CONFLICT = 404, "declarations of one parameter disagree", "layout-order";
    BAD_LAYOUT = 405, "a type cannot be laid out in a buffer", "layout-structs";
    LOCKED = 406, "declarations do not fit the positions that a lock keeps", "layout-lock";
    CAPABILITY = 501, "the target lacks a capability that the program needs";
    OMITTED = 502, "something of the source is left out, as the target has nothing like it";
    ASSUMED = 503, "the target asks for something that the source does not say";
    DEVICE_FEATURE = 504, "the text needs a feature that not every device has";
    ENTRY_NOT_FOUND = 601, "an entry point was not found";
    ENTRY_AMBIGUOUS = 602, "entry points or their stages cannot be determined";
    BAD_ENTRY = 603, "an entry point's signature or attributes are not valid for its stage";
    BAD_OPTION = 701, "an option or manifest entry is wrong";
    OUTPUT = 702, "an output cannot be written";
    OUTPUT_CLASH = 703, "two sources would write the same output";
    NO_SHADERS = 704, "there is nothing to compile";
    BAD_RECORD = 705, "a sidecar, binding lock or source map cannot be read";
    OUTPUT_SIZE = 706, "the text for a target is too large";
    SHARED_CACHE = 707, "a shared cache cannot be used, or not wholly";
    SEPARATE_VARIANTS = 708, "variants that were to be merged stay separate texts";
    PLAN_OUTDATED = 711, "a program has other outputs than the plan of its build";
    REMOTE = 712, "a server of caches or workers could not be used";
    MERGE_CONFLICT = 713, "an edited output and a new one differ in the same place";
    VALIDATION = 801, "a validator refused emitted text";
    INTERNAL = 901, "an internal fault of shaderport";
}

macro_rules! pages {
    ($($number:literal)*) => {
        /// Each code's page, by its file's name.
        const PAGES: &[(&str, &str)] = &[$((concat!("E", $number), include_str!(concat!("E", $number, ".md")))),*];
    };
}

pages! {
    "0101" "0102" "0103" "0104" "0105" "0106" "0107" "0108" "0109" "0110" "0111" "0112" "0201" "0202" "0301"
    "0302" "0303" "0304" "0305" "0306" "0307" "0308" "0309" "0310" "0311" "0312" "0313" "0314" "0315" "0316"
    "0317" "0318" "0319" "0320" "0321" "0322" "0323" "0324" "0325" "0401" "0402" "0403" "0404" "0405" "0406" "0501"
    "0502" "0503" "0504" "0601" "0602" "0603" "0701" "0702" "0703" "0704" "0705" "0706" "0707" "0708" "0711" "0712" "0713" "0801" "0901"
}

/// The page that explains a code: what it means, an example that fails and how to mend it.
pub fn page(code: Code) -> Option<&'static str> {
    let name = code.to_string();
    PAGES.iter().find(|(page, _)| *page == name).map(|(_, text)| *text)
}

/// The title of a code.
pub fn title(code: Code) -> Option<&'static str> {
    TABLE.iter().find(|(c, _, _)| *c == code).map(|(_, _, title)| *title)
}

/// The rule of layout that decides what a code reports; `shaderport explain` shows its page.
pub fn rule(code: Code) -> Option<&'static str> {
    RULES.iter().find(|(c, _)| *c == code).map(|(_, rule)| *rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page() {
        assert_eq!(TABLE.len(), PAGES.len());
        for (code, name, title) in TABLE {
            let text = page(*code).unwrap_or_else(|| panic!("{name} has no page"));
            assert!(text.starts_with(&format!("# {code}: {title}\n")), "the title of {code}");
            assert!(text.contains("\nFails:\n") && text.contains("\nMended:\n"), "the examples of {code}");
            assert_eq!(text.matches("```").count(), 4, "the examples of {code}");
        }
    }

    #[test]
    fn codes_of_layout_have_rules() {
        for (code, name, _) in TABLE {
            assert_eq!(rule(*code).is_some(), (400..500).contains(&code.0), "{name}");
        }
    }
}
