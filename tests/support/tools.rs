//! External programs that tests need and that may not be installed.

use crate::command::{self, run};
use std::ffi::OsStr;
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
        (!can_import("python3", package)).then(|| format!("the Python package {package}"))
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

/// A Python that has these modules: the one that `PORTCULLIS_TEST_PYTHON` names, or the first on the path.
pub fn python_with(modules: &str) -> Option<String> {
    let named = std::env::var("PORTCULLIS_TEST_PYTHON").ok();
    let candidates = named.into_iter().chain(["python3".to_owned()]);
    candidates
        .filter(|program| {
            command::find_in_path(program).is_some() || std::fs::exists(program).unwrap_or(false)
        })
        .find(|program| can_import(program, modules))
}

/// Whether a Python has these modules.
pub(crate) fn can_import(python: impl AsRef<OsStr>, modules: &str) -> bool {
    let statement = format!("import {modules}");
    let mut probe = Command::new(python);
    run(probe.args(["-c", &statement])).status.success()
}
