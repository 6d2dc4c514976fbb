//! Writer of a generated file.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::generate::{GenerateOptions, RouterKind, Tunnel};

#[derive(Default)]
pub(super) struct FileWriter {
    text: String,
}

impl FileWriter {
    pub(super) fn render(plan: &GenerateOptions) -> String {
        let mut writer = Self::default();
        let kind = match plan.kind {
            RouterKind::Edge => "edge router",
            RouterKind::Fabric => "fabric router",
        };
        writer.line(&format!("# Configuration of the {kind} {}.", plan.name));
        writer.line("# Every key is explained by `portcullis router-config explain KEY`.");
        writer.line("v: 3");
        writer.identity(plan);
        writer.ctrl(plan);
        writer.link(plan);
        writer.dialers();
        match plan.kind {
            RouterKind::Edge => writer.edge(plan),
            RouterKind::Fabric => {
                writer.section("Contents of the router's certificate requests.");
                writer.line("csr:");
                writer.csr(plan, "  ");
            },
        }
        writer.forwarder();
        writer.health(plan);
        writer.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn section(&mut self, comment: &str) {
        self.line("");
        self.line(&format!("# {comment}"));
    }

    fn identity(&mut self, plan: &GenerateOptions) {
        self.section("Certificates and keys. Enrolling writes them; relative paths start at the working directory.");
        self.line("identity:");
        let base = format!("{}/{}", plan.folder.trim_end_matches('/'), plan.name);
        for (key, ending) in [
            ("cert", "cert"),
            ("server_cert", "server.chain.cert"),
            ("key", "key"),
            ("ca", "cas"),
        ] {
            self.line(&format!("  {key}: {}", quoted(&format!("{base}.{ending}"))));
        }
    }

    fn ctrl(&mut self, plan: &GenerateOptions) {
        self.section("The controller. Once connected, the router follows the file endpoints.yml beside this one.");
        self.line("ctrl:");
        let address = plan.controller.as_deref().unwrap_or("127.0.0.1:6262");
        self.line(&format!(
            "  endpoint: {}",
            quoted(&format!("tls:{address}"))
        ));
    }

    fn link(&mut self, plan: &GenerateOptions) {
        self.section("Links: this router dials others, and others dial the listeners.");
        self.line("link:");
        self.line("  dialers:");
        self.line("    - binding: transport");
        let comment = if plan.public { "" } else { "# " };
        self.line(&format!("  {comment}listeners:"));
        self.line(&format!("    {comment}- binding: transport"));
        let bind = format!("tls:{}:{}", interface(plan), plan.link_port);
        self.line(&format!("    {comment}  bind: {}", quoted(&bind)));
        let advertise = format!("tls:{}:{}", url_host(plan), plan.link_port);
        self.line(&format!("    {comment}  advertise: {}", quoted(&advertise)));
    }

    fn dialers(&mut self) {
        self.section("How services are dialed where circuits end here.");
        self.line("dialers:");
        self.line("  - binding: transport");
    }

    fn edge(&mut self, plan: &GenerateOptions) {
        self.section("Listeners for clients.");
        self.line("listeners:");
        self.line("  - binding: edge");
        let kind = if plan.web_sockets { "wss" } else { "tls" };
        let address = format!("{kind}:{}:{}", interface(plan), plan.edge_port);
        self.line(&format!("    address: {}", quoted(&address)));
        self.line("    options:");
        let advertise = format!("{}:{}", url_host(plan), plan.edge_port);
        self.line("      # Without a protocol; the host must be among the SANs below.");
        self.line(&format!("      advertise: {}", quoted(&advertise)));
        self.tunnel(plan);
        self.section("What makes this an edge router.");
        self.line("edge:");
        self.line("  # Contents of the router's certificate requests.");
        self.line("  csr:");
        self.csr(plan, "    ");
    }

    fn tunnel(&mut self, plan: &GenerateOptions) {
        let mode = match plan.tunnel {
            Tunnel::None => return,
            Tunnel::Host => "host",
            Tunnel::Tproxy { .. } => "tproxy",
            Tunnel::Proxy { .. } => "proxy",
        };
        self.line(
            "  # The built-in tunnel; the controller must know the router as tunneler-enabled.",
        );
        self.line("  - binding: tunnel");
        self.line("    options:");
        self.line(&format!("      mode: {mode}"));
        match &plan.tunnel {
            Tunnel::Tproxy { lan_interface } => {
                self.line(
                    "      # Where names of services are answered, and their range of addresses.",
                );
                self.line("      resolver: \"udp://127.0.0.1:53\"");
                self.line("      dnsSvcIpRange: \"100.64.0.1/10\"");
                if let Some(name) = lan_interface {
                    self.line(&format!("      lanIf: {}", quoted(name)));
                }
            },
            Tunnel::Proxy { services } => {
                self.line(
                    "      # Services and the port that is opened for each: \"service:port\".",
                );
                let items: Vec<String> = services.iter().map(|service| quoted(service)).collect();
                self.line(&format!("      services: [{}]", items.join(", ")));
            },
            Tunnel::None | Tunnel::Host => {},
        }
    }

    fn csr(&mut self, plan: &GenerateOptions, indent: &str) {
        self.line(&format!("{indent}sans:"));
        let mut names = vec!["localhost".to_owned()];
        let mut addresses = vec!["127.0.0.1".to_owned(), "::1".to_owned()];
        let hosts = [Some(plan.bare_host()), plan.ip.as_deref()];
        for host in hosts.into_iter().flatten() {
            let (list, host) = match host.parse::<IpAddr>() {
                Ok(address) => (&mut addresses, address.to_string()),
                Err(_) => (&mut names, host.to_owned()),
            };
            if !list.contains(&host) {
                list.push(host);
            }
        }
        for (key, list) in [("dns", names), ("ip", addresses)] {
            self.line(&format!("{indent}  {key}:"));
            for name in list {
                self.line(&format!("{indent}    - {}", quoted(&name)));
            }
        }
    }

    fn forwarder(&mut self) {
        self.section("Forwarding; these are the defaults.");
        self.line("forwarder:");
        self.line("  xgressDialQueueLength: 1000");
        self.line("  xgressDialWorkerCount: 128");
        self.line("  linkDialQueueLength: 1000");
        self.line("  linkDialWorkerCount: 32");
    }

    fn health(&mut self, plan: &GenerateOptions) {
        let Some(port) = plan.health_port else { return };
        self.section("Health of the router, at https://host:port/health-checks.");
        self.line("web:");
        self.line("  - name: health");
        self.line("    bindPoints:");
        self.line(&format!(
            "      - interface: {}",
            quoted(&format!("{}:{port}", interface(plan)))
        ));
        let address = format!("{}:{port}", url_host(plan));
        self.line(&format!("        address: {}", quoted(&address)));
        self.line("    apis:");
        self.line("      - binding: health-checks");
    }
}

/// Always quotes: YAML 1.1 has too many words that are not strings.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The host as written before a port.
fn url_host(plan: &GenerateOptions) -> String {
    match plan.ipv6_host() {
        Some(address) => format!("[{address}]"),
        None => plan.host.clone(),
    }
}

/// The address to listen on: without another one, the unspecified address of the family of the host, where
/// `0.0.0.0` covers IPv4 only.
fn interface(plan: &GenerateOptions) -> String {
    let address = match (plan.interface, plan.ipv6_host()) {
        (Some(address), _) => address,
        (None, Some(_)) => Ipv6Addr::UNSPECIFIED.into(),
        (None, None) => Ipv4Addr::UNSPECIFIED.into(),
    };
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
