//! Accepting connections.

use crate::connected::{Connected, Stream};
use crate::exchange::{self, ANSWER_TIMEOUT, Receipt};
use bytes::BytesMut;
use portcullis_channel::group::ChannelGrant;
use portcullis_channel::hello::{Hello, HelloError, HelloReader, RejectClass};
use portcullis_channel::{Headers, Moment};
use std::io;
use tokio::time::{Instant, timeout_at};

/// A connection with a complete hello that is not answered yet.
///
/// Nothing in the hello is verified. Whoever accepts it must have verified the peer, for this
/// connection. Dropping it closes the connection without an answer.
#[derive(Debug)]
#[must_use = "a connection that is dropped is closed without an answer"]
pub struct Incoming<S> {
    stream: S,
    input: BytesMut,
    hello: Hello,
}

/// A connection has ended before or in its hello.
#[derive(Debug, thiserror::Error)]
pub enum IncomingError {
    #[error(transparent)]
    Hello(#[from] HelloError),
    /// The peer has closed the connection.
    #[error("the connection was closed before its hello was complete")]
    Closed,
    #[error("the connection failed before its hello was complete")]
    Io(#[source] io::Error),
}

impl<S> Incoming<S> {
    /// Wraps the stream, such as by [`Holding`](crate::Holding) what is needed as long as the connection
    /// lives.
    pub fn map_stream<T>(self, wrap: impl FnOnce(S) -> T) -> Incoming<T> {
        Incoming {
            stream: wrap(self.stream),
            input: self.input,
            hello: self.hello,
        }
    }
}

impl<S: Stream> Incoming<S> {
    /// Reads the hello of a new connection, which must be complete at `deadline`.
    ///
    /// A peer with another version of the protocol gets the list of supported ones. After an error
    /// the connection is closed.
    pub async fn read(mut stream: S, deadline: Instant) -> Result<Self, IncomingError> {
        let mut input = BytesMut::new();
        let reading = read_hello(&mut stream, &mut input);
        let result = timeout_at(deadline, reading).await;
        match result.unwrap_or(Err(HelloError::TimedOut.into())) {
            Ok(hello) => Ok(Self {
                stream,
                input,
                hello,
            }),
            Err(error) => {
                if let IncomingError::Hello(hello) = &error
                    && let Some(answer) = hello.answer()
                {
                    exchange::write_last(stream, &answer).await;
                }
                Err(error)
            },
        }
    }

    pub const fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Answers that the connection is accepted, in the name of `responder`, with the `headers` of
    /// the protocol.
    pub async fn accept(
        mut self,
        grant: &ChannelGrant,
        responder: &str,
        headers: &Headers,
    ) -> io::Result<Connected<S>> {
        let answer = self
            .hello
            .accept(grant, responder, headers)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        exchange::write(&mut self.stream, &answer, deadline).await?;
        Ok(Connected {
            stream: self.stream,
            input: self.input,
            underlay_type: self.hello.underlay_type,
        })
    }

    /// Answers that the connection is rejected, and closes it. The reason is shown to the operator
    /// of the peer.
    pub async fn reject(self, class: RejectClass, reason: &str) {
        let answer = self.hello.reject(class, reason);
        exchange::write_last(self.stream, &answer).await;
    }
}

async fn read_hello<S: Stream>(
    stream: &mut S,
    input: &mut BytesMut,
) -> Result<Hello, IncomingError> {
    // The deadline is the caller's.
    let reader = HelloReader::new(Moment::from_micros(u64::MAX));
    loop {
        if let Some(hello) = reader.read(input, Moment::ZERO)? {
            return Ok(hello);
        }
        let missing = reader.missing(input);
        match exchange::read(stream, input, missing).await {
            Ok(Receipt::Bytes) => {},
            Ok(Receipt::End) => return Err(IncomingError::Closed),
            Err(error) => return Err(IncomingError::Io(error)),
        }
    }
}
