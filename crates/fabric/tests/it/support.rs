//! What several tests need.

use portcullis_domain::ids::RouterId;
use portcullis_fabric::{
    LinkConnections, LinkId, LinkReport, Moment, Network, NetworkOptions, NetworkOutput,
    RouterSession, RouterSpec,
};

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_micros(seconds * 1_000_000)
}

pub(crate) fn router(name: &str) -> RouterId {
    RouterId::from_wire(name)
}

pub(crate) fn link(name: &str) -> LinkId {
    LinkId::new(name).unwrap()
}

pub(crate) fn report(id: &str, destination: &str, iteration: u32) -> LinkReport {
    LinkReport {
        id: link(id),
        destination: router(destination),
        protocol: "tls".to_owned(),
        dial_address: format!("tls:{destination}:1"),
        iteration,
        connections: LinkConnections::default(),
    }
}

/// A network of connected routers.
pub(crate) fn network<const N: usize>(names: [&str; N]) -> (Network, [RouterSession; N]) {
    let mut network = Network::new(NetworkOptions::default());
    for name in names {
        network.set_router(router(name), RouterSpec::default());
    }
    let sessions = names.map(|name| network.connect(&router(name)).unwrap());
    outputs(&mut network);
    (network, sessions)
}

pub(crate) fn outputs(network: &mut Network) -> Vec<NetworkOutput> {
    std::iter::from_fn(|| network.poll_output()).collect()
}
