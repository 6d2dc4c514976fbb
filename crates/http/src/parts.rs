//! Bodies of answers that are sent while they are written.

use crate::listen::AnswerError;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// How many parts wait for the client at most.
const AHEAD: usize = 2;

/// Bytes of a part: little enough that a slow client takes one after the other.
const SIZE: usize = 64 * 1024;

/// The longest that the client may leave a part untaken.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest that a body may take altogether. Whoever writes holds a view of the store and a
/// place among the lists.
const MOST: Duration = Duration::from_mins(2);

/// A body in parts. When it is dropped, nobody writes on.
#[derive(Debug)]
pub struct Parts {
    waiting: mpsc::Receiver<Part>,
    has_ended: bool,
    _writing: AbortOnDropHandle<()>,
}

#[derive(Debug)]
enum Part {
    More(Bytes),
    Last(Bytes),
}

/// The writer's side of a body in parts.
#[derive(Debug)]
pub(crate) struct PartsWriter {
    sender: mpsc::Sender<Part>,
    end: Instant,
}

/// The client takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

/// A body was not written to its end.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the answer was broken off")]
struct BrokenOff;

/// Makes both sides; `begun` takes the task that writes.
pub(crate) fn parts() -> (PartsWriter, impl FnOnce(AbortOnDropHandle<()>) -> Parts) {
    let (sender, waiting) = mpsc::channel(AHEAD);
    let begun = |writing| Parts {
        waiting,
        has_ended: false,
        _writing: writing,
    };
    let end = Instant::now() + MOST;
    (PartsWriter { sender, end }, begun)
}

impl PartsWriter {
    /// Hands bytes over in parts, and waits for the client if it is behind. After [`Gone`] the body
    /// must not be ended: it lacks something.
    ///
    /// Only for threads that may block.
    pub(crate) fn more(&self, bytes: impl Into<Bytes>) -> Result<(), Gone> {
        let mut bytes: Bytes = bytes.into();
        while bytes.len() > SIZE {
            self.send(Part::More(bytes.split_to(SIZE)))?;
        }
        self.send(Part::More(bytes))
    }

    /// Hands over the last part.
    pub(crate) fn last(self, part: impl Into<Bytes>) -> Result<(), Gone> {
        self.send(Part::Last(part.into()))
    }

    fn send(&self, part: Part) -> Result<(), Gone> {
        let deadline = self.end.min(Instant::now() + PATIENCE);
        let sending = tokio::time::timeout_at(deadline, self.sender.send(part));
        match tokio::runtime::Handle::current().block_on(sending) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = AnswerError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AnswerError>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        self.waiting.poll_recv(context).map(|part| match part {
            Some(Part::More(bytes)) => Some(Ok(Frame::data(bytes))),
            Some(Part::Last(bytes)) => {
                self.has_ended = true;
                Some(Ok(Frame::data(bytes)))
            },
            // Whoever wrote has given up: half a list must not be taken for a whole one.
            None => Some(Err(BrokenOff.into())),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
