//! Programs that are built with an SDK, and host or dial a service that says back what it gets.

use super::place::Place;
use crate::own;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::{Running, TestDirectory};

/// How long programs may take to exchange data. The C SDK up to 0.29 keeps 32 messages for a program: those that
/// arrive while it reads slowly stay in a buffer that it looks at only when more arrives, which may be the reply to
/// its next probe of the latency, sent once a minute.
pub(crate) const EXCHANGE_TIMEOUT: Duration = Duration::from_mins(3);

/// What a program is built with.
#[derive(Clone)]
pub(crate) enum Sdk {
    /// The C SDK of 2022, by this Python. It uses legacy sessions, ungrouped connections, and no flow control.
    C(OsString),
    /// The Go SDK: the program `go_sdk.go` beside this file, which logs in by OpenID Connect or as before it.
    Go { program: OsString, login: GoLogin },
}

#[derive(Clone, Copy)]
pub(crate) enum GoLogin {
    Legacy,
    Oidc,
}

impl Sdk {
    /// That of the Go SDK, if `PORTCULLIS_TEST_GO_SDK` names it.
    pub(crate) fn go(login: GoLogin) -> Option<Self> {
        let program = std::env::var_os("PORTCULLIS_TEST_GO_SDK");
        if program.is_none() {
            println!("skipped: PORTCULLIS_TEST_GO_SDK names no program");
        }
        program.map(|program| Self::Go { program, login })
    }

    fn command(&self, role: &str, identity: &Path, service: &str) -> Command {
        match self {
            Self::C(python) => {
                let mut command = Command::new(python);
                command.arg(own(&format!("overlay/{role}.py")));
                command.arg(identity).arg(service);
                command
            },
            Self::Go { program, login } => {
                let login = match login {
                    GoLogin::Legacy => "legacy",
                    GoLogin::Oidc => "oidc",
                };
                let mut command = Command::new(program);
                command.arg(role).arg(identity).args([service, login]);
                command
            },
        }
    }

    /// Hosts a service until the test ends.
    pub(crate) fn host(&self, site: &TestDirectory, identity: &Path, service: &str) -> Running {
        let command = self.command("host", identity, service);
        let mut host = Running::start(site, "host", command);
        host.until_logged("listening");
        host
    }

    /// Hosts a service and dials it over the same channel, with flow control by the router (`router`) or by the
    /// SDK (`sdk`): the Go SDK can do that.
    pub(crate) fn exchange_with_itself(
        &self,
        site: &TestDirectory,
        identity: &Path,
        (service, bytes): (&str, usize),
        flow: &str,
    ) {
        let mut command = self.command("both", identity, service);
        command.args([&bytes.to_string(), flow]);
        let mut both = Running::start(site, &format!("both-{flow}"), command);
        both.until_logged(&format!("exchanged {bytes} bytes"));
        both.until_done();
    }

    /// Dials a service, sends so many bytes with the half close at their end, and checks that they come back.
    pub(crate) fn exchange(
        &self,
        site: &TestDirectory,
        (identity, place): (&Path, Place<'_>),
        (service, bytes): (&str, usize),
    ) {
        let mut command = self.command("dial", identity, service);
        command.arg(bytes.to_string());
        let client = Running::start(site, "client", place.of(command));
        let mut client = client.with_timeout(EXCHANGE_TIMEOUT);
        client.until_logged(&format!("exchanged {bytes} bytes"));
        client.until_done();
    }
}
