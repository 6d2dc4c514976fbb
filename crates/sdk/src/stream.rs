//! Streams between programs.

mod half;

pub use half::{ReadHalf, WriteHalf};

use crate::channel::Connection;
use bytes::Bytes;
use portcullis_sdk_proto::CloseReason;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest message that [`send_message`](ServiceStream::send_message) keeps in one piece, in bytes.
pub const MAX_MESSAGE: usize = 65_535;

/// A stream between two programs, through the network.
///
/// It is read and written as any stream of tokio. Both directions end by themselves: `shutdown` ends the one to
/// the other program, which then reads the end of the stream, and may go on to answer. Dropping the stream closes
/// it after what was written has been delivered; [`abort`](Self::abort) closes it at once.
///
/// What was written has been taken over when `write` returns, and `flush` has nothing to wait for. The other
/// program slows this one down by not reading.
pub struct ServiceStream {
    read: ReadHalf,
    write: WriteHalf,
}

/// A stream, and what is known of it.
pub(crate) struct Link {
    connection: Connection,
    info: StreamInfo,
    /// The session, which routers have to be shown again and again.
    _context: ContextHandle,
}

/// What lives as long as a stream does.
pub(crate) type ContextHandle = Arc<dyn Send + Sync>;

/// What is known of a stream from the beginning.
#[derive(Clone)]
pub(crate) struct StreamInfo {
    pub(crate) service: Arc<str>,
    pub(crate) circuit_id: Option<String>,
    pub(crate) is_encrypted: bool,
    pub(crate) stickiness_token: Option<Bytes>,
    pub(crate) caller: Option<Caller>,
    pub(crate) marker: Option<String>,
}

/// Who has dialed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Id of the identity, as the router has verified it; `None` if the router does not say it.
    pub identity_id: Option<String>,
    /// Name of the identity, as the router has verified it.
    pub identity_name: Option<String>,
    /// What the program calls itself. Nobody has verified that.
    pub claimed_name: Option<String>,
}

impl ServiceStream {
    pub(crate) fn new(connection: Connection, info: StreamInfo, context: ContextHandle) -> Self {
        let link = Arc::new(Link {
            connection,
            info,
            _context: context,
        });
        Self {
            read: ReadHalf::new(Arc::clone(&link)),
            write: WriteHalf::new(link),
        }
    }

    /// The name of the service.
    pub fn service(&self) -> &str {
        &self.read.link().info.service
    }

    /// By which routers and controllers know the stream; `None` if the router has not said it.
    pub fn circuit_id(&self) -> Option<&str> {
        self.read.link().info.circuit_id.as_deref()
    }

    /// Names the stream in logs of both ends.
    pub fn marker(&self) -> Option<&str> {
        self.read.link().info.marker.as_deref()
    }

    /// Whether nobody but the other program can read what is written.
    pub fn is_encrypted(&self) -> bool {
        self.read.link().info.is_encrypted
    }

    /// Who has dialed; `None` if this program has.
    pub fn caller(&self) -> Option<&Caller> {
        self.read.link().info.caller.as_ref()
    }

    /// With it, [`DialOptions::stickiness_token`](crate::DialOptions::stickiness_token) reaches the same hosting
    /// program.
    pub fn stickiness_token(&self) -> Option<&Bytes> {
        self.read.link().info.stickiness_token.as_ref()
    }

    /// Why the stream is over; `None` while it is not. What has arrived before can still be read.
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.read.link().connection.end()
    }

    /// Sends a message of at most [`MAX_MESSAGE`] bytes in one piece, which
    /// [`recv_message`](Self::recv_message) returns in one piece if the other program uses this SDK; other SDKs
    /// read it at once if their buffer is long enough. Empty messages are not sent.
    ///
    /// Dropping the future before it is ready sends nothing.
    ///
    /// # Errors
    ///
    /// As those of writing, and [`InvalidInput`](io::ErrorKind::InvalidInput) if the message is too long.
    pub async fn send_message(&mut self, message: Bytes) -> io::Result<()> {
        self.write.send_message(message).await
    }

    /// The next message, as the other program has written it; `None` if it sends nothing more. What was read in
    /// part before comes first. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// As those of reading.
    pub async fn recv_message(&mut self) -> io::Result<Option<Bytes>> {
        self.read.recv_message().await
    }

    /// Both directions, for tasks of their own.
    pub fn into_split(self) -> (ReadHalf, WriteHalf) {
        (self.read, self.write)
    }

    /// Closes the stream at once, whatever is on its way.
    pub fn abort(self) {
        self.read.link().connection.abort();
    }
}

impl AsyncRead for ServiceStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(context, buffer)
    }
}

impl AsyncWrite for ServiceStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.write).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(context)
    }
}

impl fmt::Debug for ServiceStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceStream")
            .field("info", &self.read.link().info)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StreamInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamInfo")
            .field("service", &self.service)
            .field("circuit_id", &self.circuit_id)
            .field("is_encrypted", &self.is_encrypted)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
