//! `portcullis router-config generate`.

use crate::console::Console;
use crate::failure::Failure;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use portcullis_router_config::generate::{
    GenerateError, GenerateOptions, RouterKind, Tunnel, generate,
};
use portcullis_router_config::{CheckOptions, Finding, Severity, SourceFile, load};
use portcullis_yaml::syntax::HostPort;
use std::net::IpAddr;
use std::path::PathBuf;

/// Help footer of `generate`.
pub(crate) const EXAMPLES: &str = "\
The file is short and commented, as if written by hand. Both Portcullis and `ziti router run` accept
it.

Examples:
  portcullis router-config generate edge --name r1 --host r1.example.com \\
      --controller ctrl.example.com:6262 --out r1.yml
  portcullis router-config generate edge --name gw --tunnel tproxy --lan-interface eth1
  portcullis router-config generate edge --name kiosk --private --tunnel proxy --service web:8080
  portcullis router-config generate fabric --name core1 --link-port 6000";

/// Has `generate` write files without a tunneler unless it is told otherwise.
pub(crate) fn without_tunnel(command: clap::Command) -> clap::Command {
    command.mut_subcommand("edge", |edge| {
        edge.mut_arg("tunnel", |mode| mode.default_value("none"))
    })
}

/// Kinds of routers to generate a file for.
#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// A router for SDKs and tunnelers that also forwards traffic
    #[command(after_long_help = EXAMPLES)]
    Edge(EdgeArgs),
    /// A router that only forwards traffic between routers
    #[command(after_long_help = EXAMPLES)]
    Fabric(RouterArgs),
}

/// Options for every router.
#[derive(Debug, Args)]
pub struct RouterArgs {
    /// Name of the router, also used for its certificate and key files
    #[arg(long, value_name = "NAME")]
    name: String,

    /// Host name at which clients and other routers reach it (default: its name)
    #[arg(long, value_name = "HOST", value_parser = parse_host, value_hint = ValueHint::Hostname)]
    host: Option<String>,

    /// Additional IP address of the router
    #[arg(long, value_name = "ADDRESS")]
    ip: Option<IpAddr>,

    /// Host and port of the controller (default: 127.0.0.1:6262)
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_controller)]
    controller: Option<String>,

    /// Directory of the certificates and keys
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    folder: String,

    /// Port for links from other routers
    #[arg(long, value_name = "PORT", default_value_t = 10080, value_parser = port_parser())]
    link_port: u16,

    /// Do not accept links from other routers; it still dials them
    #[arg(long)]
    private: bool,

    /// Port of the health API (default: no health API)
    #[arg(long, value_name = "PORT", value_parser = port_parser())]
    health_port: Option<u16>,

    /// File to write, with mode 0644 (default: standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,

    /// Overwrite the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

/// Options for edge routers.
#[derive(Debug, Args)]
pub struct EdgeArgs {
    #[command(flatten)]
    router: RouterArgs,

    /// Port for clients
    #[arg(long, value_name = "PORT", default_value_t = 3022, value_parser = port_parser())]
    edge_port: u16,

    /// Have clients connect over WebSocket (`wss`)
    #[arg(long)]
    web_sockets: bool,

    /// Mode of the built-in tunneler
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    tunnel: TunnelMode,

    /// Network interface whose traffic `--tunnel tproxy` intercepts (default: none, only what
    /// the machine itself sends)
    #[arg(long, value_name = "NAME")]
    lan_interface: Option<String>,

    /// Service for which `--tunnel proxy` opens a port; can be repeated
    #[arg(long = "service", value_name = "SERVICE:PORT", value_delimiter = ',')]
    services: Vec<String>,
}

/// Modes of the tunneler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum TunnelMode {
    /// No tunneler
    None,
    /// Host services that the router may bind
    #[default]
    Host,
    /// Also intercept traffic for services that the router may dial
    Tproxy,
    /// Also open a port for each `--service`
    Proxy,
}

fn port_parser() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..)
}

/// Parses a host name or an IP address.
fn parse_host(text: &str) -> Result<String, &'static str> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_address = bare.unwrap_or(text).parse::<IpAddr>().is_ok();
    if is_address || text.chars().all(is_host_char) {
        Ok(text.to_owned())
    } else {
        Err("must be a host name or an IP address, with nothing before or after it")
    }
}

