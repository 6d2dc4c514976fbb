//! Arguments of `proxy`.

use super::JoinArgs;
use clap::Args;
use portcullis_tunneler::ProxyRule;
use std::net::{IpAddr, Ipv4Addr};

const EXAMPLES: &str = "\
Whoever connects to a port reaches its service. A service that comes later is
served then, and the port of one that goes is closed. Servers are offered as
`host` does it. No rights are needed, except for ports below 1024. It runs until
SIGTERM or SIGINT.

Other computers reach the ports, too, if --bind has it so: nothing asks them who
they are.

Examples:
  portcullis-tunnel proxy --identity laptop.json wiki:8080
  portcullis-tunnel proxy --identity laptop.json wiki:8080 time:10123:udp
  portcullis-tunnel proxy --identity gate.json --bind 192.0.2.7 wiki:8080";

/// Arguments of `proxy`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ProxyArgs {
    /// A service, by its name, and the port that stands for it, with `:udp` after it for UDP
    #[arg(value_name = "SERVICE:PORT", required = true)]
    pub(crate) services: Vec<ProxyRule>,

    /// IP address of this computer to open the ports at
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub(crate) bind: IpAddr,

    #[command(flatten)]
    pub(crate) join: JoinArgs,
}
