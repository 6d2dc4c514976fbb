//! Where the tunneler itself connects to.

use portcullis_domain::ip_network::IpNetwork;
use portcullis_sdk::Context;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::time::timeout;

/// How long a name may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The addresses of the controllers and the edge routers: if a service had them, the tunneler would intercept its own
/// connections.
pub(crate) async fn own_destinations(context: &Context) -> Vec<IpNetwork> {
    let session = context.session();
    let controllers = session.controllers().iter().filter_map(|controller| {
        let host = controller.host_str()?.to_owned();
        Some((host, controller.port_or_known_default()?))
    });
    let routers = session.edge_routers().borrow().clone();
    let routers = routers.iter().filter_map(|router| {
        let (host, port) = router.tls()?.rsplit_once(':')?;
        Some((host.to_owned(), port.parse().ok()?))
    });
    let mut addresses = BTreeSet::new();
    for (host, port) in controllers.chain(routers) {
        let bare = host.trim_matches(['[', ']']);
        match timeout(TIMEOUT, lookup_host((bare, port))).await {
            Ok(Ok(found)) => addresses.extend(found.map(|address| address.ip().to_canonical())),
            Ok(Err(_)) | Err(_) => {
                tracing::warn!(
                    host,
                    "the name has no address, so that own connections to it may be intercepted"
                );
            },
        }
    }
    addresses.into_iter().map(network_of).collect()
}

fn network_of(address: IpAddr) -> IpNetwork {
    IpNetwork::new(address, u8::MAX)
}
