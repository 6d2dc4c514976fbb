//! Tunnelers of OpenZiti.

use super::PATIENCE;
use super::echo::{OpenConnection, exchange};
use std::ffi::OsStr;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use support::controller::free_port;
use support::{Running, TestDirectory, wait};

/// Hosts what the identity may bind and has a `host.v1` for.
pub(crate) fn host(site: &TestDirectory, program: &OsStr, identity: &Path) -> Running {
    let mut command = Command::new(program);
    command.args(["tunnel", "host", "-i"]).arg(identity);
    Running::start(site, "host", with_text_log(command))
}

/// A tunneler that takes connections for a service.
pub(crate) struct Proxy {
    running: Running,
    port: u16,
}

impl Proxy {
    pub(crate) fn start(
        site: &TestDirectory,
        program: &OsStr,
        identity: &Path,
        service: &str,
    ) -> Self {
        let port = free_port();
        let mut command = Command::new(program);
        command.args(["tunnel", "proxy", "-i"]).arg(identity);
        command.arg(format!("{service}:{port}"));
        Self {
            running: Running::start(site, "client", with_text_log(command)),
            port,
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.running.process()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// A connection that was used, and stays open.
    pub(crate) fn open(&self) -> OpenConnection {
        OpenConnection::new(self.connect())
    }

    /// Waits until the service can be used.
    pub(crate) fn until_reachable(&self) {
        let tried = wait::until(PATIENCE, || {
            let connection = TcpStream::connect(("127.0.0.1", self.port))?;
            exchange(&connection, 100)
        });
        tried.unwrap();
    }
}

fn with_text_log(mut command: Command) -> Command {
    command.args(["--log-formatter", "text"]);
    command
}
