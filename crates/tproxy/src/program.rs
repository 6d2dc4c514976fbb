//! The programs that change the kernel's tables.

use crate::error::InterceptError;
use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};

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

/// Where the programs are if they are not on the path, which is usual for users that are not root.
const FOLDERS: [&str; 3] = ["", "/usr/sbin/", "/sbin/"];

/// The longest part of an error message that is passed on.
const MAX_REASON: usize = 400;

impl Program {
    /// Runs the program, and returns what it prints.
    pub(crate) fn run(self, arguments: &[&str], input: &str) -> Result<String, InterceptError> {
        let mut child = self.start(arguments)?;
        let written = child
            .stdin
            .take()
            .map_or(Ok(()), |mut pipe| pipe.write_all(input.as_bytes()));
        let output = child
            .wait_with_output()
            .map_err(|error| self.failed(&error.to_string()))?;
        if !output.status.success() {
            return Err(self.failed(&String::from_utf8_lossy(&output.stderr)));
        }
        written.map_err(|error| self.failed(&error.to_string()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn start(self, arguments: &[&str]) -> Result<Child, InterceptError> {
        for folder in FOLDERS {
            let mut command = Command::new(format!("{folder}{}", self.name));
            command
                .args(arguments)
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
