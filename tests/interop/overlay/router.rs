//! Routers: ours and those of OpenZiti, with the same file.

use super::place::Place;
use std::ffi::OsString;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::controller::free_port;
use support::{Running, TestDirectory, binaries, run};

/// Whose router it is.
pub(crate) enum RouterProgram {
    Ours,
    /// That of the program `ziti`.
    OpenZiti(OsString),
}

impl RouterProgram {
    fn command(&self) -> Command {
        match self {
            Self::Ours => Command::new(binaries::router()),
            Self::OpenZiti(program) => {
                let mut command = Command::new(program);
                command.arg("router");
                command
            },
        }
    }

    fn enroll(&self) -> Command {
        let mut command = self.command();
        command.arg("enroll");
        if matches!(self, Self::OpenZiti(_)) {
            // The usual RSA key of 4096 bits takes its time.
            command.args(["--keyAlg", "EC"]);
        }
        command
    }

    fn run(&self, config: &Path) -> Command {
        let mut command = self.command();
        command.arg("run").arg(config);
        match self {
            // Profiles of the memory, where the file has one, tell of small allocations, too.
            Self::Ours => command.env("_RJEM_MALLOC_CONF", "lg_prof_sample:12"),
            Self::OpenZiti(_) => command.args(["--log-formatter", "text"]),
        };
        command
    }
}

/// A router that runs.
pub(crate) struct Router {
    running: Running,
    name: String,
    config: PathBuf,
}

impl Router {
    /// Enrolls a router at the controller of this address, and runs it. `sections` are those that its file has
    /// beside `v`, `identity` and `ctrl`.
    pub(super) fn start(
        site: &TestDirectory,
        (program, place): (&RouterProgram, Place<'_>),
        (name, jwt): (&str, &str),
        (controller, sections): (&str, &str),
    ) -> Self {
        let [config, token] = ["yml", "jwt"].map(|kind| site.file(&format!("{name}.{kind}")));
        fs::write(&token, jwt).unwrap();
        let file = format!("{}{sections}", least_file(&site.file(name), controller));
        fs::write(&config, file).unwrap();
        let mut enroll = program.enroll();
        enroll.arg(&config).arg("--jwt").arg(&token);
        enroll.current_dir(site.work()).env("HOME", site.work());
        run(&mut enroll).success();
        Self {
            running: Running::start(site, name, place.of(program.run(&config))),
            name: name.to_owned(),
            config,
        }
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn terminate(self) {
        self.running.terminate();
    }

    pub(crate) fn process(&self) -> u32 {
        self.running.process()
    }

    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// Waits until it has logged a text.
    pub(crate) fn until_logged(&mut self, text: &str) {
        self.running.until_logged(text);
    }

    /// Waits until it has ended well by itself.
    pub(crate) fn until_ended(self) {
        self.running.until_done();
    }

    /// What it has logged so far.
    pub(crate) fn logged(&self) -> String {
        self.running.logged()
    }

    /// Kills it, and runs it again on this computer.
    pub(crate) fn restart(self, site: &TestDirectory, program: &RouterProgram) -> Self {
        drop(self.running);
        Self {
            running: Running::start(site, &self.name, program.run(&self.config)),
            ..self
        }
    }
}

/// The least that the file of a router has to have. Its own files begin with `prefix`.
fn least_file(prefix: &Path, controller: &str) -> String {
    let prefix = prefix.display();
    format!(
        "\
v: 3
identity:
  cert: {prefix}.cert
  server_cert: {prefix}.server.chain.cert
  key: {prefix}.key
  ca: {prefix}.cas
ctrl:
  endpoint: tls:{controller}
dialers: [{{binding: transport}}]
"
    )
}

/// Sections of a router that dials others, and is dialed. All name their interface alike: otherwise, two routers
/// that dial each other have two links.
pub(crate) fn with_links(address: Ipv4Addr) -> String {
    with_links_at(address, "overlay")
}

/// The same with another name of the interface.
pub(crate) fn with_links_at(address: Ipv4Addr, interface: &str) -> String {
    let link = free_port();
    format!(
        "\
link:
  dialers: [{{binding: transport}}]
  listeners:
    - binding: transport
      bind: tls:{address}:{link}
      advertise: tls:{address}:{link}
      bindInterface: {interface}
"
    )
}

/// Sections of a router with an edge. `listeners` are further entries of that section.
pub(crate) fn with_edge(address: Ipv4Addr, listeners: &str) -> String {
    let edge = free_port();
    format!(
        "\
listeners:
  - binding: edge
    address: tls:{address}:{edge}
    options: {{advertise: '{address}:{edge}', connectTimeoutMs: 5000, getSessionTimeout: 60}}
{listeners}edge:
  csr:
    sans: {{dns: [localhost], ip: [{address}]}}
"
    )
}

/// Sections of a router that tells of its health at a port of this computer. `checks` are those of `healthChecks`.
pub(crate) fn with_health(port: u16, checks: &str) -> String {
    format!(
        "\
web:
  - name: health
    bindPoints: [{{interface: '127.0.0.1:{port}', address: 'localhost:{port}'}}]
    apis: [{{binding: health-checks}}]
healthChecks: {{{checks}}}
"
    )
}
