//! Router configuration files for CLI tests, without a login.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{CommandOutput, TestDirectory, binaries, command, wait};

/// A valid file.
pub(crate) const VALID: &str = "\
v: 3
identity: {cert: r.cert, server_cert: r.chain.cert, key: r.key, ca: r.cas}
ctrl:
  endpoint: tls:ctrl.example.test:6262
csr:
  sans: {dns: [r.example.test]}
";

/// A file with an unknown key, which OpenZiti ignores.
pub(crate) fn misspelled() -> String {
    format!("{VALID}forwarder:\n  linkDialWorkerCont: 5\n")
}

/// A file with a value of the wrong type, which makes OpenZiti crash.
pub(crate) fn crashing() -> String {
    VALID.replace("6262\n", "6262\n  defaultRequestTimeout: 5\n")
}

/// A folder for the files.
pub(crate) struct RouterConfigFiles {
    pub(crate) site: TestDirectory,
}

impl RouterConfigFiles {
    pub(crate) fn new() -> Self {
        Self {
            site: TestDirectory::new(),
        }
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.site.file(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// `portcullis router-config` with an empty environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(binaries::cli());
        command
            .env_clear()
            .envs(command::coverage())
            .current_dir(self.site.work())
            .arg("router-config");
        command
    }

    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_with(arguments, b"")
    }

    #[track_caller]
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        command::run_with(self.command().args(arguments), input, wait::DEFAULT_TIMEOUT)
    }

    /// The JSON result of checking one file, after asserting the exit code.
    #[track_caller]
    pub(crate) fn check_json(&self, arguments: &[&str], code: i32) -> Value {
        let all = [&["check", "--format", "json"], arguments].concat();
        let mut lines = lines(&self.run(&all).expect_code(code));
        assert_eq!(lines.len(), 1);
        lines.remove(0)
    }
}

/// The JSON documents in an output, one per line.
#[track_caller]
pub(crate) fn lines(outcome: &CommandOutput) -> Vec<Value> {
    let text = outcome.text();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The codes of the findings about one file.
pub(crate) fn codes(judged: &Value) -> Vec<&str> {
    let findings = judged["findings"].as_array().expect("there are findings");
    findings
        .iter()
        .map(|finding| finding["code"].as_str().expect("a code"))
        .collect()
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}
