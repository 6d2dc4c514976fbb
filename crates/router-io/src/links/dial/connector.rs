//! Connections to another router.

use std::io;
use std::sync::{Arc, OnceLock, Weak};

use portcullis_channel::hello::Accepted;
use portcullis_channel::{ChannelKind, Role};
use portcullis_domain::entropy::{self, Entropy};
use portcullis_pki::Certificate;
use portcullis_router::links::{ConnectionLayout, Dial, RouterId};
use portcullis_transport::{Connector, Holding};
use portcullis_wire::control::link::LinkConnection;
use portcullis_yaml::syntax::HostPort;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::links::LINK_ALPN;
use crate::links::connections::{Connections, Listed};
use crate::links::dial::Dialing;
use crate::outgoing::Outgoing;
use crate::tcp;
use crate::tls::Tls;

/// Opens the connections of one link.
pub(super) struct LinkConnector {
    tls: Arc<Tls>,
    outgoing: Outgoing,
    entropy: Arc<dyn Entropy>,
    address: HostPort,
    /// Interface or local address.
    from: Option<String>,
    layout: ConnectionLayout,
    /// The router that is meant to be reached.
    router: RouterId,
    connections: Arc<Connections>,
    /// The connection that was opened last.
    opened: Option<Opened>,
}

/// A connection that is not accepted yet.
struct Opened {
    /// Common name of the server's certificate.
    certified: Option<String>,
    connection: LinkConnection,
    place: Weak<ListPlace>,
}

/// Where the listing of a connection stays as long as the connection lives.
type ListPlace = OnceLock<Listed>;

impl LinkConnector {
    pub(super) fn new(
        dialing: &Dialing,
        target: &Dial,
        address: HostPort,
        connections: &Arc<Connections>,
    ) -> Self {
        Self {
            tls: Arc::clone(&dialing.tls),
            outgoing: dialing.outgoing.clone(),
            entropy: Arc::clone(&dialing.entropy),
            address,
            from: target.dialer.from.clone(),
            layout: target.connections,
            router: target.ticket.key().peer().clone(),
            connections: Arc::clone(connections),
            opened: None,
        }
    }

    /// What controllers call a connection.
    const fn kind(&self, role: Role) -> &'static str {
        match (self.layout, role) {
            (ConnectionLayout::Single, _) => "single",
            (ConnectionLayout::Pair, Role::Default) => "split.payload",
            (ConnectionLayout::Pair, Role::High) => "split.ack",
            (ConnectionLayout::Multiple { .. }, role) => {
                match ChannelKind::Link.underlay_type(role) {
                    Some(kind) => kind,
                    None => "",
                }
            },
        }
    }
}

impl Connector for LinkConnector {
    type Stream = Holding<TlsStream<TcpStream>, Arc<ListPlace>>;

    async fn connect(&mut self, role: Role) -> io::Result<Self::Stream> {
        let HostPort { host, port } = &self.address;
        let socket = tcp::connect(&self.outgoing, host, *port, self.from.as_deref()).await?;
        let connection = LinkConnection {
            kind: self.kind(role).to_owned(),
            local_address: format!("tcp:{}", socket.local_addr()?),
            remote_address: format!("tcp:{}", socket.peer_addr()?),
        };
        let stream = self.tls.connect(socket, host, LINK_ALPN).await?;
        let place = Arc::new(ListPlace::new());
        self.opened = Some(Opened {
            certified: common_name(&stream),
            connection,
            place: Arc::downgrade(&place),
        });
        Ok(Holding::new(stream, place))
    }

    fn random(&mut self) -> u32 {
        // It only spreads attempts.
        entropy::bytes(self.entropy.as_ref()).map_or(0, u32::from_le_bytes)
    }

    fn check(&mut self, answer: &Accepted) -> Result<(), String> {
        let opened = self.opened.take().ok_or("there is no connection")?;
        let (certified, said) = (opened.certified.as_deref(), answer.responder.as_deref());
        verify_peer(&self.router, certified, said)?;
        if let Some(place) = opened.place.upgrade() {
            place.get_or_init(|| self.connections.list(opened.connection));
        }
        Ok(())
    }
}

/// Whether the router that was dialed answers. Its certificate has to be that router's, whatever it says of
/// itself: any router of the network has one that is trusted.
fn verify_peer(
    dialed: &RouterId,
    certified: Option<&str>,
    said: Option<&str>,
) -> Result<(), String> {
    if certified != Some(dialed.as_str()) {
        let shown = certified.unwrap_or("nobody");
        return Err(format!(
            "the certificate is that of {shown}, and not that of router {dialed}"
        ));
    }
    match said {
        Some(said) if said != dialed.as_str() => {
            Err(format!("router {said} answers, and not router {dialed}"))
        },
        _ => Ok(()),
    }
}

fn common_name(stream: &TlsStream<TcpStream>) -> Option<String> {
    let leaf = stream.get_ref().1.peer_certificates()?.first()?;
    Certificate::from_der(leaf.to_vec()).ok()?.common_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn router_is_reached_that_its_certificate_names_and_that_claims_to_be_no_other() {
        let dialed = RouterId::from_wire("r2");
        for said in [None, Some("r2")] {
            assert_eq!(verify_peer(&dialed, Some("r2"), said), Ok(()));
            for other in [None, Some(""), Some("r3"), Some("r2 ")] {
                assert!(verify_peer(&dialed, other, said).is_err(), "{other:?}");
            }
        }
        for said in ["", "r3"] {
            let refused = verify_peer(&dialed, Some("r2"), Some(said));
            assert_eq!(
                refused,
                Err(format!("router {said} answers, and not router r2"))
            );
        }
    }
}
