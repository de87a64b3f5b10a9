//! The program that runs shaders (`src/bin/execute.rs`), started again when a driver took it along.

use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A buffer of a job.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub binding: u32,
    pub uniform: bool,
    pub bytes: u64,
    /// Holds zeros at first.
    pub zero: bool,
    /// Whether its words are compared.
    pub read: bool,
}

pub struct Device {
    program: PathBuf,
    running: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

/// The driver compiles within this time, and runs within that of the program.
const LIMIT: Duration = Duration::from_secs(60);

impl Device {
    pub fn new(program: &Path) -> Device {
        Device { program: program.to_path_buf(), running: None }
    }

    /// The words of the buffers that are read.
    pub fn run(&mut self, spirv: &Path, buffers: &[Bound]) -> Result<Vec<Vec<u32>>, String> {
        let buffer = |b: &Bound| json!({ "binding": b.binding, "uniform": b.uniform, "bytes": b.bytes, "zero": b.zero, "read": b.read });
        let job = json!({ "spirv": spirv, "buffers": buffers.iter().map(buffer).collect::<Vec<_>>() });
        let mut running = match self.running.take() {
            Some(running) => running,
            None => start(&self.program)?,
        };
        let sent = writeln!(running.questions, "{job}").and_then(|()| running.questions.flush());
        let answer = sent.ok().and_then(|()| running.answers.recv_timeout(LIMIT).ok());
        let Some(answer) = answer else {
            let _ = running.child.kill();
            let ended = running.child.wait().map_or("".into(), |s| s.to_string());
            return Err(format!("the driver crashed or hangs ({ended})"));
        };
        self.running = Some(running);
        let parsed: Result<Vec<Vec<u32>>, String> =
            serde_json::from_str(&answer).map_err(|e| format!("{e}: {answer}"))?;
        parsed
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

fn start(program: &Path) -> Result<Running, String> {
    let mut command = Command::new(program);
    // One thread a device: programs are small, and there is a device for each core.
    command.env("LP_NUM_THREADS", "0").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
    let (Some(questions), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, questions, answers })
}
