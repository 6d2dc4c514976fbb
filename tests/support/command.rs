//! Running programs to completion.

use crate::wait;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Output and exit status of a program.
#[derive(Debug)]
pub struct CommandOutput {
    /// The program and its arguments, for messages.
    pub line: String,
    /// Exit status.
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl CommandOutput {
    /// The standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("the output is UTF-8")
    }

    /// The exit code; -1 if the program was killed by a signal.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code(),
            code,
            "{}\nstdout: {}\nstderr: {}",
            self.line,
            String::from_utf8_lossy(&self.stdout),
            self.stderr
        );
        self
    }

    /// Asserts success.
    #[track_caller]
    pub fn success(self) -> Self {
        self.expect_code(0)
    }
}

/// The variable that says where a program writes which of its lines ran, if that is measured.
pub fn coverage() -> Option<(&'static str, OsString)> {
    let name = "LLVM_PROFILE_FILE";
    std::env::var_os(name).map(|file| (name, file))
}

/// Runs a program, which must end within [`wait::DEFAULT_TIMEOUT`].
#[track_caller]
pub fn run(command: &mut Command) -> CommandOutput {
    run_with(command, &[], wait::DEFAULT_TIMEOUT)
}

/// Runs a program with `input` on its standard input, for at most `deadline`.
///
/// # Panics
///
/// If the program cannot be started, or does not end in time.
#[track_caller]
pub fn run_with(command: &mut Command, input: &[u8], deadline: Duration) -> CommandOutput {
    let line = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{line} cannot be started: {error}"));
    let writer = child.stdin.take().map(|mut stdin| {
        let input = input.to_vec();
        // A program that ends without reading everything is no failure of the test.
        thread::spawn(move || drop(stdin.write_all(&input)))
    });
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let Some(status) = wait_for_exit(&mut child, deadline) else {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{line} did not end in {deadline:?}: {}", text(stderr))
    };
    if let Some(writer) = writer {
        writer.join().expect("the writer does not panic");
    }
    let read = stdout.map_or_else(Vec::new, |reader| {
        reader.join().expect("the output is read")
    });
    CommandOutput {
        line,
        status,
        stdout: read,
        stderr: text(stderr),
    }
}

/// Waits until a program ends.
pub fn wait_for_exit(child: &mut Child, deadline: Duration) -> Option<ExitStatus> {
    wait::until(deadline, || {
        child
            .try_wait()
            .expect("the program can be waited for")
            .ok_or(())
    })
    .ok()
}

/// Finds a program in `PATH`.
pub fn find_in_path(program: &str) -> Option<PathBuf> {
    let paths: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Sends a signal by its `kill` name.
pub fn signal(child: &Child, name: &str) {
    run(Command::new("kill").args(["-s", name, &child.id().to_string()])).success();
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("the output is read");
        bytes
    })
}

fn text(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.map_or_else(Vec::new, |reader| {
        reader.join().expect("the errors are read")
    });
    String::from_utf8_lossy(&bytes).into_owned()
}
