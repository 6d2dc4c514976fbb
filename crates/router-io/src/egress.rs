//! Dialers of services that no SDK hosts.
//!
//! | Binding | Address of a terminator | Between circuit and server |
//! |---|---|---|
//! | `transport` | `tcp:`, `tls:` or `udp:` | bytes as they are |
//! | `edge_transport` | the same | encrypted on the side of the circuit, if the dialing end gives its key |
//! | `transport_udp` | `udp:`, `udp4:`, `udp6:` or `unixgram:` | datagrams, one in each payload |
//!
//! Connecting has as long as the option `connectTimeout` says, and as the controller waits. A stream's end
//! passes each way by itself; datagrams have none.

mod connect;
mod encryption;
mod failure;
mod packets;
mod server_tls;
mod streams;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use portcullis_domain::entropy::Entropy;
use portcullis_router::IncompleteConfigError;
use portcullis_router::egress::DialerSettings;
use portcullis_router_config::model::Listener;
use portcullis_xgress::{Options, Side};

use crate::egress::packets::PacketDialer;
use crate::egress::server_tls::ServerTls;
use crate::egress::streams::{Security, StreamDialer};
use crate::ends::{EndTerms, Ends, Start};
use crate::routes::{DialRequest, Dialers};
use crate::tls::Tls;

/// The dialers of this module, with the settings of the section `dialers`.
///
/// # Errors
///
/// [`IncompleteConfigError`] if a value is missing or out of bounds.
pub(crate) fn dialers(
    entries: &[Listener],
    ends: &Ends,
    tls: &Arc<Tls>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Dialers, IncompleteConfigError> {
    let settings = |binding| DialerSettings::of_binding(binding, entries);
    let server_tls = Arc::new(ServerTls::new(Arc::clone(tls)));
    let streams = |binding, kind, security| {
        let (server_tls, settings) = (Arc::clone(&server_tls), settings(binding)?);
        let dialer = StreamDialer::new(kind, ends.clone(), server_tls, &settings, security);
        Ok((binding.to_owned(), Arc::new(dialer) as _))
    };
    let encrypting = Security::EndToEnd(Arc::clone(entropy));
    let packets = PacketDialer::new(ends.clone(), &settings("transport_udp")?);
    Ok(Dialers::from([
        streams("transport", "xgress/transport", Security::Plain)?,
        streams("edge_transport", "xgress/edge_transport", encrypting)?,
        ("transport_udp".to_owned(), Arc::new(packets) as _),
    ]))
}

/// The end of the circuit that a dial is for.
fn terminating_end(request: DialRequest, options: Arc<Options>) -> EndTerms {
    EndTerms {
        circuit: request.circuit,
        address: request.address,
        side: Side::Terminator,
        options,
        start: Start::AtOnce,
    }
}
