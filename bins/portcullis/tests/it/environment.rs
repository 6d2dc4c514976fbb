//! Runs of the program in an isolated environment.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder and an environment in which nothing of the machine is seen.
pub(crate) struct Environment {
    folder: TempDir,
}

/// How a run ended.
#[derive(Debug)]
#[must_use]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Environment {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of the profiles.
    pub(crate) fn profiles(&self) -> PathBuf {
        self.path("home/.config/portcullis")
    }

    /// Writes a file and gives its path.
    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a profile of a controller at `url` with a session.
    pub(crate) fn log_in(&self, url: &str) {
        let ca = rcgen::generate_simple_self_signed(Vec::new())
            .unwrap()
            .cert
            .pem();
        let profiles = serde_json::json!({"profiles": {"default": {
            "url": url, "ca": ca, "username": "admin", "session": {"token": "s3cret-token"}
        }}});
        self.write(
            "home/.config/portcullis/profiles.json",
            &profiles.to_string(),
        );
    }

    /// The program in this environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command
            .env_clear()
            // Where the program writes which of its lines ran, if that is measured.
            .envs(env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)))
            .env("HOME", self.path("home"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program with the words of `line`.
    pub(crate) fn run(&self, line: &str) -> Outcome {
        outcome(self.command().args(line.split_whitespace()))
    }

    /// What a person sees who enters these lines one after the other.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let entries = lines.iter().map(|line| {
            let shown = self.run(line);
            let Outcome { code, .. } = shown;
            format!(
                "$ portcullis {line}\n{}{}[{code}]",
                shown.stdout, shown.stderr
            )
        });
        let transcript = entries.collect::<Vec<_>>().join("\n");
        let folder = self.folder.path().to_str().unwrap();
        let transcript = transcript.replace(folder, "FOLDER");
        // Help has blanks in its empty lines.
        let lines: Vec<_> = transcript.lines().map(str::trim_end).collect();
        lines.join("\n")
    }

    /// Reads a file that must be there.
    pub(crate) fn read(&self, path: &Path) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

/// Runs a command to its end.
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let outcome = Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains("s3cret"), "secrets are never shown: {text}");
        assert!(
            !text.contains('\u{1b}'),
            "there are no colors without a terminal: {text}"
        );
    }
    outcome
}

/// An address at which nothing listens.
pub(crate) fn closed() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    format!("https://{}", listener.local_addr().unwrap())
}
