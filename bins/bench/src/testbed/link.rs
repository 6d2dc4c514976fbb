//! Connections: TLS 1.3 without resumption, and as much of HTTP/1.1 as the load needs.

use super::credential::Credential;
use anyhow::{Context as _, bail, ensure};
use portcullis_pki::Certificate;
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::ServerName;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Largest answer that is taken, in bytes.
const LARGEST: usize = 16 * 1024 * 1024;

/// What the system is told to keep of what a narrow connection receives, in bytes: no more than a
/// record of TLS, for with less than that nothing is read for seconds.
const NARROW: u32 = 16 * 1024;

/// A server, what its clients trust, and as whom they come.
#[derive(Clone)]
pub(crate) struct Endpoint {
    address: SocketAddr,
    /// The address that connections come from; without one the system chooses.
    source: Option<Ipv4Addr>,
    config: Arc<ClientConfig>,
}

impl Endpoint {
    /// A server whose chain ends in one of `roots`.
    pub(crate) fn new(
        address: SocketAddr,
        roots: &[Certificate],
        client: Option<&Credential>,
    ) -> anyhow::Result<Self> {
        let mut store = RootCertStore::empty();
        for root in roots {
            store.add(root.as_rustls().clone())?;
        }
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(store);
        let mut config = match client {
            Some(client) => config.with_client_auth_cert(client.chain(), client.key()?)?,
            None => config.with_no_client_auth(),
        };
        config.resumption = Resumption::disabled();
        Ok(Self {
            address,
            source: None,
            config: Arc::new(config),
        })
    }

    /// The same from an address of its own, so that the server takes it for another client.
    pub(crate) fn with_source(&self, source: Ipv4Addr) -> Self {
        Self {
            source: Some(source),
            ..self.clone()
        }
    }

    /// The same for HTTP/2.
    pub(crate) fn http2(&self) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self {
            config: Arc::new(config),
            ..self.clone()
        }
    }

    /// Connects and shakes hands.
    pub(crate) async fn connect(&self) -> anyhow::Result<Link> {
        Ok(Link::over(self.tls().await?))
    }

    /// Connects with little room for what is received, so that what is not read waits at the server.
    pub(crate) async fn connect_narrow(&self) -> anyhow::Result<Link> {
        let socket = self.socket()?;
        socket.set_recv_buffer_size(NARROW)?;
        let stream = socket.connect(self.address).await?;
        Ok(Link::over(self.handshake(stream).await?))
    }

    /// Connects, and leaves the handshake to the caller.
    pub(crate) async fn tcp(&self) -> anyhow::Result<TcpStream> {
        Ok(self.socket()?.connect(self.address).await?)
    }

    /// Connects and shakes hands, and leaves the protocol to the caller.
    pub(crate) async fn tls(&self) -> anyhow::Result<TlsStream<TcpStream>> {
        self.handshake(self.tcp().await?).await
    }

    fn socket(&self) -> anyhow::Result<TcpSocket> {
        let socket = TcpSocket::new_v4()?;
        if let Some(source) = self.source {
            socket.bind((source, 0).into())?;
        }
        Ok(socket)
    }

    async fn handshake(&self, stream: TcpStream) -> anyhow::Result<TlsStream<TcpStream>> {
        stream.set_nodelay(true)?;
        let name = ServerName::from(self.address.ip());
        let connector = TlsConnector::from(Arc::clone(&self.config));
        Ok(connector.connect(name, stream).await?)
    }

    /// Opens `count` connections.
    pub(crate) async fn connect_many(&self, count: usize) -> anyhow::Result<Vec<Link>> {
        let mut links = Vec::with_capacity(count);
        for _ in 0..count {
            links.push(self.connect().await?);
        }
        Ok(links)
    }
}

/// A connection.
pub(crate) struct Link {
    stream: TlsStream<TcpStream>,
    buffer: Vec<u8>,
}

/// An answer, which lasts until the next request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer<'l> {
    /// Its status.
    pub(crate) status: u16,
    /// Length of its head.
    pub(crate) head: usize,
    /// Its body.
    pub(crate) body: &'l [u8],
}

