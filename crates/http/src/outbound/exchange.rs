//! One request and its answer over a connection of its own.

use bytes::Bytes;
use http::{HeaderValue, Request, header};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::document::{self, Answered, MEDIA_TYPES};
use super::error::FetchError;
use super::target::Target;

/// Bytes of an answer's head, and of the trailers behind its body.
const MAX_HEAD: usize = 16 * 1024;

/// Most header lines of an answer.
const MAX_HEADERS: usize = 64;

/// Bytes that are read ahead.
const READ_BUFFER: usize = 32 * 1024;

/// Asks for the document of `target` over `stream`, and gives the stream up afterwards.
pub(super) async fn over<S>(stream: S, target: &Target<'_>) -> Result<Answered, FetchError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |source| FetchError::Broken {
        host: target.host(),
        source,
    };
    let request = request(target).map_err(|source| FetchError::Unwritable {
        host: target.host(),
        source,
    })?;
    let (mut sender, connection) = http1::Builder::new()
        .max_header_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .max_buf_size(READ_BUFFER)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let answered = async {
        let answer = sender.send_request(request).await.map_err(broken)?;
        document::read(answer, target).await
    };
    let mut answered = std::pin::pin!(answered);
    // Driven here and not in a task, so that giving up ends the connection too.
    tokio::select! {
        answered = &mut answered => answered,
        // Its error reaches the request, and what has arrived can still be read.
        _ended = connection => answered.await,
    }
}

fn request(target: &Target<'_>) -> Result<Request<Empty<Bytes>>, http::Error> {
    Request::get(target.path_and_query())
        .header(header::HOST, target.authority())
        .header(header::ACCEPT, MEDIA_TYPES.join(", "))
        .header(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        )
        .header(header::USER_AGENT, HeaderValue::from_static("portcullis"))
        .header(header::CONNECTION, HeaderValue::from_static("close"))
        .body(Empty::new())
}
