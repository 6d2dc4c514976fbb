//! Connections that have passed their hello.

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};

/// A byte stream that can carry a channel, such as TLS over TCP.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

/// A connection with an accepted hello, to be opened as a channel or attached to one. Dropping it
/// closes it.
#[derive(Debug)]
#[must_use = "a connection that is dropped is closed"]
pub struct Connected<S> {
    pub(crate) stream: S,
    /// What has arrived after the hello, or after its answer.
    pub(crate) input: BytesMut,
    /// The type of the connection in its hello.
    pub(crate) underlay_type: Option<String>,
}
