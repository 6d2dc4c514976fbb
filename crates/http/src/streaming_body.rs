//! Response bodies that are sent while they are being written.

use crate::compress::GzipStream;
use crate::fair_queue::JobContext;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use portcullis_listener::ResponseBodyError;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;

/// Chunks that may be queued for the client.
const QUEUED_CHUNKS: usize = 2;

/// Size of a chunk: small enough that a slow client takes one after the other.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest that the client may leave a chunk unread.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(8);

/// How often a stalled writer checks whether others want its slot.
const YIELD_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The longest that a body may take in total. Its writer holds a snapshot of the store and a slot
/// of a queue.
const BODY_TIMEOUT: Duration = Duration::from_mins(2);

/// The reading side of a streamed body. Dropping it aborts the writer.
#[derive(Debug)]
pub struct Streaming {
    chunks: mpsc::Receiver<Chunk>,
    has_ended: bool,
    is_gzip: bool,
    _writer: AbortOnDropHandle<()>,
}

#[derive(Debug)]
enum Chunk {
    Data(Bytes),
    End,
}

/// The writing side of a streamed body.
pub(crate) struct BodyWriter {
    sender: mpsc::Sender<Chunk>,
    gzip: Option<GzipStream>,
    deadline: Instant,
    job: Option<JobContext>,
    /// How long the client was waited for, in total.
    waited: Duration,
}

/// The client no longer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientGone;

/// The writer ended before the end of the body.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the response was cut short")]
struct TruncatedBodyError;

/// Creates both sides of a body, gzip-compressed or not. The returned closure takes the task that
/// writes.
pub(crate) fn channel(
    is_gzip: bool,
) -> (BodyWriter, impl FnOnce(AbortOnDropHandle<()>) -> Streaming) {
    let (sender, chunks) = mpsc::channel(QUEUED_CHUNKS);
    let with_writer = move |writing| Streaming {
        chunks,
        has_ended: false,
        is_gzip,
        _writer: writing,
    };
    let deadline = Instant::now() + BODY_TIMEOUT;
    let writer = BodyWriter {
        sender,
        gzip: is_gzip.then(GzipStream::new),
        deadline,
        job: None,
        waited: Duration::ZERO,
    };
    (writer, with_writer)
}

impl BodyWriter {
    /// Sets the job that writes the body, whose slot others may want.
    pub(crate) fn set_job(&mut self, job: JobContext) {
        self.job = Some(job);
    }

    /// Sends bytes in chunks, and waits for a client that lags behind. After [`ClientGone`] the
    /// body must not be ended: it is incomplete.
    ///
    /// Only for threads that may block.
    pub(crate) fn write(&mut self, bytes: impl Into<Bytes>) -> Result<(), ClientGone> {
        let bytes = bytes.into();
        let bytes = match &mut self.gzip {
            Some(gzip) => gzip.write(&bytes).map_err(|_unwritten| ClientGone)?,
            None => bytes,
        };
        self.send_all(&bytes)
    }

    pub(crate) fn finish(mut self) -> Result<(), ClientGone> {
        if let Some(gzip) = self.gzip.take() {
            self.send_all(&gzip.finish().map_err(|_unwritten| ClientGone)?)?;
        }
        self.send(Chunk::End)
    }

    fn send_all(&mut self, bytes: &[u8]) -> Result<(), ClientGone> {
        for chunk in bytes.chunks(CHUNK_BYTES) {
            // A copy: a queued slice would keep all of the bytes in memory.
            self.send(Chunk::Data(Bytes::copy_from_slice(chunk)))?;
        }
        Ok(())
    }

    fn send(&mut self, chunk: Chunk) -> Result<(), ClientGone> {
        let chunk = match self.sender.try_send(chunk) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(chunk)) => chunk,
            Err(TrySendError::Closed(_)) => return Err(ClientGone),
        };
        let begun = Instant::now();
        let sending = send_when_ready(
            &self.sender,
            chunk,
            self.job.as_ref(),
            self.waited,
            self.deadline,
        );
        let outcome = tokio::runtime::Handle::current().block_on(sending);
        self.waited += begun.elapsed();
        outcome
    }
}

/// Waits for the client to take a chunk, unless that takes too long, or others want the slot of the
/// writer, which has waited for its client for `waited` before.
async fn send_when_ready(
    sender: &mpsc::Sender<Chunk>,
    chunk: Chunk,
    job: Option<&JobContext>,
    waited: Duration,
    end: Instant,
) -> Result<(), ClientGone> {
    let begun = Instant::now();
    let chunk_deadline = end.min(begun + CHUNK_TIMEOUT);
    let mut sending = pin!(sender.send(chunk));
    loop {
        let must_yield = |job: &JobContext| job.must_yield(waited + begun.elapsed());
        if job.is_some_and(must_yield) {
            return Err(ClientGone);
        }
        let next_check = chunk_deadline.min(Instant::now() + YIELD_CHECK_INTERVAL);
        match timeout_at(next_check, &mut sending).await {
            Ok(sent) => return sent.map_err(|_closed| ClientGone),
            Err(_) if next_check == chunk_deadline => return Err(ClientGone),
            Err(_) => {},
        }
    }
}

impl Streaming {
    pub(crate) const fn is_gzip(&self) -> bool {
        self.is_gzip
    }
}

impl Body for Streaming {
    type Data = Bytes;
    type Error = ResponseBodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ResponseBodyError>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        self.chunks.poll_recv(context).map(|chunk| match chunk {
            Some(Chunk::Data(bytes)) => Some(Ok(Frame::data(bytes))),
            Some(Chunk::End) => {
                self.has_ended = true;
                None
            },
            // The writer has given up: a partial list must not pass for a complete one.
            None => Some(Err(TruncatedBodyError.into())),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
