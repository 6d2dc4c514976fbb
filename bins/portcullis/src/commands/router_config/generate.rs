//! `portcullis router-config generate`.

use crate::error::CliError;
use crate::files::{self, Existing};
use crate::output;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use portcullis_router_config::generate::{GenerateError, Plan, RouterKind, Tunnel, generate};
use portcullis_yaml::syntax::HostPort;
use std::net::IpAddr;
use std::path::PathBuf;

/// Shown below the help of `generate`.
pub(super) const EXAMPLES: &str = "\
The file is short and commented, as if written by hand. Portcullis accepts it, and so
does `ziti router run`.

Examples:
  portcullis router-config generate edge --name r1 --host r1.example.com \\
      --controller ctrl.example.com:6262 --out r1.yml
  portcullis router-config generate edge --name gw --tunnel tproxy --lan-interface eth1
  portcullis router-config generate edge --name kiosk --private --tunnel proxy --service web:8080
  portcullis router-config generate fabric --name core1 --link-port 6000";

/// What to write a file for.
#[derive(Debug, Subcommand)]
pub(crate) enum GenerateCommand {
    /// A router that serves SDKs and tunnels, and forwards
    #[command(after_long_help = EXAMPLES)]
    Edge(EdgeArgs),
    /// A router that only forwards between routers
    #[command(after_long_help = EXAMPLES)]
    Fabric(RouterArgs),
}

/// Arguments about every router.
#[derive(Debug, Args)]
pub(crate) struct RouterArgs {
    /// Name of the router; its certificates and keys are named after it
    #[arg(long, value_name = "NAME")]
    name: String,

    /// Host under which clients and other routers reach it; its name if left out
    #[arg(long, value_name = "HOST", value_parser = host, value_hint = ValueHint::Hostname)]
    host: Option<String>,

    /// IP address under which it is reached besides
    #[arg(long, value_name = "ADDRESS")]
    ip: Option<IpAddr>,

    /// Host and port of the controller; 127.0.0.1:6262 if left out
    #[arg(long, value_name = "HOST:PORT", value_parser = controller)]
    controller: Option<String>,

    /// Folder of the certificates and keys
    #[arg(long, value_name = "FOLDER", default_value = ".", value_hint = ValueHint::DirPath)]
    folder: String,

    /// Port for links from other routers
    #[arg(long, value_name = "PORT", default_value_t = 10080, value_parser = port())]
    link_port: u16,

    /// Do not let other routers dial this one; it still dials others
    #[arg(long)]
    private: bool,

    /// Port of the health API; not served if left out
    #[arg(long, value_name = "PORT", value_parser = port())]
    health_port: Option<u16>,

    /// File to write, with mode 0644; the standard output if left out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

/// Arguments about edge routers.
#[derive(Debug, Args)]
pub(crate) struct EdgeArgs {
    #[command(flatten)]
    router: RouterArgs,

    /// Port for clients
    #[arg(long, value_name = "PORT", default_value_t = 3022, value_parser = port())]
    edge_port: u16,

    /// Have clients connect as browsers do, by `wss`
    #[arg(long)]
    web_sockets: bool,

    /// What the built-in tunnel does
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    tunnel: Mode,

    /// Network interface whose traffic `--tunnel tproxy` catches; all if left out
    #[arg(long, value_name = "NAME")]
    lan_interface: Option<String>,

    /// Service for which `--tunnel proxy` opens a port; can be repeated
    #[arg(long = "service", value_name = "SERVICE:PORT", value_delimiter = ',')]
    services: Vec<String>,
}

/// What the tunnel of an edge router does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// No tunnel
    None,
    /// Serve services that the router may bind
    #[default]
    Host,
    /// Catch traffic for services that the router may dial, too
    Tproxy,
    /// Open a port for each `--service`, too
    Proxy,
}

fn port() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..)
}

