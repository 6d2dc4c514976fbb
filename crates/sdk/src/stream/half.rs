//! The directions of a stream.

use super::{Link, MAX_MESSAGE};
use bytes::{Buf as _, Bytes};
use portcullis_sdk_proto::{CloseReason, ReadError, WriteError};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most bytes that one call of `write` takes: they travel together.
const MAX_WRITE: usize = 32 * 1024;

/// The direction from the other program. The stream is closed when both halves are dropped.
#[derive(Debug)]
pub struct ReadHalf {
    link: Arc<Link>,
    /// What is left of the last message.
    rest: Bytes,
}

/// The direction to the other program. Dropping it ends the direction, as `shutdown` does.
#[derive(Debug)]
pub struct WriteHalf {
    link: Arc<Link>,
}

impl ReadHalf {
    pub(super) const fn new(link: Arc<Link>) -> Self {
        Self {
            link,
            rest: Bytes::new(),
        }
    }

    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// See [`ServiceStream::recv_message`](super::ServiceStream::recv_message).
    ///
    /// # Errors
    ///
    /// As those of reading.
    pub async fn recv_message(&mut self) -> io::Result<Option<Bytes>> {
        poll_fn(|context| self.poll_message(context)).await
    }

    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Ok(Some(std::mem::take(&mut self.rest))));
        }
        let read = ready!(self.link.connection.poll_read(context));
        Poll::Ready(read.map_err(|error| match error {
            ReadError::Closed(why) => over(why),
            ReadError::NotOpen => over(CloseReason::ChannelEnded),
        }))
    }
}

impl WriteHalf {
    pub(super) const fn new(link: Arc<Link>) -> Self {
        Self { link }
    }

    /// See [`ServiceStream::send_message`](super::ServiceStream::send_message).
    ///
    /// # Errors
    ///
    /// As those of writing, and [`InvalidInput`](io::ErrorKind::InvalidInput) if the message is too long.
    pub async fn send_message(&mut self, mut message: Bytes) -> io::Result<()> {
        check_length(&message)?;
        poll_fn(|context| self.poll_send(context, &mut message)).await?;
        Ok(())
    }

    /// Sends a message if there is room for it.
    ///
    /// # Errors
    ///
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) if there is none; otherwise as
    /// [`send_message`](Self::send_message).
    pub fn try_send_message(&self, message: Bytes) -> io::Result<()> {
        check_length(&message)?;
        self.link.connection.try_write(message).map_err(unwritten)
    }

    fn poll_send(&self, context: &mut Context<'_>, data: &mut Bytes) -> Poll<io::Result<usize>> {
        let written = self.link.connection.poll_write(context, data);
        written.map_err(unwritten)
    }
}

impl Drop for WriteHalf {
    fn drop(&mut self) {
        self.link.connection.finish();
    }
}

impl AsyncRead for ReadHalf {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let Some(mut message) = ready!(self.poll_message(context))? else {
            return Poll::Ready(Ok(()));
        };
        let length = message.len().min(buffer.remaining());
        buffer.put_slice(&message.split_to(length));
        self.rest = message;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WriteHalf {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut data = bytes.copy_to_bytes(bytes.len().min(MAX_WRITE));
        self.poll_send(context, &mut data)
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.link.connection.finish();
        Poll::Ready(Ok(()))
    }
}

fn check_length(message: &Bytes) -> io::Result<()> {
    if message.len() <= MAX_MESSAGE {
        return Ok(());
    }
    let text = format!(
        "a message has {MAX_MESSAGE} bytes at most, and this one has {}",
        message.len()
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

fn unwritten(error: WriteError) -> io::Error {
    match error {
        WriteError::Blocked => io::Error::new(io::ErrorKind::WouldBlock, error),
        WriteError::Finished | WriteError::Stopped => {
            io::Error::new(io::ErrorKind::BrokenPipe, error)
        },
        WriteError::Closed(why) => over(why),
        WriteError::NotOpen => over(CloseReason::ChannelEnded),
    }
}

/// The error of a stream that is over.
fn over(why: CloseReason) -> io::Error {
    let kind = match &why {
        CloseReason::Finished | CloseReason::Peer => io::ErrorKind::BrokenPipe,
        CloseReason::Circuit(_) | CloseReason::Router(_) => io::ErrorKind::ConnectionReset,
        CloseReason::NotAuthentic(_) | CloseReason::Malformed => io::ErrorKind::InvalidData,
        CloseReason::Overflow | CloseReason::ChannelEnded => io::ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, why)
}
