//! Request bodies: read whole, within a size and a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming, SizeHint};
use tokio::time::{Instant, timeout, timeout_at};

/// Largest rest of an unread body that is taken in to keep the connection usable.
const MAX_REST: u64 = 64 * 1024;

/// Time for it.
const REST_TIME: Duration = Duration::from_secs(1);

/// Most bytes reserved ahead of their arrival, whatever length the client has announced.
const MAX_RESERVED: usize = 16 * 1024;

/// Body of a request, not yet read.
pub struct Body {
    source: Source,
    rest: Arc<Rest>,
}

/// How fast a body must arrive.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Time before the floor counts.
    pub grace: Duration,
    /// Fewest bytes per second, averaged from the start of reading.
    pub floor: u64,
    /// Time for the whole body.
    pub total: Duration,
}

/// Why a body could not be read. The connection is closed after the answer (HTTP/1), or the stream
/// is (HTTP/2).
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It has more bytes than allowed, or announces them.
    #[error("the request body is larger than {cap} bytes")]
    TooLarge {
        /// Most bytes allowed.
        cap: usize,
    },
    /// It arrives more slowly than allowed.
    #[error("the request body arrives too slowly")]
    TooSlow,
    /// The client broke off, or broke the framing.
    #[error("the request body could not be read to its end")]
    Broken(#[source] hyper::Error),
}

enum Source {
    Wire(Incoming),
    Memory(Bytes),
    Spent,
}

/// What a request leaves of its body, for the listener to deal with after the answer.
#[derive(Debug, Default)]
pub(super) struct Rest {
    unread: Mutex<Option<Incoming>>,
    is_broken: AtomicBool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            floor: 1024,
            total: Duration::from_mins(1),
        }
    }
}

impl Body {
    /// Takes over the body of an arriving request.
    pub(super) fn arriving(body: Incoming) -> (Self, Arc<Rest>) {
        let rest = Arc::new(Rest::default());
        (
            Self {
                source: Source::Wire(body),
                rest: Arc::clone(&rest),
            },
            rest,
        )
    }

    /// Reports whether the request is known to have no body.
    pub fn is_absent(&self) -> bool {
        match &self.source {
            Source::Wire(body) => body.is_end_stream(),
            Source::Memory(bytes) => bytes.is_empty(),
            Source::Spent => true,
        }
    }

    /// Reads the body to its end.
    ///
    /// A body that announces more than `cap` bytes is refused before anything is read; one that
    /// announces nothing (chunked) is refused when it grows beyond. Memory is taken as bytes arrive.
    pub async fn read(mut self, cap: usize, pace: &Pace) -> Result<Bytes, BodyError> {
        match std::mem::replace(&mut self.source, Source::Spent) {
            Source::Spent => Ok(Bytes::new()),
            Source::Memory(bytes) if bytes.len() > cap => Err(BodyError::TooLarge { cap }),
            Source::Memory(bytes) => Ok(bytes),
            Source::Wire(mut body) => {
                let outcome = read_wire(&mut body, cap, pace).await;
                if outcome.is_err() {
                    self.rest.is_broken.store(true, Ordering::Relaxed);
                }
                outcome
            },
        }
    }
}

impl From<Bytes> for Body {
    /// Makes a body from bytes at hand, for calling a service without a connection.
    fn from(bytes: Bytes) -> Self {
        Self {
            source: Source::Memory(bytes),
            rest: Arc::default(),
        }
    }
}

impl std::fmt::Debug for Body {
    /// Without the bytes, which may hold a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Body").finish_non_exhaustive()
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Source::Wire(body) = std::mem::replace(&mut self.source, Source::Spent) {
            *self
                .rest
                .unread
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}

impl Rest {
    /// Takes in a short rest, and reports whether the connection is fit for another request.
    ///
    /// `may_read` is false when the client waits for leave to send its body (`Expect`), which
    /// reading would give.
    pub(super) async fn settle(&self, may_read: bool) -> bool {
        if self.is_broken.load(Ordering::Relaxed) {
            return false;
        }
        let unread = self
            .unread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(mut body) = unread.filter(|body| !body.is_end_stream()) else {
            return true;
        };
        let is_short = body
            .size_hint()
            .upper()
            .is_some_and(|most| most <= MAX_REST);
        may_read && is_short && timeout(REST_TIME, skip(&mut body)).await.unwrap_or(false)
    }
}

/// Reads `body` to its end without keeping it, and reports whether it got there.
async fn skip(body: &mut Incoming) -> bool {
    while let Some(frame) = body.frame().await {
        if frame.is_err() {
            return false;
        }
    }
    true
}

/// Reads `body` within `cap` and `pace`.
async fn read_wire(body: &mut Incoming, cap: usize, pace: &Pace) -> Result<Bytes, BodyError> {
    let announced = announced(&body.size_hint());
    if announced > u64::try_from(cap).unwrap_or(u64::MAX) {
        return Err(BodyError::TooLarge { cap });
    }
    let start = Instant::now();
    let reserved = usize::try_from(announced)
        .unwrap_or(MAX_RESERVED)
        .min(MAX_RESERVED);
    let mut bytes = BytesMut::with_capacity(reserved);
    loop {
        let deadline = start + pace.due(bytes.len());
        let next = timeout_at(deadline, body.frame()).await;
        let Ok(next) = next else {
            return Err(BodyError::TooSlow);
        };
        let Some(frame) = next else {
            return Ok(bytes.freeze());
        };
        // Frames that are not data are trailers, which nothing here reads.
        if let Ok(data) = frame.map_err(BodyError::Broken)?.into_data() {
            if data.len() > cap - bytes.len() {
                return Err(BodyError::TooLarge { cap });
            }
            bytes.extend_from_slice(&data);
        }
        if start.elapsed() > pace.due(bytes.len()) {
            return Err(BodyError::TooSlow);
        }
    }
}

/// Returns the number of bytes that a body is known to have at least.
fn announced(hint: &SizeHint) -> u64 {
    hint.exact().unwrap_or(hint.lower())
}

impl Pace {
    /// Returns how long after the start of reading the next bytes must be there, `received` being
    /// the number that are.
    fn due(&self, received: usize) -> Duration {
        let received = u64::try_from(received).unwrap_or(u64::MAX);
        let earned = Duration::from_secs(received / self.floor.max(1));
        self.total.min(self.grace.saturating_add(earned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_has_no_bytes() {
        let body = Body::from(Bytes::from_static(b"hunter2"));
        assert_eq!(format!("{body:?}"), "Body { .. }");
    }

    #[test]
    fn bytes_earn_time_up_to_the_total() {
        let pace = Pace {
            grace: Duration::from_secs(5),
            floor: 10,
            total: Duration::from_secs(9),
        };
        for (received, seconds) in [(0, 5), (9, 5), (10, 6), (39, 8), (40, 9), (usize::MAX, 9)] {
            assert_eq!(
                pace.due(received),
                Duration::from_secs(seconds),
                "{received} bytes"
            );
        }
        let lax = Pace { floor: 0, ..pace };
        assert_eq!(
            lax.due(0),
            Duration::from_secs(5),
            "a floor of nothing is no division by it"
        );
    }
}
