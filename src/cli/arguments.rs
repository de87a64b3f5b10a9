//! The arguments of the program: those of the command line, and those in the files that it names with `@`.
//!
//! `shaderport @options.txt a.hlsl` takes the lines of `options.txt` for arguments, one a line, in place of `@options.txt`. Nothing is
//! quoted, and a line may have spaces in it. Empty lines and those that begin with `#` are left out. A file named in a file is an
//! argument like others. A source whose name begins with `@` is written `./@name`. What follows `--as TOOL` and `--` is the command line of
//! another compiler, which reads such files as that compiler does.

use std::ffi::OsString;

/// All arguments, the program's name first; the error is in words.
pub fn arguments(given: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut all: Vec<OsString> = Vec::new();
    for argument in given {
        let is_other = || all.iter().any(|a| a == "--") && all.iter().any(is_as);
        let path = argument.to_str().and_then(|text| text.strip_prefix('@'));
        let Some(path) = path.filter(|_| !is_other()) else {
            all.push(argument);
            continue;
        };
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read the arguments in `{path}`: {e}"))?;
        // An editor of Windows may have put a byte order mark before them.
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        all.extend(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(OsString::from));
    }
    Ok(all)
}

/// Whether an argument says that others are of another compiler.
fn is_as(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text == "--as" || text.starts_with("--as="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments_given: &[&str]) -> Result<Vec<String>, String> {
        let all = arguments(arguments_given.iter().map(OsString::from))?;
        Ok(all.into_iter().map(|a| a.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn lines_of_a_file_are_arguments() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("options.txt");
        std::fs::write(&path, "\u{feff}--target\r\nhlsl\n\n# a remark\n  -DNAME=a b \n@other\n").unwrap();
        let named = format!("@{}", path.display());
        let all = expanded(&["shaderport", "compile", &named, "a.hlsl"]).unwrap();
        assert_eq!(all, ["shaderport", "compile", "--target", "hlsl", "-DNAME=a b", "@other", "a.hlsl"]);
        assert_eq!(expanded(&["shaderport", "./@a.hlsl"]).unwrap(), ["shaderport", "./@a.hlsl"]);
    }

    #[test]
    fn the_words_of_another_compiler_stay() {
        let given = ["shaderport", "compile", "--as", "dxc", "--", "@none.rsp"];
        assert_eq!(expanded(&given).unwrap(), given);
        assert!(expanded(&["shaderport", "compile", "--", "@none.rsp"]).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let fault = expanded(&["shaderport", "@none/options.txt"]).unwrap_err();
        assert!(fault.starts_with("cannot read the arguments in `none/options.txt`: "), "{fault}");
    }
}
