//! Interception by the kernel: the mode `tproxy`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use portcullis_domain::entropy::Entropy;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_router::tunnel::InterceptSettings;
use portcullis_tproxy::{Instance, InstanceError, InterceptorOptions, Resolver};
use portcullis_tunnel::{Runner, TransparentOptions};

use super::network::RouterNetwork;
use super::{InterceptionError, instance_name};
use crate::links::interface_of;
use crate::socket_mark::SocketMark;

/// The mark of what a router that intercepts traffic sends itself.
pub(crate) fn own_mark(router: &str) -> SocketMark {
    instance(router).map_or_else(
        |_unnamed| SocketMark::default(),
        |instance| SocketMark::new(instance.own_mark()),
    )
}

/// Has the kernel intercept connections. Whatever keeps it from that is an error, but for addresses of the name
/// server: connections by address do not need it.
pub(super) async fn intercept(
    runner: Runner<RouterNetwork>,
    router: &str,
    settings: InterceptSettings,
    entropy: Arc<dyn Entropy>,
) -> Result<Runner<RouterNetwork>, InterceptionError> {
    let failed = |reason: String| InterceptionError { reason };
    let instance = instance(router).map_err(|error| failed(error.to_string()))?;
    let name_server_addresses = name_servers(&settings.resolvers);
    let lan_interfaces = settings.lan_interfaces.into_iter().map(interface);
    let options = TransparentOptions {
        interceptor: InterceptorOptions {
            lan_interfaces: lan_interfaces.collect(),
            // They may be among the addresses that stand for names.
            exempt: name_server_addresses.iter().map(host).collect(),
            ..InterceptorOptions::new(instance)
        },
        name_server_addresses,
        is_name_server_required: false,
        name_server: settings.name_server,
    };
    let intercepting = Box::pin(runner.with_transparent_proxy(options, entropy)).await;
    intercepting.map_err(|error| failed(error.to_string()))
}

fn instance(router: &str) -> Result<Instance, InstanceError> {
    instance_name(router).parse()
}

fn host(address: &SocketAddr) -> IpNetwork {
    IpNetwork::new(address.ip(), u8::MAX)
}

/// An interface may be given by an address that it has.
fn interface(given: String) -> String {
    let address = given.parse::<IpAddr>().ok();
    address.and_then(interface_of).unwrap_or(given)
}

/// Where names are answered. What cannot be used leaves the others.
fn name_servers(resolvers: &[String]) -> Vec<SocketAddr> {
    let mut addresses = Vec::new();
    for resolver in resolvers {
        match resolver.parse() {
            Ok(Resolver::NameServer(address)) => addresses.push(address),
            Ok(Resolver::HostsFile(_)) => tracing::warn!(
                resolver,
                "names are not written to hosts files: `resolver` has to be `udp://` with an IP address and a port"
            ),
            Err(error) => {
                tracing::warn!(resolver, "names are not answered there: `resolver` {error}");
            },
        }
    }
    addresses
}
