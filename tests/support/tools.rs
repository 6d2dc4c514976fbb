//! External programs that tests need and that may not be installed.

use crate::command::{self, run};
use std::process::Command;

/// An external program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Web browser.
    Chromium,
    /// HTTP client.
    Curl,
    /// Parser that knows all errors of HTML, a Python package.
    Html5lib,
    /// Command line TOTP app.
    Oathtool,
    /// Command line tool of the TLS library.
    Openssl,
    /// Remote control of browsers, a Python package.
    Playwright,
    /// Python 3 with the package `cryptography`.
    Python,
    /// Generator of requests from API descriptions, a Python package.
    Schemathesis,
    /// Runs a program in a terminal.
    Script,
    /// Reader of QR codes.
    Zbarimg,
}

impl Tool {
    pub fn program(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Curl => "curl",
            Self::Oathtool => "oathtool",
            Self::Openssl => "openssl",
            Self::Html5lib | Self::Playwright | Self::Python | Self::Schemathesis => "python3",
            Self::Script => "script",
            Self::Zbarimg => "zbarimg",
        }
    }

    /// The missing program or package, if any.
    fn missing(self) -> Option<String> {
        if command::find_in_path(self.program()).is_none() {
            return Some(self.program().to_owned());
        }
        let package = match self {
            Self::Html5lib => "html5lib",
            Self::Playwright => "playwright",
            Self::Python => "cryptography",
            Self::Schemathesis => "schemathesis",
            _ => return None,
        };
        let statement = format!("import {package}");
        let found = run(Command::new("python3").args(["-c", &statement]));
        (!found.status.success()).then(|| format!("the Python package {package}"))
    }
}

/// Whether all of `tools` are installed. If not, prints so, and the test should be skipped.
///
/// # Panics
///
/// If one is missing and `PORTCULLIS_REQUIRE_TOOLS` is `1`.
pub fn are_available(tools: &[Tool]) -> bool {
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
