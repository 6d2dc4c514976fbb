//! `curl`, as a client that knows nothing of Portcullis.

use crate::command::{self, Outcome};
use crate::wait;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A request that is being prepared.
#[derive(Debug)]
pub struct Curl {
    command: Command,
    input: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The version of HTTP as curl writes it: `1.1`, `2`.
    pub version: String,
    /// The headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Curl {
    /// Begins a request to `url`, whose certificate has to be vouched for by `ca`.
    pub fn new(url: &str, ca: &Path) -> Self {
        Self::bare(url).argument("--cacert").argument(ca)
    }

    /// Begins a request to `url` that trusts nobody yet.
    pub fn bare(url: &str) -> Self {
        let mut command = Command::new("curl");
        // No configuration of the user, no globbing in addresses, no proxy of the environment.
        command.args(["--disable", "--silent", "--show-error", "--globoff"]);
        command.args(["--noproxy", "*", "--max-time", "30", url]);
        Self {
            command,
            input: Vec::new(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn arguments<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Shows a client certificate.
    #[must_use]
    pub fn certificate(self, certificate: &Path, key: &Path) -> Self {
        self.argument("--cert")
            .argument(certificate)
            .argument("--key")
            .argument(key)
    }

    /// Sends the token of a session.
    #[must_use]
    pub fn session(self, token: &str) -> Self {
        self.header(&format!("zt-session: {token}"))
    }

    /// Sends a header.
    #[must_use]
    pub fn header(self, header: &str) -> Self {
        self.argument("--header").argument(header)
    }

    /// Sends a body with a method.
    #[must_use]
    pub fn body(mut self, method: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.input = body.into();
        self.argument("--request")
            .argument(method)
            .header(&format!("content-type: {content_type}"))
            .header("expect:")
            .arguments(["--data-binary", "@-"])
    }

    /// Sends JSON with a method.
    #[must_use]
    pub fn json(self, method: &str, body: &Value) -> Self {
        self.body(method, "application/json", body.to_string())
    }

    /// Sends the request; there has to be an answer.
    #[track_caller]
    pub fn send(mut self) -> Reply {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (head, body) = (folder.path().join("head"), folder.path().join("body"));
        self.command.arg("--dump-header").arg(&head);
        self.command.arg("--output").arg(&body);
        self.command
            .args(["--write-out", "%{http_code} %{http_version}"]);
        let outcome = self.finish().success();
        let text = outcome.text();
        let (status, version) = text.split_once(' ').expect("curl tells both");
        Reply {
            status: status.parse().expect("the status is a number"),
            version: version.to_owned(),
            headers: headers(&fs::read_to_string(head).expect("the head is UTF-8")),
            // Without a body there is no file.
            body: fs::read(body).unwrap_or_default(),
        }
    }

    /// Sends the request and tells how curl ended, for exchanges that fail.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        command::run_with(&mut self.command, &self.input, wait::PATIENCE)
    }
}

impl Reply {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// The same, after a look at the status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// What a success holds.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert!(self.status < 300, "{} {}", self.status, self.text());
        self.json()["data"].clone()
    }

    /// Status and code of a refusal.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().map(str::to_owned);
        (
            self.status,
            code.unwrap_or_else(|| panic!("no code in {}", self.text())),
        )
    }
}

/// The headers of the last answer; earlier ones are interim.
fn headers(head: &str) -> Vec<(String, String)> {
    let head = head.replace("\r\n", "\n");
    let last = head.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_interim_answers_are_passed_over() {
        let head = "HTTP/1.1 100 Continue\r\nA: 0\r\n\r\nHTTP/1.1 200 OK\r\nB: 1\r\nC:d\r\n\r\n";
        assert_eq!(
            headers(head),
            [
                ("b".to_owned(), "1".to_owned()),
                ("c".to_owned(), "d".to_owned())
            ]
        );
        assert_eq!(headers(""), []);
    }
}
