//! Writing a file as a person would.

mod writer;

use std::net::Ipv6Addr;

use portcullis_yaml::Severity;

use crate::check::{Options, check};
use crate::finding::{Finding, Verdict};
use crate::generate::writer::Writer;
use crate::openziti::{Machine, judge};
use crate::source::Text;

/// Kinds of routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterKind {
    /// Serves SDKs and tunnels, and forwards.
    Edge,
    /// Only forwards.
    Fabric,
}

/// What the tunnel of an edge router does.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Tunnel {
    /// There is none.
    None,
    /// Serves services that the router may bind.
    #[default]
    Host,
    /// Also catches traffic for services that the router may dial.
    Tproxy {
        /// Network interface whose traffic is caught; all by default.
        lan_interface: Option<String>,
    },
    /// Also opens a port for each of these, `service:port`.
    Proxy {
        /// Services with the port of each.
        services: Vec<String>,
    },
}

/// What a generated file is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Kind of router.
    pub kind: RouterKind,
    /// Name, from which the names of the files with certificates are made.
    pub name: String,
    /// Folder of the certificates and keys.
    pub folder: String,
    /// Address of the controller, host and port.
    pub controller: Option<String>,
    /// Host under which others reach the router. An IPv6 address, which may stand in brackets, is for
    /// fabric routers alone.
    pub host: String,
    /// IP address under which others reach the router, besides.
    pub ip: Option<String>,
    /// Port for clients.
    pub edge_port: u16,
    /// Port for links.
    pub link_port: u16,
    /// Whether other routers can dial this one.
    pub public: bool,
    /// Whether clients connect by `WebSockets`.
    pub web_sockets: bool,
    /// What the tunnel does.
    pub tunnel: Tunnel,
    /// Port of the health API.
    pub health_port: Option<u16>,
}

/// Says why no file could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A name would not survive being written into the file.
    #[error(
        "`{0}` cannot be written into the file: it must not be empty or contain `$` or a control character"
    )]
    Unwritable(String),
    /// OpenZiti splits the addresses of edge listeners at every colon, so that no IPv6 address can
    /// stand there; those of links are read well.
    #[error(
        "OpenZiti cannot advertise the IPv6 address `{0}`: an edge router needs a host name or an IPv4 address"
    )]
    Ipv6Edge(Ipv6Addr),
    /// The file that these wishes lead to would not be accepted, for these errors.
    #[error("these options produce an invalid file: {}", .0.first().map(|finding| finding.diagnostic.to_string()).unwrap_or_default())]
    Refused(Vec<Finding>),
}

impl Plan {
    /// Plans a router with the usual ports, that other routers can dial.
    pub fn new(kind: RouterKind, name: impl Into<String>, host: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            folder: ".".to_owned(),
            controller: None,
            host: host.into(),
            ip: None,
            edge_port: 3022,
            link_port: 10080,
            public: true,
            web_sockets: false,
            tunnel: Tunnel::default(),
            health_port: None,
        }
    }

    /// The host without brackets.
    fn bare_host(&self) -> &str {
        let inner = self.host.strip_prefix('[');
        inner
            .and_then(|host| host.strip_suffix(']'))
            .filter(|host| host.parse::<Ipv6Addr>().is_ok())
            .unwrap_or(&self.host)
    }

    /// The host, if it is an IPv6 address.
    fn ipv6_host(&self) -> Option<Ipv6Addr> {
        self.bare_host().parse().ok()
    }

    fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.name.as_str(), &self.folder, &self.host];
        texts.extend(self.controller.as_deref());
        texts.extend(self.ip.as_deref());
        match &self.tunnel {
            Tunnel::Tproxy { lan_interface } => texts.extend(lan_interface.as_deref()),
            Tunnel::Proxy { services } => texts.extend(services.iter().map(String::as_str)),
            Tunnel::None | Tunnel::Host => {},
        }
        texts
    }
}

/// Writes a commented file that both verdicts accept.
///
/// # Errors
///
/// A name that cannot be written, or wishes that no accepted file can fulfil.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::generate::{Plan, RouterKind, generate};
///
/// let mut plan = Plan::new(RouterKind::Edge, "r1", "r1.example.test");
/// plan.controller = Some("ctrl.example.test:6262".to_owned());
/// assert!(generate(&plan)?.contains("r1.example.test:3022"));
/// # Ok::<(), portcullis_router_config::generate::GenerateError>(())
/// ```
pub fn generate(plan: &Plan) -> Result<String, GenerateError> {
    for text in plan.texts() {
        if text.is_empty() || text.contains('$') || text.chars().any(char::is_control) {
            return Err(GenerateError::Unwritable(text.to_owned()));
        }
    }
    if let (RouterKind::Edge, Some(address)) = (plan.kind, plan.ipv6_host()) {
        return Err(GenerateError::Ipv6Edge(address));
    }
    let file = Writer::file(plan);
    let text = Text::new("router.yml", file.as_bytes());
    let report = check(&text, Options::default(), &|_| None);
    if report.verdict != Verdict::Accept {
        return Err(refused(report.findings));
    }
    let judgement = judge(&text, &Machine::default(), &|_| None);
    if judgement.verdict != Verdict::Accept {
        return Err(refused(judgement.findings));
    }
    Ok(file)
}

fn refused(mut findings: Vec<Finding>) -> GenerateError {
    findings.retain(|finding| finding.diagnostic.severity == Severity::Error);
    GenerateError::Refused(findings)
}
