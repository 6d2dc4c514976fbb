//! Checks by HTTP.

use super::{CheckFailure, connect};
use crate::outbound::Outbound;
use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use memchr::memmem;
use portcullis_tunnel_config::HttpMethod;
use rustls::pki_types::ServerName;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use url::{Position, Url};

/// Bytes of an answer in which a text is searched.
const MAX_BODY: usize = 1 << 20;

/// Bytes of the head of an answer.
const MAX_HEAD: usize = 16 << 10;

/// A request, and what is expected of its answer. A redirect is an answer like any other.
#[derive(Debug)]
pub(super) struct HttpCheck<'c> {
    pub(super) url: Url,
    pub(super) method: HttpMethod,
    pub(super) body: &'c str,
    pub(super) expected_status: u16,
    pub(super) expected_in_body: Option<&'c str>,
}

impl HttpCheck<'_> {
    pub(super) async fn run(
        &self,
        outbound: &Outbound,
        tls: Option<&TlsConnector>,
    ) -> Result<(), CheckFailure> {
        let host = self.url.host_str().ok_or(CheckFailure::NotHttp)?;
        // Without the brackets that addresses of IPv6 have in URLs.
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = self.url.port_or_known_default();
        let port = port.ok_or(CheckFailure::NotHttp)?;
        match self.url.scheme() {
            "http" => {
                let stream = connect(outbound, host, port).await?;
                self.exchange(stream).await
            },
            "https" => {
                let connector = tls.ok_or(CheckFailure::NoTls)?;
                let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
                let stream = connect(outbound, host, port).await?;
                let stream = connector.connect(name, stream).await?;
                self.exchange(stream).await
            },
            _ => Err(CheckFailure::NotHttp),
        }
    }

    async fn exchange<S>(&self, stream: S) -> Result<(), CheckFailure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let request = self.request()?;
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await?;
        let mut exchange = Box::pin(async {
            let answer = sender.send_request(request).await?;
            let actual = answer.status().as_u16();
            let expected = self.expected_status;
            if actual != expected {
                return Err(CheckFailure::Status { actual, expected });
            }
            match self.expected_in_body {
                Some(text) => find(answer.into_body(), text).await,
                None => Ok(()),
            }
        });
        // Driven here and not in a task, so that dropping the future ends the connection, too.
        tokio::select! {
            result = &mut exchange => result,
            // Its error reaches the request, and what has been received can still be read.
            _ended = connection => exchange.await,
        }
    }

    fn request(&self) -> Result<Request<Full<Bytes>>, http::Error> {
        let method = match self.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post => Method::POST,
            HttpMethod::Put => Method::PUT,
            HttpMethod::Patch => Method::PATCH,
        };
        let body = Bytes::copy_from_slice(self.body.as_bytes());
        Request::builder()
            .method(method)
            .uri(&self.url[Position::BeforePath..Position::AfterQuery])
            .header(
                header::HOST,
                &self.url[Position::BeforeHost..Position::AfterPort],
            )
            .header(header::USER_AGENT, "portcullis")
            .header(header::CONNECTION, "close")
            .body(Full::new(body))
    }
}

async fn find(mut body: Incoming, text: &str) -> Result<(), CheckFailure> {
    let mut seen = Vec::new();
    let finder = memmem::Finder::new(text);
    loop {
        if finder.find(&seen).is_some() {
            return Ok(());
        }
        if seen.len() >= MAX_BODY {
            return Err(CheckFailure::Text(MAX_BODY));
        }
        let Some(frame) = body.frame().await.transpose()? else {
            return Err(CheckFailure::Text(MAX_BODY));
        };
        if let Ok(data) = frame.into_data() {
            let room = MAX_BODY - seen.len();
            seen.extend_from_slice(data.get(..room).unwrap_or(&data));
        }
    }
}
