//! The layout oracle, a Python program beside the recorded cases: it reduces reflection data to rows that tools agree on,
//! generates programs and runs the peers.

use crate::process;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where the oracle lies.
pub struct Oracle {
    directory: PathBuf,
}

impl Oracle {
    /// The oracle in a directory, or in the one above when its cases are named; by default the one beside this repository.
    pub fn find(given: Option<&Path>) -> Result<Oracle, String> {
        let beside = process::repository().join("../shared/layout");
        let directory = given.map_or(beside, Path::to_path_buf);
        let above = directory.join("..");
        let found = [directory.clone(), above].into_iter().find(|d| d.join("oracle.py").is_file());
        let found = found.ok_or(format!("{}: there is no oracle.py", directory.display()))?;
        let directory = found.canonicalize().map_err(|e| e.to_string())?;
        Ok(Oracle { directory })
    }

    /// The recorded cases.
    pub fn cases(&self) -> PathBuf {
        self.directory.join("cases")
    }

    /// Answers requests as `layout_rows.py` documents them, in order.
    pub fn ask(&self, requests: &[Value]) -> Result<Vec<Result<Value, String>>, String> {
        let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
        let [questions, answers] = ["questions.json", "answers.json"].map(|name| scratch.path().join(name));
        std::fs::write(&questions, json!(requests).to_string()).map_err(|e| e.to_string())?;
        let mut python = Command::new("python3");
        python.arg("-B").arg(process::repository().join("xtask/layout_rows.py"));
        python.arg(&self.directory).arg(&questions).arg(&answers);
        python.env("ORACLES", process::peers_directory());
        let ran = process::run(&mut python, Duration::from_secs(1800))?;
        let text =
            std::fs::read_to_string(&answers).map_err(|_| format!("the oracle failed: {}", ran.said().trim()))?;
        let list: Vec<Value> = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let answer = |mut value: Value| match value.get("error").and_then(Value::as_str) {
            Some(message) => Err(message.to_owned()),
            None => Ok(value["ok"].take()),
        };
        Ok(list.into_iter().map(answer).collect())
    }
}
