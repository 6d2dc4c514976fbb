//! Running the program and waiting for what it says.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a machine that does much else.
const DEADLINE: Duration = Duration::from_mins(1);

/// The program, without what the surroundings would tell it.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis-controller"));
    let names = [
        "PORTCULLIS_LOG",
        "PORTCULLIS_PASSWORD",
        "PORTCULLIS_NEW_PASSWORD",
        "ZITI_CTRL_EDGE_ADVERTISED_ADDRESS",
        "ZITI_CTRL_EDGE_ADVERTISED_PORT",
        "ZITI_USER",
        "ZITI_PWD",
    ];
    for name in names {
        command.env_remove(name);
    }
    command
}

/// What a finished run left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether the system wrote a core dump.
    pub(crate) is_dumped: bool,
}

/// Runs the program to its end.
pub(crate) fn finish(command: &mut Command) -> Finished {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        is_dumped: output.status.core_dumped(),
    }
}

impl Finished {
    /// Asserts that the run failed with one clear sentence that contains `parts`.
    pub(crate) fn failed_with(&self, parts: &[&str]) {
        self.ended_with(1, parts);
    }

    /// Asserts that the command line was refused with a sentence that contains `parts`.
    pub(crate) fn misused(&self, parts: &[&str]) {
        self.ended_with(2, parts);
    }

    fn ended_with(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        let line = self.stderr.lines().find(|line| line.starts_with("error: "));
        let line = line.unwrap_or_else(|| panic!("no sentence in {self:?}"));
        for part in parts {
            assert!(line.contains(part), "{part:?} is not in {line:?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        assert!(!self.stderr.contains("backtrace"), "{self:?}");
    }
}

/// A stream of the program that is read line by line.
struct Lines {
    fresh: Receiver<String>,
    seen: Vec<String>,
}

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (tell, fresh) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                if tell.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            fresh,
            seen: Vec::new(),
        }
    }

    /// Waits for a line that contains `part`.
    fn with(&mut self, part: &str) -> String {
        self.find(part)
            .unwrap_or_else(|error| panic!("no line with {part:?} ({error}) in {:#?}", self.seen))
    }

    /// Waits for a line that contains `part`, or for the end of the stream.
    fn has(&mut self, part: &str) -> bool {
        match self.find(part) {
            Ok(_) => true,
            Err(RecvTimeoutError::Disconnected) => false,
            Err(error) => panic!("it does not go on ({error}): {:#?}", self.seen),
        }
    }

    fn find(&mut self, part: &str) -> Result<String, RecvTimeoutError> {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(line) = self.seen.iter().find(|line| line.contains(part)) {
                return Ok(line.clone());
            }
            let left = end.saturating_duration_since(Instant::now());
            self.seen.push(self.fresh.recv_timeout(left)?);
        }
    }

    /// Waits until the stream is closed, and gives all of it.
    fn all(&mut self) -> String {
        let end = Instant::now() + DEADLINE;
        loop {
            match self
                .fresh
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => return self.seen.join("\n"),
                Err(error) => panic!("it does not end ({error}): {:#?}", self.seen),
            }
        }
    }
}

/// A run that serves.
pub(crate) struct Serving {
    child: Child,
    stdout: Lines,
    stderr: Lines,
}

impl Serving {
    /// Starts the program.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with(Stdio::null(), command)
    }

    /// Starts a command line on a terminal of its own, with `script`.
    pub(crate) fn start_on_terminal(line: &str) -> Self {
        let mut script = Command::new("script");
        Self::start_with(Stdio::piped(), script.args(["-qfec", line, "/dev/null"]))
    }

    fn start_with(stdin: Stdio, command: &mut Command) -> Self {
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = Lines::of(child.stdout.take().unwrap());
        let stderr = Lines::of(child.stderr.take().unwrap());
        Self {
            child,
            stdout,
            stderr,
        }
    }

    /// Presses Ctrl-C on the terminal.
    pub(crate) fn interrupt(&mut self) {
        let keyboard = self.child.stdin.as_mut().unwrap();
        keyboard.write_all(b"\x03").unwrap();
    }

    /// Waits for a line that contains `part`.
    pub(crate) fn line(&mut self, part: &str) -> String {
        self.stdout.with(part)
    }

    /// Waits for a line of the log that contains `part`.
    pub(crate) fn logged(&mut self, part: &str) -> String {
        self.stderr.with(part)
    }

    /// The value that stands behind `label` in the summary.
    pub(crate) fn value(&mut self, label: &str) -> String {
        let line = self.line(label);
        line.trim().strip_prefix(label).unwrap().trim().to_owned()
    }

    /// Waits until everything that is told was told.
    pub(crate) fn ready(&mut self) {
        self.line("portcullis enroll laptop.jwt");
    }

    /// Waits until the program serves or has ended, and tells whether it serves.
    pub(crate) fn serves(&mut self) -> bool {
        self.stderr.has("\"message\":\"serving\"")
    }

    /// The files that the process has open.
    pub(crate) fn open_files(&self) -> Vec<String> {
        let list = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        let open = list.filter_map(|each| std::fs::read_link(each.unwrap().path()).ok());
        open.map(|path| path.display().to_string()).collect()
    }

    /// Number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("sh")
            .args(["-c", "kill -\"$0\" \"$1\"", signal, &id])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Asks the program to end and waits until it has.
    pub(crate) fn stop(self, signal: &str) -> Finished {
        self.signal(signal);
        self.ended()
    }

    /// Waits until the program has ended by itself.
    pub(crate) fn ended(mut self) -> Finished {
        let (stdout, stderr) = (self.stdout.all(), self.stderr.all());
        let status = self.child.wait().unwrap();
        Finished {
            code: status.code(),
            stdout,
            stderr,
            is_dumped: status.core_dumped(),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a network in `home` on any free port.
pub(crate) fn quickstart(home: &Path) -> Serving {
    let mut serving = Serving::start(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(home),
    );
    serving.ready();
    serving
}

/// Makes a network in `home` and ends it again.
pub(crate) fn made(home: &Path) {
    let finished = quickstart(home).stop("TERM");
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

/// The permission bits of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata =
        std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    metadata.permissions().mode() & 0o777
}
