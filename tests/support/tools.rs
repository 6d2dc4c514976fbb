//! Programs that a test needs and that a machine may lack.

use crate::command::{self, run};
use std::process::Command;

/// A program of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The HTTP client.
    Curl,
    /// The authenticator app of the command line.
    Oathtool,
    /// The program of the TLS library.
    Openssl,
    /// Python 3 with the package `cryptography`.
    Python,
    /// The program that makes requests up from descriptions of APIs, as a package of Python.
    Schemathesis,
    /// The program that gives another one a terminal.
    Script,
    /// The reader of QR codes.
    Zbarimg,
}

impl Tool {
    /// Name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Oathtool => "oathtool",
            Self::Openssl => "openssl",
            Self::Python | Self::Schemathesis => "python3",
            Self::Script => "script",
            Self::Zbarimg => "zbarimg",
        }
    }

    /// What is missing, if something is.
    fn missing(self) -> Option<String> {
        if command::find(self.program()).is_none() {
            return Some(self.program().to_owned());
        }
        let package = match self {
            Self::Python => "cryptography",
            Self::Schemathesis => "schemathesis",
            _ => return None,
        };
        let statement = format!("import {package}");
        let found = run(Command::new("python3").args(["-c", &statement]));
        (!found.status.success()).then(|| format!("the Python package {package}"))
    }
}

/// Whether all of `tools` are there. If not, says so, and the test has nothing to do.
///
/// # Panics
///
/// If one is missing and `PORTCULLIS_REQUIRE_TOOLS` is `1`.
pub fn are_there(tools: &[Tool]) -> bool {
    let Some(missing) = tools.iter().find_map(|tool| tool.missing()) else {
        return true;
    };
    assert!(
        !are_required(),
        "{missing} is not installed, and PORTCULLIS_REQUIRE_TOOLS=1"
    );
    println!("skipped: {missing} is not installed");
    false
}

/// Whether a missing program is a failure.
pub fn are_required() -> bool {
    std::env::var("PORTCULLIS_REQUIRE_TOOLS").is_ok_and(|value| value == "1")
}
