//! Running programs to their end.

use crate::wait;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a program left.
#[derive(Debug)]
pub struct Outcome {
    /// The program and its arguments, for messages.
    pub line: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: String,
}

impl Outcome {
    /// The standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("the output is UTF-8")
    }

    /// The exit code; -1 if a signal ended the program.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// The same, after a look at the exit code.
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

    /// The same, if the program succeeded.
    #[track_caller]
    pub fn success(self) -> Self {
        self.expect_code(0)
    }
}

/// Runs a program to its end, which has to come within [`wait::PATIENCE`].
#[track_caller]
pub fn run(command: &mut Command) -> Outcome {
    run_with(command, &[], wait::PATIENCE)
}

/// Runs a program that reads `input`, for at most `deadline`.
///
/// # Panics
///
/// If the program cannot be started, or does not end in time.
#[track_caller]
pub fn run_with(command: &mut Command, input: &[u8], deadline: Duration) -> Outcome {
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
    let Some(status) = ended(&mut child, deadline) else {
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
    Outcome {
        line,
        status,
        stdout: read,
        stderr: text(stderr),
    }
}

/// Waits for the end of a program.
pub(crate) fn ended(child: &mut Child, deadline: Duration) -> Option<ExitStatus> {
    wait::until(deadline, || {
        child
            .try_wait()
            .expect("the program can be waited for")
            .ok_or(())
    })
    .ok()
}

/// Finds a program in the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    let paths: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Sends a signal by the name that `kill` knows it by.
pub(crate) fn signal(child: &Child, name: &str) {
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
