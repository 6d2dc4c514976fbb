//! The bytes that the messages of a WebSocket carry.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Longest message that is written.
const MAX_WRITTEN: usize = 64 * 1024;

/// A WebSocket as a stream of bytes: the limits of its messages mean nothing.
///
/// It is kept alive by pings as long as it is read from.
pub(in crate::edge) struct MessageStream<S> {
    socket: WebSocketStream<S>,
    /// Of the message that was read last.
    unread: Bytes,
    pings: Option<Pings>,
}

struct Pings {
    interval: Interval,
    patience: Duration,
    /// When the first ping was sent after which nothing was heard.
    unanswered_since: Option<Instant>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> MessageStream<S> {
    /// A client that is silent for `patience` after a ping is gone.
    pub(in crate::edge) fn new(
        socket: WebSocketStream<S>,
        every: Option<Duration>,
        patience: Duration,
    ) -> Self {
        let pings = every.map(|every| {
            let mut interval = interval_at(Instant::now() + every, every);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            Pings {
                interval,
                patience,
                unanswered_since: None,
            }
        });
        Self {
            socket,
            unread: Bytes::new(),
            pings,
        }
    }

    /// The next bytes; none at the end.
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        loop {
            let Some(message) = ready!(self.socket.poll_next_unpin(context)) else {
                return Poll::Ready(Ok(Bytes::new()));
            };
            if let Some(pings) = &mut self.pings {
                pings.unanswered_since = None;
            }
            let bytes = match message.map_err(failed)? {
                Message::Binary(bytes) => bytes,
                Message::Text(text) => text.into(),
                Message::Close(_) => return Poll::Ready(Ok(Bytes::new())),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
            };
            if !bytes.is_empty() {
                return Poll::Ready(Ok(bytes));
            }
        }
    }

    /// Sends pings when they are due. Is ready only if the client is gone.
    fn poll_pings(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        let Some(pings) = &mut self.pings else {
            return Poll::Pending;
        };
        loop {
            let now = ready!(pings.interval.poll_tick(context));
            let since = *pings.unanswered_since.get_or_insert(now);
            if now > since && now.duration_since(since) >= pings.patience {
                let silent = "the client does not answer pings";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, silent)));
            }
            // Where there is no room for a ping, the client is not idle.
            if self.socket.poll_ready_unpin(context).is_ready() {
                let ping = Message::Ping(Bytes::new());
                self.socket.start_send_unpin(ping).map_err(failed)?;
                let _on_its_way = self.socket.poll_flush_unpin(context);
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for MessageStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            let read = match self.poll_message(context) {
                Poll::Ready(read) => read,
                Poll::Pending => ready!(self.poll_pings(context)),
            };
            self.unread = read?;
        }
        let length = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for MessageStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.socket.poll_ready_unpin(context)).map_err(failed)?;
        let written = bytes.get(..MAX_WRITTEN).unwrap_or(bytes);
        let message = Message::Binary(Bytes::copy_from_slice(written));
        self.socket.start_send_unpin(message).map_err(failed)?;
        Poll::Ready(Ok(written.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_flush_unpin(context).map_err(failed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_close_unpin(context).map_err(failed)
    }
}

fn failed(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::ConnectionClosed | Error::AlreadyClosed => io::ErrorKind::BrokenPipe.into(),
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::timeout;
    use tokio_tungstenite::tungstenite::protocol::Role;

    async fn pair() -> (MessageStream<DuplexStream>, WebSocketStream<DuplexStream>) {
        let (near, far) = duplex(1 << 16);
        let server = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
        let client = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
        let (every, patience) = (Duration::from_secs(54), Duration::from_mins(1));
        (MessageStream::new(server, Some(every), patience), client)
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_answers_no_pings_is_gone() {
        let (mut stream, _client) = pair().await;
        let begin = Instant::now();
        let error = stream.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(begin.elapsed().as_secs(), 3 * 54);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_answers_pings_may_be_silent() {
        let (mut stream, mut client) = pair().await;
        let answering = async {
            while let Some(message) = client.next().await {
                assert!(matches!(message.unwrap(), Message::Ping(_)));
            }
        };
        tokio::select! {
            () = answering => panic!("it was closed"),
            silent = timeout(Duration::from_hours(1), stream.read_u8()) => assert!(silent.is_err()),
        }
    }

    #[tokio::test]
    async fn bytes_of_any_messages_are_read_until_the_end() {
        let (mut stream, mut client) = pair().await;
        for message in [
            Message::binary("ab"),
            Message::binary(""),
            Message::text("c"),
            Message::Ping(Bytes::new()),
            Message::binary("d"),
            Message::Close(None),
        ] {
            client.send(message).await.unwrap();
        }
        let mut read = String::new();
        stream.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "abcd");
    }

    #[tokio::test]
    async fn what_is_written_goes_out_in_binary_messages_of_bounded_length() {
        let (mut stream, mut client) = pair().await;
        let sent = vec![7; 3 * MAX_WRITTEN / 2];
        let writing = async {
            stream.write_all(&sent).await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let reading = async {
            let mut received = Vec::new();
            while let Some(Ok(Message::Binary(bytes))) = client.next().await {
                received.push(bytes);
            }
            received
        };
        let ((), received) = tokio::join!(writing, reading);
        assert_eq!(received.len(), 2);
        assert_eq!(received.concat(), sent);
    }
}
