//! One request to an address, as a client sends it.

use portcullis_domain::io_error::describe_io_error;
use portcullis_pki::Certificate;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

/// Most of an answer that is read.
const MAX_ANSWER: u64 = 256 * 1024;

/// An answer, with the certificates that came with it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Header `Date`.
    pub(super) date: Option<String>,
    pub(super) body: serde_json::Value,
    /// Certificates of the server, leaf first.
    pub(super) chain: Vec<Certificate>,
}

/// Sends a request for `path`. Which certificate the server has is left to the caller.
///
/// # Errors
/// Why there is no answer, in words.
pub(super) fn get(host: &str, port: u16, path: &str, timeout: Duration) -> Result<Answer, String> {
    let mut stream = open(client_config()?, host, port, timeout)?;
    let bracketed = if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    };
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {bracketed}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    );
    stream
        .write_all(request.as_bytes())
        .and_then(|()| stream.flush())
        .map_err(|error| describe(&error))?;
    let chain = chain(&stream.conn);
    let answer = read(stream)?;
    parse(&answer, chain).ok_or_else(|| "what answers does not speak HTTP".to_owned())
}

/// Performs the handshake of a router, and returns the certificates of the server, leaf first.
///
/// # Errors
/// Why routers cannot connect, in words.
pub(super) fn control_handshake(
    host: &str,
    port: u16,
    timeout: Duration,
) -> Result<Vec<Certificate>, String> {
    let mut config = client_config()?;
    config.alpn_protocols = vec![b"ziti-ctrl".to_vec()];
    let mut stream = open(config, host, port, timeout)?;
    while stream.conn.is_handshaking() {
        (stream.conn.complete_io(&mut stream.sock)).map_err(|error| describe(&error))?;
    }
    if stream.conn.alpn_protocol().is_none() {
        return Err("what listens there has no control channel".to_owned());
    }
    Ok(chain(&stream.conn))
}

/// Connects, and sets up TLS that has not shaken hands yet.
fn open(
    config: ClientConfig,
    host: &str,
    port: u16,
    timeout: Duration,
) -> Result<StreamOwned<ClientConnection, TcpStream>, String> {
    let socket = connect(host, port, timeout)?;
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_invalid| format!("`{host}` is neither a host name nor an address"))?;
    let connection = ClientConnection::new(Arc::new(config), name)
        .map_err(|_unusable| "no TLS connection can be set up".to_owned())?;
    Ok(StreamOwned::new(connection, socket))
}

fn chain(connection: &ClientConnection) -> Vec<Certificate> {
    let chain = connection.peer_certificates().unwrap_or_default();
    let chain = chain.iter();
    chain
        .filter_map(|der| Certificate::from_der(der.to_vec()).ok())
        .collect()
}

fn connect(host: &str, port: u16, timeout: Duration) -> Result<TcpStream, String> {
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|_unknown| format!("no address is found for `{host}`"))?;
    let mut failure = format!("no address is found for `{host}`");
    for address in addresses {
        let opened = TcpStream::connect_timeout(&address, timeout).and_then(|socket| {
            socket.set_read_timeout(Some(timeout))?;
            socket.set_write_timeout(Some(timeout))?;
            Ok(socket)
        });
        match opened {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = describe(&error),
        }
    }
    Err(failure)
}

fn read(stream: StreamOwned<ClientConnection, TcpStream>) -> Result<Vec<u8>, String> {
    let mut answer = Vec::new();
    match stream.take(MAX_ANSWER).read_to_end(&mut answer) {
        Ok(_) => Ok(answer),
        // Closed without saying so, which changes nothing about what was read.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(answer),
        Err(error) => Err(describe(&error)),
    }
}

fn parse(answer: &[u8], chain: Vec<Certificate>) -> Option<Answer> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.strip_prefix("HTTP/1.")?;
    let date = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.eq_ignore_ascii_case("date")).then(|| value.trim().to_owned())
    });
    Some(Answer {
        status: status.split(' ').nth(1)?.parse().ok()?,
        date,
        body: serde_json::from_str(body).unwrap_or_default(),
        chain,
    })
}

/// Describes a failure; those of TLS come as I/O errors without words of their own.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "there is no answer in time".to_owned()
        },
        io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        io::ErrorKind::InvalidData => "what listens there speaks no TLS that fits".to_owned(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            "the connection is closed at once".to_owned()
        },
        _ => describe_io_error(error),
    }
}

fn client_config() -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_unusable| "no TLS connection can be set up".to_owned())?;
    Ok(config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth())
}

/// Accepts any certificate whose key the server holds: it is judged afterwards, and nothing is sent that
/// others may not know.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _leaf: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_apart() {
        let text = b"HTTP/1.1 200 OK\r\ndate: Tue, 24 Nov 2026 19:00:00 GMT\r\n\r\n{\"data\": 1}";
        let answer = parse(text, Vec::new()).unwrap();
        assert_eq!((answer.status, &answer.body["data"]), (200, &1.into()));
        assert_eq!(
            answer.date.as_deref(),
            Some("Tue, 24 Nov 2026 19:00:00 GMT")
        );
        for wrong in [
            "",
            "SSH-2.0-OpenSSH",
            "HTTP/1.1 \r\n\r\n",
            "HTTP/1.1 x OK\r\n\r\n",
        ] {
            assert!(parse(wrong.as_bytes(), Vec::new()).is_none(), "{wrong}");
        }
    }
}
