//! Dialers of services that no SDK hosts.
//!
//! | Binding | Address of a terminator | Between circuit and server |
//! |---|---|---|
//! | `transport` | `tcp:`, `tls:` or `udp:` | bytes as they are |
//! | `edge_transport` | the same | encrypted on the side of the circuit, if the dialing end gives its key |
//! | `transport_udp` | `udp:`, `udp4:`, `udp6:` or `unixgram:` | datagrams, one in each payload |
//!
//! What is not in the section `dialers` is not dialed; an entry for `transport` stands for `edge_transport` as well.
//!
//! Connecting has as long as the option `connectTimeout` says, and as the controller waits. A stream's end
//! passes each way by itself; datagrams have none.

mod connect;
mod failure;
mod packets;
mod server_tls;
mod streams;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use portcullis_domain::entropy::Entropy;
use portcullis_memory_budget::Shortage;
use portcullis_router::IncompleteConfigError;
use portcullis_router::edge::IdentityId;
use portcullis_router::egress::DialerSettings;
use portcullis_router_config::Binding;
use portcullis_router_config::model::Listener;
use portcullis_wire::peer_data::{DIALER_IDENTITY_ID, PeerData};
use portcullis_xgress::{Options, Side};
use rustls::ClientConfig;

use crate::egress::packets::PacketDialer;
use crate::egress::server_tls::ServerTls;
use crate::egress::streams::{Security, StreamDialer};
use crate::ends::{EndTerms, Ends, Start};
use crate::name_lookups::NameLookups;
use crate::outgoing::Outgoing;
use crate::routes::{DialRequest, Dialers};
use crate::socket_mark::SocketMark;
use crate::tls::Tls;

/// The dialers of this module that the section `dialers` has.
///
/// # Errors
///
/// [`IncompleteConfigError`] if a value is missing or out of bounds.
pub(crate) fn dialers(
    entries: &[Listener],
    ends: &Ends,
    tls: &Arc<Tls>,
    entropy: &Arc<dyn Entropy>,
    mark: SocketMark,
) -> Result<Dialers, IncompleteConfigError> {
    let settings = |binding| DialerSettings::of_binding(binding, entries);
    let outgoing = Outgoing {
        lookups: NameLookups::of_servers(),
        mark,
    };
    let server_tls = Arc::new(ServerTls::new(Arc::clone(tls)));
    let streams = |kind, settings: &DialerSettings, security| {
        let server_tls = Arc::clone(&server_tls);
        StreamDialer::new(
            kind,
            ends.clone(),
            outgoing.clone(),
            server_tls,
            settings,
            security,
        )
    };
    let mut dialers = Dialers::new();
    let plain = settings(Binding::Transport)?;
    if let Some(settings) = &plain {
        let dialer = streams("xgress/transport", settings, Security::Plain);
        dialers.insert(Binding::Transport.name().to_owned(), Arc::new(dialer));
    }
    if let Some(settings) = &settings(Binding::EdgeTransport)?.or(plain) {
        let security = Security::EndToEnd(Arc::clone(entropy));
        let dialer = streams("xgress/edge_transport", settings, security);
        dialers.insert(Binding::EdgeTransport.name().to_owned(), Arc::new(dialer));
    }
    if let Some(settings) = &settings(Binding::TransportUdp)? {
        let dialer = PacketDialer::new(ends.clone(), outgoing.clone(), settings);
        dialers.insert(Binding::TransportUdp.name().to_owned(), Arc::new(dialer));
    }
    Ok(dialers)
}

/// How servers that are no part of the network are verified.
pub(crate) async fn server_verification(tls: &Arc<Tls>) -> io::Result<Arc<ClientConfig>> {
    ServerTls::new(Arc::clone(tls)).config().await
}

/// The end of the circuit that a dial is for.
pub(crate) fn terminating_end(request: DialRequest, options: Arc<Options>) -> EndTerms {
    EndTerms {
        circuit: request.circuit,
        address: request.address,
        side: Side::Terminator,
        options,
        start: Start::AtOnce,
        identity: dialer(&request.peer_data),
    }
}

/// The identity that dials, as its router has told.
fn dialer(peer_data: &PeerData) -> Option<IdentityId> {
    let id = peer_data.get(&DIALER_IDENTITY_ID)?;
    let id = std::str::from_utf8(id.expose()).ok()?;
    (!id.is_empty()).then(|| id.into())
}

/// Whether the identity that dials may have one more circuit to a server here.
pub(crate) fn check_room(ends: &Ends, request: &DialRequest) -> Result<(), Shortage> {
    let identity = dialer(&request.peer_data);
    ends.memory_for(identity.as_ref()).check_room()
}
