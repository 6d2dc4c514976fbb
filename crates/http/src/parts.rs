//! Bodies of answers that are sent while they are written.

use crate::compress::Packer;
use crate::desk::Requester;
use crate::listen::AnswerError;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;

/// How many parts wait for the client at most.
const AHEAD: usize = 2;

/// Bytes of a part: little enough that a slow client takes one after the other.
const SIZE: usize = 64 * 1024;

/// The longest that the client may leave a part untaken.
const PATIENCE: Duration = Duration::from_secs(8);

/// How often it is looked whether others want the place of whoever writes.
const LOOK: Duration = Duration::from_millis(250);

/// The longest that a body may take altogether. Whoever writes holds a view of the store and a
/// place among the lists.
const MOST: Duration = Duration::from_mins(2);

/// A body in parts. When it is dropped, nobody writes on.
#[derive(Debug)]
pub struct Parts {
    waiting: mpsc::Receiver<Part>,
    has_ended: bool,
    is_gzip: bool,
    _writing: AbortOnDropHandle<()>,
}

#[derive(Debug)]
enum Part {
    More(Bytes),
    Last,
}

/// The writer's side of a body in parts.
pub(crate) struct PartsWriter {
    sender: mpsc::Sender<Part>,
    packer: Option<Packer>,
    end: Instant,
    requester: Option<Requester>,
    /// How long the client was waited for, in all.
    waited: Duration,
}

/// The client takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

/// A body was not written to its end.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the answer was broken off")]
struct BrokenOff;

/// Makes both sides of a body that is compressed on its way or not; `begun` takes the task that
/// writes.
pub(crate) fn parts(is_gzip: bool) -> (PartsWriter, impl FnOnce(AbortOnDropHandle<()>) -> Parts) {
    let (sender, waiting) = mpsc::channel(AHEAD);
    let begun = move |writing| Parts {
        waiting,
        has_ended: false,
        is_gzip,
        _writing: writing,
    };
    let end = Instant::now() + MOST;
    let writer = PartsWriter {
        sender,
        packer: is_gzip.then(Packer::new),
        end,
        requester: None,
        waited: Duration::ZERO,
    };
    (writer, begun)
}

impl PartsWriter {
    /// Says for whom the body is written, at the price of a place that others may want.
    pub(crate) fn written_for(&mut self, requester: Requester) {
        self.requester = Some(requester);
    }

    /// Hands bytes over in parts, and waits for the client if it is behind. After [`Gone`] the body
    /// must not be ended: it lacks something.
    ///
    /// Only for threads that may block.
    pub(crate) fn more(&mut self, bytes: impl Into<Bytes>) -> Result<(), Gone> {
        let bytes = bytes.into();
        let bytes = match &mut self.packer {
            Some(packer) => packer.pack(&bytes).map_err(|_unwritten| Gone)?,
            None => bytes,
        };
        self.send_all(&bytes)
    }

    /// Ends the body.
    pub(crate) fn end(mut self) -> Result<(), Gone> {
        if let Some(packer) = self.packer.take() {
            self.send_all(&packer.finish().map_err(|_unwritten| Gone)?)?;
        }
        self.send(Part::Last)
    }

    fn send_all(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        for part in bytes.chunks(SIZE) {
            // A copy: a slice that waits for the client would keep all of the bytes in memory.
            self.send(Part::More(Bytes::copy_from_slice(part)))?;
        }
        Ok(())
    }

    fn send(&mut self, part: Part) -> Result<(), Gone> {
        let part = match self.sender.try_send(part) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(part)) => part,
            Err(TrySendError::Closed(_)) => return Err(Gone),
        };
        let begun = Instant::now();
        let waiting = wait(
            &self.sender,
            part,
            self.requester.as_ref(),
            self.waited,
            self.end,
        );
        let outcome = tokio::runtime::Handle::current().block_on(waiting);
        self.waited += begun.elapsed();
        outcome
    }
}

/// Waits for the client to take a part, unless that takes too long, or others want the place of
/// whoever writes and the client was `waited` for already.
async fn wait(
    sender: &mpsc::Sender<Part>,
    part: Part,
    requester: Option<&Requester>,
    waited: Duration,
    end: Instant,
) -> Result<(), Gone> {
    let begun = Instant::now();
    let deadline = end.min(begun + PATIENCE);
    let mut sending = pin!(sender.send(part));
    loop {
        let gives_way = |requester: &Requester| requester.gives_way(waited + begun.elapsed());
        if requester.is_some_and(gives_way) {
            return Err(Gone);
        }
        let look = deadline.min(Instant::now() + LOOK);
        match timeout_at(look, &mut sending).await {
            Ok(sent) => return sent.map_err(|_closed| Gone),
            Err(_) if look == deadline => return Err(Gone),
            Err(_) => {},
        }
    }
}

impl Parts {
    /// Whether it is compressed by gzip.
    pub(crate) const fn is_gzip(&self) -> bool {
        self.is_gzip
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
            Some(Part::Last) => {
                self.has_ended = true;
                None
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
