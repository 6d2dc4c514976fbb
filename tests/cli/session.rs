//! A person at a terminal beside a running controller.

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::{CommandOutput, Controller, TestDirectory, binaries, command, run, wait};

/// Password of the administrator in these tests.
pub(crate) const PASSWORD: &str = "walk-through-password";

/// A controller, and a folder and profiles of the person.
pub(crate) struct Session {
    pub(crate) controller: Controller,
    // After the controller: it lives in this folder.
    pub(crate) site: TestDirectory,
}

impl Session {
    /// Starts a controller. Nobody has logged in.
    pub(crate) fn new() -> Self {
        let site = TestDirectory::new();
        let controller = site.quickstart().with(["--password", PASSWORD]).start();
        Self { controller, site }
    }

    /// Starts a controller, and logs the administrator in.
    pub(crate) fn logged_in() -> Self {
        let session = Self::new();
        session.log_in();
        session
    }

    pub(crate) fn log_in(&self) {
        let ca = self.controller.ca();
        let login = [
            "login",
            self.controller.url(),
            "--username",
            "admin",
            "--ca",
        ];
        self.run(&[&login[..], &[ca.to_str().unwrap()]].concat())
            .success();
    }

    /// Runs the command line in the folder of the person.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(self.command(&binaries::cli()).args(arguments))
    }

    /// The same for somebody whose password is to be read from the standard input. That the
    /// environment holds another one makes no difference.
    #[track_caller]
    pub(crate) fn run_with_password(&self, arguments: &[&str], password: &str) -> CommandOutput {
        let mut line = self.command(&binaries::cli());
        line.args(arguments).args(["--password-file", "-"]);
        command::run_with(
            &mut line,
            format!("{password}\n").as_bytes(),
            wait::DEFAULT_TIMEOUT,
        )
    }

    /// What the person sees who enters these lines one after the other. A single quote holds words
    /// together, as it does in a shell.
    #[track_caller]
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let entries = lines.iter().map(|line| {
            let output = self.run(&words(line));
            let (text, code) = (output.text(), output.code());
            format!("$ portcullis {line}\n{text}{}[{code}]\n", output.stderr)
        });
        let transcript: String = entries.collect();
        without_request_ids(&without_times(
            &transcript.replace(self.controller.url(), "URL"),
        ))
    }

    /// The one JSON document that a command prints.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let outcome = self
            .run(&[arguments, &["--output", "json"]].concat())
            .success();
        let mut documents = serde_json::Deserializer::from_slice(&outcome.stdout).into_iter();
        let document = documents.next().expect("there is a document").unwrap();
        assert!(documents.next().is_none(), "{}", outcome.text());
        document
    }

    /// A program with nothing of the tester's own environment but the search path.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs(command::coverage())
            .env("HOME", self.site.work())
            .env("PORTCULLIS_CONFIG_DIR", self.site.folder().join("profiles"))
            .env("PORTCULLIS_PASSWORD", PASSWORD)
            .current_dir(self.site.work());
        command
    }
}

fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// The text with `REQUEST` for the id of each request.
fn without_request_ids(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        if line.starts_with("request id: ") {
            "request id: REQUEST\n"
        } else {
            line
        }
    });
    lines.collect()
}

/// The text with `TIME` for each point in time and its distance from now.
fn without_times(text: &str) -> String {
    let is_time = |word: &str| word.ends_with('Z') && word.starts_with("20") && word.contains('T');
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let time = word.trim_end();
        if is_time(time) {
            word.replace(time, "TIME")
        } else {
            word.to_owned()
        }
    });
    let text: String = words.collect();
    let mut parts = text.split("TIME (");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.split_once(')').map_or(part, |(_, rest)| rest);
        text + "TIME" + rest
    })
}
