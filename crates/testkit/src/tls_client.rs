//! TLS client that sends exactly the bytes that a test gives it, and its certificates.

mod pair;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::WantsClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, SignatureScheme,
    SupportedProtocolVersion,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub use self::pair::Pair;

/// Makes connections of one kind.
#[derive(Clone)]
pub struct Client {
    config: Arc<ClientConfig>,
}

pub type Stream = TlsStream<TcpStream>;

/// One answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Client {
    /// Makes a client without a certificate.
    pub fn anonymous() -> Self {
        Self::build(None, rustls::ALL_VERSIONS, &[])
    }

    /// Makes a client of the given kind.
    pub fn build(
        pair: Option<&Pair>,
        versions: &[&'static SupportedProtocolVersion],
        alpn: &[&str],
    ) -> Self {
        let config = builder(versions);
        let mut config = match pair {
            Some(pair) => config
                .with_client_auth_cert(pair.chain(), pair.key())
                .unwrap(),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        Self {
            config: Arc::new(config),
        }
    }

    /// Makes a client that presents a chain of any shape.
    pub fn build_with_chain(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Self {
        let config = builder(versions).with_client_auth_cert(chain, key).unwrap();
        Self {
            config: Arc::new(config),
        }
    }

    /// Makes a client whose certificate and key need not belong together.
    pub fn build_unchecked(pair: &Pair, versions: &[&'static SupportedProtocolVersion]) -> Self {
        let key = aws_lc_rs::sign::any_supported_type(&pair.key()).unwrap();
        let resolver = SingleCertAndKey::from(CertifiedKey::new(pair.chain(), key));
        let config = builder(versions).with_client_cert_resolver(Arc::new(resolver));
        Self {
            config: Arc::new(config),
        }
    }

    /// Connects to `address`, asking for `name`.
    pub async fn try_connect(&self, address: SocketAddr, name: &str) -> io::Result<Stream> {
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let socket = TcpStream::connect(address).await?;
        TlsConnector::from(Arc::clone(&self.config))
            .connect(name, socket)
            .await
    }

    /// Connects to `address` from an address of this machine, asking for `localhost`.
    pub async fn connect_from(&self, address: SocketAddr, from: &str) -> Stream {
        let socket = TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::new(from.parse().unwrap(), 0))
            .unwrap();
        let socket = soon(socket.connect(address)).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::clone(&self.config));
        soon(connector.connect(name, socket)).await.unwrap()
    }

    /// Connects to `address`, asking for `localhost`.
    pub async fn connect(&self, address: SocketAddr) -> Stream {
        soon(self.try_connect(address, "localhost")).await.unwrap()
    }
}

fn builder(
    versions: &[&'static SupportedProtocolVersion],
) -> ConfigBuilder<ClientConfig, WantsClientCert> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyServer(provider)))
}

/// Sends `text`, whether or not the server wants all of it, and reads the answer meanwhile.
pub async fn say(stream: &mut Stream, text: &[u8]) -> Reply {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let sending = async {
        // An error means that the server has closed; the answer says why.
        let _ = writer.write_all(text).await;
        let _ = writer.flush().await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        reply = hear(&mut reader) => reply,
        () = sending => unreachable!("sending ends with the answer"),
    }
}

/// Asks for `path`.
pub async fn get(stream: &mut Stream, path: &str) -> Reply {
    say(
        stream,
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes(),
    )
    .await
}

/// Reads one answer with a stated length.
pub async fn hear(stream: &mut (impl AsyncRead + Unpin)) -> Reply {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match soon(stream.read_u8()).await {
            Ok(byte) => head.push(byte),
            Err(error) => panic!("no answer: {error}; {}", String::from_utf8_lossy(&head)),
        }
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .map_or("0", |rest| rest.split("\r\n").next().unwrap_or_default());
    let mut body = vec![0; length.parse().unwrap()];
    soon(stream.read_exact(&mut body)).await.unwrap();
    Reply {
        status: head[9..12].parse().unwrap(),
        head,
        body,
    }
}

/// Waits for `what`, but not for ever.
pub async fn soon<F: Future>(what: F) -> F::Output {
    let Ok(done) = tokio::time::timeout(Duration::from_secs(20), what).await else {
        panic!("what was waited for did not happen")
    };
    done
}

/// Waits for the server to close; fails when it sends anything instead.
pub async fn closed(stream: &mut (impl AsyncRead + Unpin)) {
    match soon(stream.read(&mut [0; 256])).await {
        Ok(0) | Err(_) => {},
        Ok(more) => panic!("{more} bytes where the end was due"),
    }
}

impl Reply {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Reports whether the server announced that it closes the connection.
    pub fn closes(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }
}

/// Accepts whatever certificate the server proves to have the key of.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
