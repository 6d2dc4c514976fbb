//! `curl` as an independent HTTP client.

use crate::command::{self, CommandOutput};
use crate::wait;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Builder of a request.
#[derive(Debug)]
pub struct Curl {
    command: Command,
    input: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// HTTP version as curl writes it: `1.1`, `2`.
    pub version: String,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Curl {
    /// Starts a request to `url`, whose certificate must chain to one in `ca`.
    pub fn new(url: &str, ca: &Path) -> Self {
        Self::bare(url).argument("--cacert").argument(ca)
    }

    /// Starts a request to `url` without any trusted CA.
    pub fn bare(url: &str) -> Self {
        let mut command = Command::new("curl");
        // No user configuration, no globbing in URLs, no proxy from the environment.
        command.args(["--disable", "--silent", "--show-error", "--globoff"]);
        command.args(["--noproxy", "*", "--max-time", "30", url]);
        Self {
            command,
            input: Vec::new(),
        }
    }

    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    #[must_use]
    pub fn arguments<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets the client certificate.
    #[must_use]
    pub fn certificate(self, certificate: &Path, key: &Path) -> Self {
        self.argument("--cert")
            .argument(certificate)
            .argument("--key")
            .argument(key)
    }

    /// Sets the session token.
    #[must_use]
    pub fn session(self, token: &str) -> Self {
        self.header(&format!("zt-session: {token}"))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(self, header: &str) -> Self {
        self.argument("--header").argument(header)
    }

    /// Sets method and body.
    #[must_use]
    pub fn body(mut self, method: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.input = body.into();
        self.argument("--request")
            .argument(method)
            .header(&format!("content-type: {content_type}"))
            .header("expect:")
            .arguments(["--data-binary", "@-"])
    }

    /// Sets method and JSON body.
    #[must_use]
    pub fn json(self, method: &str, body: &Value) -> Self {
        self.body(method, "application/json", body.to_string())
    }

    /// Sends the request; a response is required.
    #[track_caller]
    pub fn send(mut self) -> Reply {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (head, body) = (folder.path().join("head"), folder.path().join("body"));
        self.command.arg("--dump-header").arg(&head);
        self.command.arg("--output").arg(&body);
        self.command
            .args(["--write-out", "%{http_code} %{http_version}"]);
        let outcome = self.output().success();
        let text = outcome.text();
        let (status, version) = text.split_once(' ').expect("curl tells both");
        Reply {
            status: status.parse().expect("the status is a number"),
            version: version.to_owned(),
            headers: headers(&fs::read_to_string(head).expect("the head is UTF-8")),
            // There is no file if the body is empty.
            body: fs::read(body).unwrap_or_default(),
        }
    }

    /// Sends the request and returns the output of curl, for requests that are expected to fail.
    #[track_caller]
    pub fn output(mut self) -> CommandOutput {
        command::run_with(&mut self.command, &self.input, wait::DEFAULT_TIMEOUT)
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// Asserts the status.
    #[track_caller]
    pub fn expect_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// The member `data` of a success response.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert!(self.status < 300, "{} {}", self.status, self.text());
        self.json()["data"].clone()
    }

    /// Status and code of an error response.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().map(str::to_owned);
        (
            self.status,
            code.unwrap_or_else(|| panic!("no code in {}", self.text())),
        )
    }
}

/// The headers of the final response, after any interim ones.
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
