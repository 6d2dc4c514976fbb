//! Connections through an HTTP proxy (RFC 9110, section 9.3.6).

use std::io;
use std::net::Ipv6Addr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Bytes of the head of an answer.
const MAX_HEAD: usize = 16 << 10;

/// Header lines of an answer.
const MAX_HEADERS: usize = 64;

const END: &[u8] = b"\r\n\r\n";

/// Why a proxy does not connect.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpConnectError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has closed the connection instead of answering")]
    Closed,
    #[error("the head of its answer is longer than {MAX_HEAD} bytes")]
    TooLong,
    #[error("its answer is not HTTP: {0}")]
    NotHttp(httparse::Error),
    #[error("it refuses with status {0}")]
    Refused(u16),
}

/// Asks the proxy at the other end of a stream to connect it to a server. Nothing is read of what the server sends.
pub(super) async fn through(
    stream: &mut TcpStream,
    host: &str,
    port: u16,
) -> Result<(), HttpConnectError> {
    let authority = match host.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]:{port}"),
        Err(_not_v6) => format!("{host}:{port}"),
    };
    let request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let head = read_head(stream).await?;
    match status(&head)? {
        200..=299 => Ok(()),
        status => Err(HttpConnectError::Refused(status)),
    }
}

/// Reads up to the empty line and no further: what follows is the server's.
async fn read_head(stream: &mut TcpStream) -> Result<Vec<u8>, HttpConnectError> {
    let mut head = Vec::new();
    let mut seen = vec![0; 2 << 10];
    while !head.ends_with(END) {
        let length = stream.peek(&mut seen).await?;
        if length == 0 {
            return Err(HttpConnectError::Closed);
        }
        let known = head.len();
        head.extend_from_slice(seen.get(..length).unwrap_or_default());
        let from = known.saturating_sub(END.len() - 1);
        let unread = head.get(from..).unwrap_or_default();
        let end = unread.windows(END.len()).position(|window| window == END);
        if let Some(end) = end {
            head.truncate(from + end + END.len());
        }
        if head.len() > MAX_HEAD {
            return Err(HttpConnectError::TooLong);
        }
        let taken = seen.get_mut(..head.len() - known).unwrap_or_default();
        stream.read_exact(taken).await?;
    }
    Ok(head)
}

fn status(head: &[u8]) -> Result<u16, HttpConnectError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    response.parse(head).map_err(HttpConnectError::NotHttp)?;
    response
        .code
        .ok_or(HttpConnectError::NotHttp(httparse::Error::Status))
}
