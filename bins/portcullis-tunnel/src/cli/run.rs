//! Arguments of `run`.

use super::JoinArgs;
use clap::Args;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_name_server::Upstream;
use portcullis_tproxy::{Instance, Resolver};
use portcullis_tunnel_config::NameAddresses;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const EXAMPLES: &str = "\
Connections to the addresses and names of `intercept.v1` and
`ziti-tunneler-client.v1` reach their services, ports of `proxy.v1` are opened, and
servers are offered as `host` does it. It needs Linux, the programs `nft` and
`ip`, and the capability CAP_NET_ADMIN, but no other right. What it sets up is
removed when it ends, or at the next start. It runs until SIGTERM or SIGINT.

Programs learn the addresses of names from a name server, 100.64.0.1 unless
--resolver says otherwise, which has to come first in /etc/resolv.conf.

Examples:
  portcullis-tunnel run --identity laptop.json
  portcullis-tunnel run --identity laptop.json --dns-upstream udp://9.9.9.9:53
  portcullis-tunnel run --identity gate.json --lan-interface eth1 \\
      --dns-ip-range 100.96.0.0/12";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) join: JoinArgs,

    /// Where names are answered, such as `udp://127.0.0.1:53` [default: the second address of --dns-ip-range]
    #[arg(short, long, value_name = "URL", value_parser = name_server)]
    resolver: Option<SocketAddr>,

    /// Addresses that stand for names
    #[arg(
        long,
        alias = "dnsSvcIpRange",
        value_name = "NETWORK",
        default_value_t = NameAddresses::default().range()
    )]
    pub(crate) dns_ip_range: IpNetwork,

    /// Name server that is asked for other names, such as `udp://9.9.9.9:53`; may be given several times. Without
    /// any, programs are told to ask another one
    #[arg(long, alias = "dnsUpstream", value_name = "URL")]
    pub(crate) dns_upstream: Vec<Upstream>,

    /// IP address of this computer to open ports at that services name
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    pub(crate) bind: IpAddr,

    /// Network interface of clients that this computer is the gateway of; may be given several times. Without any, only
    /// connections of this computer itself are intercepted
    #[arg(long, alias = "lanIf", value_name = "INTERFACE")]
    pub(crate) lan_interface: Vec<String>,

    /// Name of this tunneler in the kernel, to run several beside each other
    #[arg(long, value_name = "NAME", default_value = "tunnel")]
    pub(crate) instance: Instance,
}

impl RunArgs {
    /// Where names are answered.
    pub(crate) fn resolver(&self) -> SocketAddr {
        self.resolver.unwrap_or_else(|| {
            let second = match self.dns_ip_range.first() {
                IpAddr::V4(first) => IpAddr::V4(first.to_bits().saturating_add(1).into()),
                IpAddr::V6(first) => IpAddr::V6(first.to_bits().saturating_add(1).into()),
            };
            SocketAddr::new(second, 53)
        })
    }
}

fn name_server(text: &str) -> Result<SocketAddr, String> {
    match text.parse() {
        Ok(Resolver::NameServer(address)) => Ok(address),
        Ok(Resolver::HostsFile(_)) => Err(
            "a hosts file is not written; it is `udp://` with an IP address and a port".to_owned(),
        ),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        run: RunArgs,
    }

    #[test]
    fn names_are_answered_in_their_range_or_elsewhere() {
        let resolver = |arguments: &[&str]| {
            let arguments = ["run", "-i", "a.json"].iter().chain(arguments);
            let program = Program::try_parse_from(arguments);
            program.map(|program| program.run.resolver().to_string())
        };
        assert_eq!(resolver(&[]).unwrap(), "100.64.0.1:53");
        assert_eq!(
            resolver(&["--dns-ip-range", "fd00::/64"]).unwrap(),
            "[fd00::1]:53"
        );
        assert_eq!(
            resolver(&["-r", "udp://127.0.0.1:5353"]).unwrap(),
            "127.0.0.1:5353"
        );
        assert!(resolver(&["-r", "/etc/hosts"]).is_err());
    }

    #[test]
    fn nobody_else_is_intercepted_unless_interfaces_are_named() {
        let interfaces = |arguments: &[&str]| {
            let arguments = ["run", "-i", "a.json"].iter().chain(arguments);
            Program::try_parse_from(arguments)
                .unwrap()
                .run
                .lan_interface
        };
        assert!(interfaces(&[]).is_empty());
        let named = interfaces(&["--lan-interface", "eth1", "--lan-interface", "eth2"]);
        assert_eq!(named, ["eth1", "eth2"]);
    }
}
