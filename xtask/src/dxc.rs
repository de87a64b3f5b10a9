//! DXC as a server: loading its library takes longer than most runs, so one process answers many (`dxc_driver.cpp --serve`).

use crate::process::{self, Ran};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// The program, and the servers of it that wait for work.
pub struct Dxc {
    program: PathBuf,
    idle: Mutex<Vec<Server>>,
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dxc {
    pub fn at(program: PathBuf) -> Dxc {
        Dxc { program, idle: Mutex::default() }
    }

    /// Runs DXC in the current directory. A DXC that is no server, as others build it, is started each time.
    pub fn run(&self, arguments: &[String], limit: Duration) -> Result<Ran, String> {
        let idle = || self.idle.lock().map_err(|e| e.to_string());
        let waiting = idle()?.pop();
        let Some(mut server) = waiting.or_else(|| Server::start(&self.program)) else {
            return process::run(Command::new(&self.program).args(arguments), limit);
        };
        let ran = server.run(arguments).map_err(|e| format!("{}: {e}", self.program.display()))?;
        idle()?.push(server);
        Ok(ran)
    }

    /// The command that runs DXC once, elsewhere.
    pub fn command(&self, arguments: &[String], directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(directory);
        command
    }
}

impl Server {
    fn start(program: &Path) -> Option<Server> {
        let mut command = Command::new(program);
        command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let (input, output) = (child.stdin.take()?, child.stdout.take()?);
        let mut server = Server { child, input, output: BufReader::new(output) };
        server.line().is_ok_and(|line| line == "ready").then_some(server)
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    fn run(&mut self, arguments: &[String]) -> std::io::Result<Ran> {
        writeln!(self.input, "{}", arguments.join("\t"))?;
        self.input.flush()?;
        let head = self.line()?;
        let fields: Option<(i32, usize)> =
            head.split_once(' ').and_then(|(code, length)| Some((code.parse().ok()?, length.parse().ok()?)));
        let (code, length) = fields.ok_or_else(|| std::io::Error::other(format!("it answers `{head}`")))?;
        let mut said = vec![0; length];
        self.output.read_exact(&mut said)?;
        let stderr = String::from_utf8_lossy(&said).into_owned();
        Ok(Ran { code: Some(code).filter(|code| *code >= 0), timed_out: false, stdout: String::new(), stderr })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
