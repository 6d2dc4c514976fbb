//! What is known about a connection once its handshake is done.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::{HandshakeKind, ProtocolVersion, ServerConnection};
use rustls_pki_types::CertificateDer;

/// Facts about one connection, handed to every request on it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Address that the client connects from.
    pub peer: SocketAddr,
    /// Address that the client connected to.
    pub local: SocketAddr,
    /// Chain that the client presented, leaf first; empty when it presented none.
    ///
    /// The client has proved possession of the leaf's key. Nothing else about the chain has been
    /// checked: neither its signatures, nor its validity period, nor that the parts belong together.
    pub client_certificates: Arc<[CertificateDer<'static>]>,
    /// Host name that the client asked for (SNI), in lower case.
    pub server_name: Option<String>,
    /// Protocol agreed on in the handshake; `None` when the client offered none, which means
    /// HTTP/1.1.
    pub alpn: Option<Alpn>,
    /// Version of TLS in use.
    pub tls_version: TlsVersion,
    /// Whether the handshake resumed an earlier session. The chain is then the one that was proved
    /// in the earlier handshake.
    pub is_resumed: bool,
}

impl Connection {
    /// The chain that the client presented, in DER, leaf first.
    pub(crate) fn certificates(&self) -> Vec<&[u8]> {
        self.client_certificates.iter().map(AsRef::as_ref).collect()
    }
}

/// Application protocol agreed on in the handshake (RFC 7301).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpn {
    /// `http/1.1`
    Http11,
    /// `h2`
    Http2,
}

/// Version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246)
    Tls12,
    /// TLS 1.3 (RFC 8446)
    Tls13,
}

impl Alpn {
    /// Protocols on offer, the preferred one first.
    pub(super) const OFFERED: [Self; 2] = [Self::Http11, Self::Http2];

    /// Returns the name registered for the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http11 => "http/1.1",
            Self::Http2 => "h2",
        }
    }
}

impl Connection {
    /// Collects the facts of a finished handshake.
    pub(super) fn of(tls: &ServerConnection, peer: SocketAddr, local: SocketAddr) -> Self {
        let chain = tls.peer_certificates().unwrap_or_default();
        Self {
            peer,
            local,
            client_certificates: chain.iter().map(|each| each.clone().into_owned()).collect(),
            server_name: tls.server_name().map(str::to_ascii_lowercase),
            alpn: Alpn::OFFERED
                .into_iter()
                .find(|each| tls.alpn_protocol() == Some(each.name().as_bytes())),
            tls_version: match tls.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
                _ => TlsVersion::Tls12,
            },
            is_resumed: tls.handshake_kind() == Some(HandshakeKind::Resumed),
        }
    }
}
