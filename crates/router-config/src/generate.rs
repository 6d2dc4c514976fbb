//! Generator of commented configuration files.

mod writer;

use std::net::{IpAddr, Ipv6Addr};

use portcullis_yaml::Severity;

use crate::check::{CheckOptions, check};
use crate::finding::{Finding, Verdict};
use crate::generate::writer::FileWriter;
use crate::openziti::{Machine, evaluate};
use crate::source::SourceFile;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterKind {
    /// Serves SDKs and tunnels, and forwards traffic.
    Edge,
    /// Only forwards traffic.
    Fabric,
}

/// Tunnel of an edge router.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Tunnel {
    None,
    /// Hosts services that the router may bind.
    #[default]
    Host,
    /// Also intercepts traffic for services that the router may dial.
    Tproxy {
        /// Network interface whose traffic is intercepted; without one, only what the machine itself sends.
        lan_interface: Option<String>,
    },
    /// Also opens a port for each of these, `service:port`.
    Proxy {
        /// Services, each with its port.
        services: Vec<String>,
    },
}

/// Options for [`generate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateOptions {
    pub kind: RouterKind,
    /// Name of the router; the names of the certificate files are derived from it.
    pub name: String,
    /// Folder of certificates and keys.
    pub folder: String,
    /// Address of the controller, host and port.
    pub controller: Option<String>,
    /// Host under which others reach the router. An IPv6 address, with or without brackets, is only
    /// for fabric routers.
    pub host: String,
    /// Additional IP address under which others reach the router.
    pub ip: Option<String>,
    /// Address that the router listens on; all of the machine by default.
    pub interface: Option<IpAddr>,
    pub edge_port: u16,
    pub link_port: u16,
    /// Whether other routers can dial this one.
    pub public: bool,
    /// Whether clients connect by `WebSockets`.
    pub web_sockets: bool,
    pub tunnel: Tunnel,
    /// Port of the health API.
    pub health_port: Option<u16>,
}

/// Error of [`generate`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A value cannot be expressed in the file.
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
    /// The file with these options would have these errors.
    #[error("these options produce an invalid file: {}", .0.first().map(|finding| finding.diagnostic.to_string()).unwrap_or_default())]
    Refused(Vec<Finding>),
}

impl GenerateOptions {
    /// Options for a router with the default ports that other routers can dial.
    pub fn new(kind: RouterKind, name: impl Into<String>, host: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            folder: ".".to_owned(),
            controller: None,
            host: host.into(),
            ip: None,
            interface: None,
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

/// Renders a commented file that both verdicts accept.
///
/// # Errors
/// [`GenerateError`] if a value cannot be written, or no valid file has these options.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::generate::{GenerateOptions, RouterKind, generate};
/// let mut options = GenerateOptions::new(RouterKind::Edge, "r1", "r1.example.test");
/// options.controller = Some("ctrl.example.test:6262".to_owned());
/// assert!(generate(&options)?.contains("r1.example.test:3022"));
/// # Ok::<(), portcullis_router_config::generate::GenerateError>(())
/// ```
pub fn generate(plan: &GenerateOptions) -> Result<String, GenerateError> {
    for text in plan.texts() {
        if text.is_empty() || text.contains('$') || text.chars().any(char::is_control) {
            return Err(GenerateError::Unwritable(text.to_owned()));
        }
    }
    if let (RouterKind::Edge, Some(address)) = (plan.kind, plan.ipv6_host()) {
        return Err(GenerateError::Ipv6Edge(address));
    }
    let file = FileWriter::render(plan);
    let text = SourceFile::new("router.yml", file.as_bytes());
    let report = check(&text, &CheckOptions::new());
    if report.verdict != Verdict::Accept {
        return Err(refused(report.findings));
    }
    let judgment = evaluate(&text, &Machine::new());
    if judgment.verdict != Verdict::Accept {
        return Err(refused(judgment.findings));
    }
    Ok(file)
}

fn refused(mut findings: Vec<Finding>) -> GenerateError {
    findings.retain(|finding| finding.diagnostic.severity == Severity::Error);
    GenerateError::Refused(findings)
}
