//! The programs that change the kernel's tables.

use crate::error::InterceptError;
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A program that reads what it has to do from its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
}

/// Takes scripts; each is one transaction.
pub(crate) const NFT: Program = Program {
    name: "nft",
    package: "nftables",
};

pub(crate) const IP: Program = Program {
    name: "ip",
    package: "iproute2",
};

/// Where the programs are. `PATH` does not count: the programs get a capability that whoever has set it may not have.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// No program takes longer, or it is ended. Tens of thousands of rules take a few seconds.
const LIMIT: Duration = Duration::from_mins(1);

/// The longest part of an error message that is passed on.
const MAX_REASON: usize = 400;

impl Program {
    /// Runs the program, and returns what it prints.
    pub(crate) fn run(self, arguments: &[&str], input: &str) -> Result<String, InterceptError> {
        self.run_within(LIMIT, arguments, input)
    }

    fn run_within(
        self,
        limit: Duration,
        arguments: &[&str],
        input: &str,
    ) -> Result<String, InterceptError> {
        let mut child = self.start(arguments)?;
        let end = Instant::now() + limit;
        let ended = self.communicate(&mut child, input, end);
        if ended.is_err() {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let status = child.wait();
        let Streams { output, errors } = ended?;
        let status = status.map_err(|error| self.failed(&error.to_string()))?;
        if !status.success() {
            return Err(self.failed(&String::from_utf8_lossy(&errors)));
        }
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Carries all streams at once: whoever writes to the end before reading waits for a program that waits itself.
    fn communicate(
        self,
        child: &mut Child,
        input: &str,
        end: Instant,
    ) -> Result<Streams, InterceptError> {
        let failed = |error: io::Error| self.failed(&error.to_string());
        if let Some(mut pipe) = child.stdin.take() {
            let input = input.to_owned();
            // A program that does not read to the end says why.
            let write = move || drop(pipe.write_all(input.as_bytes()));
            spawn(write).map_err(failed)?;
        }
        let output = read(child.stdout.take()).map_err(failed)?;
        let errors = read(child.stderr.take()).map_err(failed)?;
        let rest = |receiver: &Receiver<Vec<u8>>| {
            let limit = end.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(limit) {
                Err(RecvTimeoutError::Timeout) => Err(self.failed("it does not end")),
                read => Ok(read.unwrap_or_default()),
            }
        };
        Ok(Streams {
            output: rest(&output)?,
            errors: rest(&errors)?,
        })
    }

    fn start(self, arguments: &[&str]) -> Result<Child, InterceptError> {
        for folder in FOLDERS {
            let mut command = Command::new(format!("{folder}/{}", self.name));
            command
                .args(arguments)
                .env_clear()
                // Reasons are told from each other by their words.
                .env("LC_ALL", "C")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            match command.spawn() {
                Ok(child) => return Ok(child),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {},
                Err(error) => return Err(self.failed(&error.to_string())),
            }
        }
        Err(InterceptError::MissingProgram {
            program: self.name,
            package: self.package,
        })
    }

    fn failed(self, reason: &str) -> InterceptError {
        // What follows the first line points at the script, which nobody has seen.
        let line = reason.lines().find(|line| !line.trim().is_empty());
        let line = line.unwrap_or("it gives no reason").trim();
        InterceptError::Program {
            program: self.name,
            reason: line.chars().take(MAX_REASON).collect(),
        }
    }
}

/// What a program has printed.
struct Streams {
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// Reads to the end in a thread of its own.
fn read(pipe: Option<impl Read + Send + 'static>) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = sync_channel(1);
    spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What could be read counts.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody waits for a program that takes too long.
        let _ = sender.send(bytes);
    })?;
    Ok(receiver)
}

/// The thread ends when the program does.
fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name("program-streams".to_owned());
    thread.spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Program = Program {
        name: "sh",
        package: "dash",
    };

    #[test]
    fn input_goes_to_the_program_and_output_comes_back() {
        let output = SHELL
            .run(&["-c", "cat; echo done"], "text\n")
            .expect("runs");
        assert_eq!(output, "text\ndone\n");
    }

    #[test]
    fn long_inputs_and_outputs_do_not_wait_for_each_other() {
        let input = "a line for both streams\n".repeat(100_000);
        let script = "while read -r line; do echo \"$line\"; echo \"$line\" >&2; done";
        let output = SHELL.run(&["-c", script], &input).expect("runs");
        assert_eq!(output, input);
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let limit = Duration::from_millis(100);
        let error = SHELL.run_within(limit, &["-c", "exec sleep 600"], "");
        let error = error.expect_err("takes too long");
        assert_eq!(error.to_string(), "`sh` has failed: it does not end");
    }

    #[test]
    fn the_environment_is_not_passed_on() {
        let output = SHELL.run(&["-c", "echo \"$HOME,$LC_ALL\""], "");
        assert_eq!(output.expect("runs"), ",C\n");
    }

    #[test]
    fn failures_say_the_first_line_of_the_reason() {
        let script = "printf '\\nError: it is full\\nadd element x\\n' >&2; exit 1";
        let error = SHELL.run(&["-c", script], "").expect_err("fails");
        assert_eq!(error.to_string(), "`sh` has failed: Error: it is full");
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let missing = Program {
            name: "no-such-program",
            package: "some-package",
        };
        let error = missing.run(&[], "").expect_err("is missing");
        assert_eq!(
            error.to_string(),
            "the program `no-such-program` is needed, but not installed; Debian has it in the package some-package"
        );
    }
}
