//! Dialing connections.

use crate::connected::{Connected, Stream};
use crate::exchange::{self, Receipt};
use bytes::BytesMut;
use portcullis_channel::group::{AnswerMismatchError, DialFailure};
use portcullis_channel::hello::{
    Accepted, AnswerError, AnswerReader, Hello, HelloAnswer, Rejection, VERSION,
};
use portcullis_channel::{FrameTooLongError, Moment};
use std::io;
use tokio::time::{Instant, timeout_at};

/// A connection that was accepted by its listener, and the answer.
#[derive(Debug)]
#[must_use = "a connection that is dropped is closed"]
pub struct Dialed<S> {
    pub connected: Connected<S>,
    pub answer: Accepted,
}

/// A listener has not accepted a connection, which is closed.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// There is no connection, or it failed.
    #[error("the connection failed")]
    Io(#[from] io::Error),
    /// The hello is too long to be sent.
    #[error("hello: {0}")]
    Hello(#[from] FrameTooLongError),
    /// The listener has closed the connection without an answer.
    #[error("the connection was closed without an answer to its hello")]
    Closed,
    #[error("the connection was rejected: {}", .0.reason.escape_debug())]
    Rejected(Rejection),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error(transparent)]
    Mismatch(#[from] AnswerMismatchError),
    /// The dialer wants no channel with a listener that answers like this.
    #[error("the answer to the hello is not accepted: {}", .0.escape_debug())]
    Unacceptable(String),
}

impl DialError {
    /// What a [`GroupDialer`](portcullis_channel::group::GroupDialer) is told.
    pub fn failure(&self) -> DialFailure {
        match self {
            Self::Closed => DialFailure::Closed,
            Self::Rejected(_) => DialFailure::Rejected,
            Self::Answer(AnswerError::OtherVersions(versions)) => DialFailure::UnsupportedVersion {
                includes_ours: versions.contains(&VERSION),
            },
            Self::Io(_)
            | Self::Hello(_)
            | Self::Answer(_)
            | Self::Mismatch(_)
            | Self::Unacceptable(_) => DialFailure::Unreachable,
        }
    }
}

/// Sends the hello of a new connection, and reads its answer, until `deadline`.
pub async fn dial<S: Stream>(
    mut stream: S,
    hello: &Hello,
    deadline: Instant,
) -> Result<Dialed<S>, DialError> {
    let mut input = BytesMut::new();
    let bytes = hello.encode()?;
    match exchange::write(&mut stream, &bytes, deadline).await {
        // The listener may have closed the connection before it read anything.
        Err(error) if is_closed(&error) => return Err(DialError::Closed),
        result => result?,
    }
    let reading = read_answer(&mut stream, &mut input);
    let answer = timeout_at(deadline, reading)
        .await
        .unwrap_or(Err(AnswerError::TimedOut.into()))?;
    match answer {
        HelloAnswer::Accepted(answer) => Ok(Dialed {
            connected: Connected {
                stream,
                input,
                underlay_type: hello.underlay_type.clone(),
            },
            answer,
        }),
        HelloAnswer::Rejected(rejection) => Err(DialError::Rejected(rejection)),
    }
}

async fn read_answer<S: Stream>(
    stream: &mut S,
    input: &mut BytesMut,
) -> Result<HelloAnswer, DialError> {
    /// The size of most answers.
    const CHUNK: usize = 1024;
    // The deadline is the caller's.
    let reader = AnswerReader::new(Moment::from_micros(u64::MAX));
    loop {
        if let Some(answer) = reader.read(input, Moment::ZERO)? {
            return Ok(answer);
        }
        match exchange::read(stream, input, CHUNK).await {
            Ok(Receipt::Bytes) => {},
            Ok(Receipt::End) => return Err(DialError::Closed),
            Err(error) if is_closed(&error) => return Err(DialError::Closed),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the other side has closed a connection. A socket that is closed with unread bytes is
/// reset.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::WriteZero
    )
}
