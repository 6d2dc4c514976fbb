//! Listeners for links, as routers tell each other of them.

use std::net::IpAddr;

use portcullis_router::links::{
    Announcement, GroupNames, LINK_PROTOCOL, LinkListener, Listener, RouterId,
};
use portcullis_wire::control::peer;

/// What controllers are told of a listener of this router.
pub(super) fn announce(listener: &LinkListener) -> peer::Listener {
    peer::Listener {
        address: listener.advertise.clone(),
        protocol: LINK_PROTOCOL.to_owned(),
        groups: listener.groups.iter().map(str::to_owned).collect(),
        local_binding: listener.interface.clone().unwrap_or_default(),
    }
}

/// Another router, as a controller tells of it.
pub(super) fn announced(change: &peer::PeerStateChange) -> Announcement {
    Announcement {
        router: RouterId::from_wire(change.id.as_str()),
        version: (!change.version.is_empty()).then(|| change.version.clone()),
        listeners: change.listeners.iter().map(listener).collect(),
    }
}

fn listener(announced: &peer::Listener) -> Listener {
    let interface = &announced.local_binding;
    Listener {
        address: announced.address.clone(),
        protocol: announced.protocol.clone(),
        interface: (!interface.is_empty()).then(|| interface.clone()),
        groups: GroupNames::new(announced.groups.iter().cloned()),
    }
}

/// The network interface that has an address.
pub(crate) fn interface_of(address: IpAddr) -> Option<String> {
    let interfaces = if_addrs::get_if_addrs().ok()?;
    let found = interfaces.into_iter().find(|one| one.ip() == address)?;
    Some(found.name)
}