/// Parses host and port, without the prefix `tls:` that the file uses.
fn parse_controller(text: &str) -> Result<String, &'static str> {
    let place = text.strip_prefix("tls:").unwrap_or(text);
    match place.parse::<HostPort>() {
        Ok(_) => Ok(place.to_owned()),
        Err(_) => {
            Err("must look like `ctrl.example.com:6262`, or `[::1]:6262` for an IPv6 address")
        },
    }
}

fn is_host_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

pub(crate) fn run<C: Console>(console: &C, command: &GenerateCommand) -> Result<(), C::Error> {
    let (arguments, plan) = match command {
        GenerateCommand::Edge(arguments) => (&arguments.router, arguments.plan()?),
        GenerateCommand::Fabric(arguments) => (arguments, arguments.plan(RouterKind::Fabric)),
    };
    let file = generate(&plan).map_err(|error| arguments.explain_error(&error))?;
    refuse_what_is_not_run(console, &file)?;
    match &arguments.out {
        Some(path) => console.write_file(path, arguments.force, &file),
        None => console.write(&file),
    }
}

/// A program writes no file that it would not run itself.
fn refuse_what_is_not_run(console: &impl Console, file: &str) -> Result<(), Failure> {
    let loaded = load(
        &SourceFile::new("router.yml", file.as_bytes()),
        &CheckOptions::new(),
    );
    let findings = console.own_findings(&loaded);
    let is_error = |finding: &&Finding| finding.diagnostic.severity == Severity::Error;
    let Some(Finding { diagnostic, .. }) = findings.iter().find(is_error) else {
        return Ok(());
    };
    let failure = Failure::usage(diagnostic.message.clone());
    Err(match &diagnostic.help {
        Some(help) => failure.hint(help),
        None => failure,
    })
}

impl RouterArgs {
    /// Explains which options are invalid.
    fn explain_error(&self, error: &GenerateError) -> Failure {
        let findings = match error {
            GenerateError::Refused(findings) => findings,
            GenerateError::Unwritable(_) => return Failure::usage(error.to_string()),
            GenerateError::Ipv6Edge(address) => {
                return Failure::usage(error.to_string()).hint(format!(
                    "pass a name with `--host`, and the address with `--ip {address}`"
                ));
            },
        };
        let found = findings.first().map(|finding| &finding.diagnostic);
        let reason = found.map_or("", |diagnostic| &diagnostic.message);
        let failure = Failure::usage(format!("these options produce an invalid file: {reason}"));
        match found.and_then(|diagnostic| diagnostic.help.as_ref()) {
            _ if self.host.is_none() && !self.name.chars().all(is_host_char) => {
                failure.hint("the router name is not a host name: pass one with `--host`")
            },
            Some(help) => failure.hint(help),
            None => failure,
        }
    }

    fn plan(&self, kind: RouterKind) -> GenerateOptions {
        let host = self.host.as_ref().unwrap_or(&self.name);
        GenerateOptions {
            folder: self.folder.clone(),
            controller: self.controller.clone(),
            ip: self.ip.map(|address| address.to_string()),
            link_port: self.link_port,
            public: !self.private,
            health_port: self.health_port,
            ..GenerateOptions::new(kind, &self.name, host)
        }
    }
}

impl EdgeArgs {
    fn plan(&self) -> Result<GenerateOptions, Failure> {
        Ok(GenerateOptions {
            edge_port: self.edge_port,
            web_sockets: self.web_sockets,
            tunnel: self.tunnel()?,
            ..self.router.plan(RouterKind::Edge)
        })
    }

    /// Rejects options of another tunneler mode.
    fn tunnel(&self) -> Result<Tunnel, Failure> {
        let refuse = |message: &str| Err(Failure::usage(message));
        if self.lan_interface.is_some() && self.tunnel != TunnelMode::Tproxy {
            return refuse("`--lan-interface` can only be used with `--tunnel tproxy`");
        }
        match (self.tunnel, self.services.is_empty()) {
            (TunnelMode::Proxy, true) => refuse("`--tunnel proxy` needs a `--service NAME:PORT`"),
            (TunnelMode::Proxy, false) => Ok(Tunnel::Proxy {
                services: self.services.clone(),
            }),
            (_, false) => refuse("`--service` can only be used with `--tunnel proxy`"),
            (TunnelMode::None, true) => Ok(Tunnel::None),
            (TunnelMode::Host, true) => Ok(Tunnel::Host),
            (TunnelMode::Tproxy, true) => Ok(Tunnel::Tproxy {
                lan_interface: self.lan_interface.clone(),
            }),
        }
    }
}
