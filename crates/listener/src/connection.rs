//! Properties of a connection after its handshake.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::{HandshakeKind, ProtocolVersion, ServerConnection};
use rustls_pki_types::CertificateDer;

/// A connection, as passed to every request on it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Address of the client.
    pub peer: SocketAddr,
    /// Local address of the connection.
    pub local: SocketAddr,
    /// Chain that the client presented, leaf first; empty if it presented none.
    ///
    /// The client has proved possession of the leaf's key. Nothing else about the chain has been
    /// verified: neither its signatures, nor its validity period, nor that its certificates belong
    /// together.
    pub client_certificates: Arc<[CertificateDer<'static>]>,
    /// Host name from SNI, in lower case.
    pub server_name: Option<String>,
    /// Protocol negotiated in the handshake; `None` if the client offered none, which means
    /// HTTP/1.1.
    pub alpn: Option<Alpn>,
    pub tls_version: TlsVersion,
    /// Whether the handshake resumed an earlier session. The chain is then the one that was proved
    /// in the earlier handshake.
    pub is_resumed: bool,
}

impl Connection {
    /// The chain that the client presented, in DER, leaf first.
    pub fn certificates(&self) -> Vec<&[u8]> {
        self.client_certificates.iter().map(AsRef::as_ref).collect()
    }
}

/// Application protocol negotiated in the handshake (RFC 7301).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpn {
    /// `http/1.1`
    Http11,
    /// `h2`
    Http2,
    /// Any other, served by a [`StreamService`](crate::StreamService).
    Other(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246)
    Tls12,
    /// TLS 1.3 (RFC 8446)
    Tls13,
}

impl Alpn {
    /// Returns the registered protocol name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http11 => "http/1.1",
            Self::Http2 => "h2",
            Self::Other(name) => name,
        }
    }
}

impl Connection {
    /// Collects the properties of a finished handshake, in which `offered` was on offer.
    pub(crate) fn from_handshake(
        tls: &ServerConnection,
        offered: &[Alpn],
        peer: SocketAddr,
        local: SocketAddr,
    ) -> Self {
        let chain = tls.peer_certificates().unwrap_or_default();
        Self {
            peer,
            local,
            client_certificates: chain.iter().map(|each| each.clone().into_owned()).collect(),
            server_name: tls.server_name().map(str::to_ascii_lowercase),
            alpn: (offered.iter().copied())
                .find(|each| tls.alpn_protocol() == Some(each.name().as_bytes())),
            tls_version: match tls.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
                _ => TlsVersion::Tls12,
            },
            is_resumed: tls.handshake_kind() == Some(HandshakeKind::Resumed),
        }
    }
}