impl Link {
    fn over(stream: TlsStream<TcpStream>) -> Self {
        Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        }
    }

    /// Sends bytes of a request.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stream.write_all(bytes).await?;
        // What the socket did not take at once waits within TLS, for ever if nothing else is written.
        Ok(self.stream.flush().await?)
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        self.send(request).await?;
        self.buffer.clear();
        let mut whole = None;
        // Until the head is there, how much there is to read is not known.
        while whole.is_none_or(|head: Head| self.buffer.len() < head.length + head.body) {
            ensure!(self.buffer.len() < LARGEST, "the answer has no end");
            let count = self.stream.read_buf(&mut self.buffer).await?;
            ensure!(count > 0, "the server closed the connection");
            if whole.is_none() {
                whole = Head::read(&self.buffer)?;
            }
        }
        let head = whole.context("the answer has no head")?;
        Ok(Answer {
            status: head.status,
            head: head.length,
            body: self.buffer.get(head.length..).unwrap_or_default(),
        })
    }

    /// Sends a request whose answer has to have the given status; answers its body.
    pub(crate) async fn expect(&mut self, status: u16, request: &[u8]) -> anyhow::Result<&[u8]> {
        let answer = self.exchange(request).await?;
        if answer.status != status {
            bail!(
                "expected {status}, but the controller answered {}: {}",
                answer.status,
                String::from_utf8_lossy(answer.body)
            );
        }
        Ok(answer.body)
    }

    /// Sends a request whose answer has to be a redirect; answers where it leads.
    pub(crate) async fn redirect(&mut self, request: &[u8]) -> anyhow::Result<&str> {
        let length = {
            let answer = self.exchange(request).await?;
            ensure!(
                answer.status == 302,
                "expected a redirect, but the controller answered {}: {}",
                answer.status,
                String::from_utf8_lossy(answer.body)
            );
            answer.head
        };
        let head = self.buffer.get(..length).unwrap_or_default();
        header(str::from_utf8(head)?, "location").context("the redirect leads nowhere")
    }

    /// Sends a request and reads the first bytes of its answer; answers the status.
    pub(crate) async fn begin(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.send(request).await?;
        self.buffer.clear();
        loop {
            let count = self.stream.read_buf(&mut self.buffer).await?;
            ensure!(count > 0, "the server closed the connection");
            if let Some(head) = Head::read(&self.buffer)? {
                return Ok(head.status);
            }
        }
    }

    /// Reads a few bytes of what was begun; none are left at the end.
    pub(crate) async fn sip(&mut self, count: usize) -> anyhow::Result<usize> {
        let mut few = vec![0; count];
        Ok(self.stream.read(&mut few).await?)
    }

    /// Waits until the server has said something, no matter what.
    pub(crate) async fn listen(&mut self) -> anyhow::Result<()> {
        self.buffer.clear();
        let count = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(count > 0, "the server closed the connection");
        Ok(())
    }

    /// Takes leave of the server.
    pub(crate) async fn close(mut self) -> anyhow::Result<()> {
        Ok(self.stream.shutdown().await?)
    }
}

/// What the head of an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    status: u16,
    /// Its own length.
    length: usize,
    /// That of the body.
    body: usize,
}

impl Head {
    /// Reads the head at the beginning of `bytes`, if all of it is there.
    fn read(bytes: &[u8]) -> anyhow::Result<Option<Self>> {
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            return Ok(None);
        };
        let (text, _) = bytes.split_at_checked(end).unwrap_or_default();
        let text = str::from_utf8(text).context("the head of the answer is no text")?;
        let status = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("HTTP/1.1 "))
            .and_then(|line| line.get(..3))
            .context("the answer is not HTTP/1.1")?
            .parse()?;
        let body = header(text, "content-length").map_or(Ok(0), str::parse)?;
        Ok(Some(Self {
            status,
            length: end + 4,
            body,
        }))
    }
}

/// The value of a header in the text of a head.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(found, _)| found.eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_is_read_once_it_is_whole() {
        let text = b"HTTP/1.1 201 Created\r\nServer: x\r\nContent-Length: 2\r\n\r\n{}";
        for end in 0..text.len() - 2 {
            assert_eq!(Head::read(&text[..end]).unwrap(), None, "{end}");
        }
        let head = Head {
            status: 201,
            length: text.len() - 2,
            body: 2,
        };
        assert_eq!(Head::read(text).unwrap(), Some(head));
    }

    #[test]
    fn header_is_found_whatever_its_case() {
        let head = "HTTP/1.1 302 Found\r\nVary: Origin\r\nLocation: https://a.test/?b=c\r\n\r\n";
        assert_eq!(header(head, "location"), Some("https://a.test/?b=c"));
        assert_eq!(header(head, "content-length"), None);
    }

    #[test]
    fn other_protocols_are_refused() {
        for text in ["HTTP/1.0 200 OK\r\n\r\n", "SSH-2.0\r\n\r\n", "\r\n\r\n"] {
            Head::read(text.as_bytes()).unwrap_err();
        }
    }
}
