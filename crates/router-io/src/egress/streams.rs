//! The bindings `transport` and `edge_transport`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use portcullis_domain::entropy::Entropy;
use portcullis_e2e_encryption::{PublicKey, Role};
use portcullis_router::address::{IpFamily, Protocol, TransportAddress};
use portcullis_router::egress::DialerSettings;
use portcullis_wire::Secret;
use portcullis_wire::peer_data::{LOCAL_ADDRESS, PUBLIC_KEY, PeerData, REMOTE_ADDRESS};
use portcullis_xgress::Options;
use tokio::net::{TcpStream, UdpSocket};
use tokio_rustls::client::TlsStream;

use super::connect::{deadline, in_time, tcp, udp};
use super::failure::{Unreached, reported};
use super::server_tls::ServerTls;
use super::{check_room, terminating_end};
use crate::encrypted_side::EncryptedSide;
use crate::encryption::{Encryption, OwnKey};
use crate::ends::{DatagramSide, EndTerms, Ends, LocalSide, SocketSide};
use crate::outgoing::Outgoing;
use crate::routes::{DialFailure, DialRequest, Dialer};

/// Whether the router encrypts for the dialing end.
#[derive(Clone)]
pub(super) enum Security {
    Plain,
    /// If the dialing end gives its key.
    EndToEnd(Arc<dyn Entropy>),
}

/// Dials servers over TCP, TLS and UDP.
#[derive(Clone)]
pub(super) struct StreamDialer {
    /// For traces.
    kind: &'static str,
    ends: Ends,
    outgoing: Outgoing,
    server_tls: Arc<ServerTls>,
    options: Arc<Options>,
    connect_timeout: Duration,
    security: Security,
}

/// A server that was reached.
enum Server {
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    Udp(UdpSocket),
}

impl StreamDialer {
    pub(super) fn new(
        kind: &'static str,
        ends: Ends,
        outgoing: Outgoing,
        server_tls: Arc<ServerTls>,
        settings: &DialerSettings,
        security: Security,
    ) -> Self {
        Self {
            kind,
            ends,
            outgoing,
            server_tls,
            options: Arc::new(settings.end),
            connect_timeout: settings.connect_timeout,
            security,
        }
    }

    async fn dial(self, request: DialRequest) -> Result<PeerData, Unreached> {
        let address = TransportAddress::to_dial(&request.destination)?;
        check_room(&self.ends, &request)?;
        let encryption = self.encryption(&request.peer_data)?;
        let server = self.connect(&address, &request).await?;
        let mut peer_data = addresses(&server);
        if let Some((public_key, _)) = &encryption {
            let key = Bytes::copy_from_slice(public_key.as_bytes());
            peer_data.insert(PUBLIC_KEY, Secret::new(key));
        }
        tracing::debug!(circuit = %request.circuit, %address, "server connected");
        let encryption = encryption.map(|(_, encryption)| encryption);
        let terms = terminating_end(request, self.options);
        let (ends, kind) = (&self.ends, self.kind);
        match server {
            Server::Tcp(stream) => open(ends, &terms, SocketSide::new(kind, stream), encryption),
            Server::Tls(stream) => open(ends, &terms, SocketSide::new(kind, stream), encryption),
            Server::Udp(socket) => open(ends, &terms, DatagramSide::new(kind, socket), encryption),
        }
        Ok(peer_data)
    }

    fn encryption(
        &self,
        peer_data: &PeerData,
    ) -> Result<Option<(PublicKey, Encryption)>, Unreached> {
        let Security::EndToEnd(entropy) = &self.security else {
            return Ok(None);
        };
        let Some(peer) = peer_data.get(&PUBLIC_KEY) else {
            return Ok(None);
        };
        let own = OwnKey::new(&**entropy)?;
        let public_key = own.public_key();
        let encryption = own.agree(Role::Server, peer.expose())?;
        Ok(Some((public_key, encryption)))
    }

    async fn connect(
        &self,
        address: &TransportAddress,
        request: &DialRequest,
    ) -> Result<Server, Unreached> {
        let deadline = deadline(request.deadline, self.connect_timeout);
        let (place, lookups) = (&address.place, &self.outgoing);
        match address.protocol {
            Protocol::Tcp => tcp(lookups, place, deadline).await.map(Server::Tcp),
            Protocol::Udp => udp(lookups, IpFamily::Any, place, deadline)
                .await
                .map(Server::Udp),
            Protocol::Tls => {
                let stream = tcp(lookups, place, deadline).await?;
                let negotiating = async {
                    let negotiated = self.server_tls.connect(stream, &place.host).await;
                    negotiated.map_err(Unreached::Untrusted)
                };
                let stream = in_time(deadline, negotiating).await?;
                Ok(Server::Tls(Box::new(stream)))
            },
        }
    }
}

impl Dialer for StreamDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let destination = request.destination.clone();
        reported(destination, Self::dial(self.clone(), request))
    }
}

fn open<L: LocalSide>(ends: &Ends, terms: &EndTerms, side: L, encryption: Option<Encryption>) {
    let _goes_on = match encryption {
        Some(Encryption { keys, header }) => {
            ends.open(terms, EncryptedSide::new(side, keys, header))
        },
        None => ends.open(terms, side),
    };
}

/// The addresses of both ends of a connection, for the events of controllers.
fn addresses(server: &Server) -> PeerData {
    let (local, remote) = match server {
        Server::Tcp(stream) => (stream.local_addr(), stream.peer_addr()),
        Server::Tls(stream) => {
            let (socket, _) = stream.get_ref();
            (socket.local_addr(), socket.peer_addr())
        },
        Server::Udp(socket) => (socket.local_addr(), socket.peer_addr()),
    };
    let entry = |number, address: io::Result<SocketAddr>| {
        let text = Bytes::from(address.ok()?.to_string());
        Some((number, Secret::new(text)))
    };
    let entries = [entry(LOCAL_ADDRESS, local), entry(REMOTE_ADDRESS, remote)];
    entries.into_iter().flatten().collect()
}