/// A host name or an IP address.
fn host(text: &str) -> Result<String, &'static str> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_address = bare.unwrap_or(text).parse::<IpAddr>().is_ok();
    if is_address || text.chars().all(is_of_host) {
        Ok(text.to_owned())
    } else {
        Err("give a host name or an IP address, with nothing before or after it")
    }
}

/// Host and port; `tls:` in front, as in the file, is taken off.
fn controller(text: &str) -> Result<String, &'static str> {
    let place = text.strip_prefix("tls:").unwrap_or(text);
    match place.parse::<HostPort>() {
        Ok(_) => Ok(place.to_owned()),
        Err(_) => Err("give it like `ctrl.example.com:6262`, an IPv6 address like `[::1]:6262`"),
    }
}

fn is_of_host(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

pub(super) fn run(command: &GenerateCommand) -> Result<(), CliError> {
    let (arguments, plan) = match command {
        GenerateCommand::Edge(arguments) => (&arguments.router, arguments.plan()?),
        GenerateCommand::Fabric(arguments) => (arguments, arguments.plan(RouterKind::Fabric)),
    };
    let file = generate(&plan).map_err(|error| arguments.refused(&error))?;
    let Some(path) = &arguments.out else {
        return output::write(&file);
    };
    let existing = if arguments.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    files::write_readable(path, existing, file.as_bytes())?;
    output::note(&format!("{} was written", path.display()));
    Ok(())
}

impl RouterArgs {
    /// Says which wishes cannot be fulfilled.
    fn refused(&self, error: &GenerateError) -> CliError {
        let findings = match error {
            GenerateError::Refused(findings) => findings,
            GenerateError::Unwritable(_) => return CliError::usage(error.to_string()),
            GenerateError::Ipv6Edge(address) => {
                return CliError::usage(error.to_string()).hint(format!(
                    "give a name with `--host`, and the address with `--ip {address}`"
                ));
            },
        };
        let found = findings.first().map(|finding| &finding.diagnostic);
        let reason = found.map_or("", |diagnostic| &diagnostic.message);
        let failure = CliError::usage(format!("these options produce an invalid file: {reason}"));
        match found.and_then(|diagnostic| diagnostic.help.as_ref()) {
            _ if self.host.is_none() && !self.name.chars().all(is_of_host) => {
                failure.hint("the name is not a host name: give one with `--host`")
            },
            Some(help) => failure.hint(help),
            None => failure,
        }
    }

    fn plan(&self, kind: RouterKind) -> Plan {
        let host = self.host.as_ref().unwrap_or(&self.name);
        Plan {
            folder: self.folder.clone(),
            controller: self.controller.clone(),
            ip: self.ip.map(|address| address.to_string()),
            link_port: self.link_port,
            public: !self.private,
            health_port: self.health_port,
            ..Plan::new(kind, &self.name, host)
        }
    }
}

impl EdgeArgs {
    fn plan(&self) -> Result<Plan, CliError> {
        Ok(Plan {
            edge_port: self.edge_port,
            web_sockets: self.web_sockets,
            tunnel: self.tunnel()?,
            ..self.router.plan(RouterKind::Edge)
        })
    }

    /// Refuses what only makes sense with another mode.
    fn tunnel(&self) -> Result<Tunnel, CliError> {
        let refuse = |message: &str| Err(CliError::usage(message));
        if self.lan_interface.is_some() && self.tunnel != Mode::Tproxy {
            return refuse("`--lan-interface` can only be used with `--tunnel tproxy`");
        }
        match (self.tunnel, self.services.is_empty()) {
            (Mode::Proxy, true) => refuse("`--tunnel proxy` needs a `--service NAME:PORT`"),
            (Mode::Proxy, false) => Ok(Tunnel::Proxy {
                services: self.services.clone(),
            }),
            (_, false) => refuse("`--service` can only be used with `--tunnel proxy`"),
            (Mode::None, true) => Ok(Tunnel::None),
            (Mode::Host, true) => Ok(Tunnel::Host),
            (Mode::Tproxy, true) => Ok(Tunnel::Tproxy {
                lan_interface: self.lan_interface.clone(),
            }),
        }
    }
}
