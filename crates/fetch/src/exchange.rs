//! One request and its response over a connection of its own.

use std::error::Error;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Empty;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::document::MEDIA_TYPES;
use crate::error::FetchError;
use crate::target::FetchTarget;

/// Most bytes of a response head, and of its trailers.
const MAX_HEAD: usize = 16 * 1024;

/// Most header lines of a response.
const MAX_HEADERS: usize = 64;

/// Size of the read buffer, bytes.
const READ_BUFFER: usize = 32 * 1024;

/// Sends `request` to `target` over `stream`, has `read` take the response, and closes the stream.
pub(crate) async fn send<S, B, F, T>(
    stream: S,
    target: &FetchTarget<'_>,
    request: Request<B>,
    read: impl FnOnce(Response<Incoming>) -> F,
) -> Result<T, FetchError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    F: Future<Output = Result<T, FetchError>>,
{
    let broken = |source| FetchError::InvalidResponse {
        host: target.host(),
        source,
    };
    let (mut sender, connection) = http1::Builder::new()
        .max_header_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .max_buf_size(READ_BUFFER)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let response = async {
        let answer = sender.send_request(request).await.map_err(broken)?;
        read(answer).await
    };
    let mut response = std::pin::pin!(response);
    // Driven here and not in a task, so that dropping the future ends the connection too.
    tokio::select! {
        answered = &mut response => answered,
        // Its error reaches the request, and buffered data can still be read.
        _ended = connection => response.await,
    }
}

/// The request for the document of `target`.
pub(crate) fn document_request(
    target: &FetchTarget<'_>,
) -> Result<Request<Empty<Bytes>>, FetchError> {
    let request = Request::get(target.path_and_query())
        .header(header::HOST, target.authority())
        .header(header::ACCEPT, MEDIA_TYPES.join(", "))
        .header(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        )
        .header(header::USER_AGENT, HeaderValue::from_static("portcullis"))
        .header(header::CONNECTION, HeaderValue::from_static("close"))
        .body(Empty::new());
    request.map_err(|source| FetchError::InvalidRequest {
        host: target.host(),
        source,
    })
}
