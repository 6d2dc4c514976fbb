//! Request bodies, read completely within bounds of size and time.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming, SizeHint};
use tokio::time::{Instant, timeout, timeout_at};

use crate::RequestCharge;

/// Largest rest of an unread body that is read to keep the connection usable.
const MAX_DISCARDED: u64 = 64 * 1024;

/// Timeout for that.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Initial capacity of the buffer. Most bodies need no more.
const INITIAL_CAPACITY: usize = 1024;

/// The buffer then grows to multiples of this many bytes.
const CAPACITY_STEP: usize = 16 * 1024;

/// Body of a request, not yet read.
pub struct Body {
    source: Source,
    remainder: Arc<BodyRemainder>,
}

/// Minimum speed of a request body.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Time before the minimum rate applies.
    pub grace: Duration,
    /// Fewest bytes per second, averaged from the start of reading.
    pub min_rate: u64,
    /// Time for the whole body.
    pub total: Duration,
}

/// Errors of reading a body. After the response, the connection (HTTP/1) or the stream (HTTP/2) is
/// closed.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It has, or announces, more bytes than allowed.
    #[error("the request body is larger than {cap} bytes")]
    TooLarge {
        /// Most bytes allowed.
        cap: usize,
    },
    /// It arrives more slowly than allowed.
    #[error("the request body arrived too slowly")]
    TooSlow,
    /// There is no memory left for it.
    #[error("too many request bodies are being received")]
    OutOfMemory,
    /// The client aborted the transfer, or violated the framing.
    #[error("the request body could not be read completely")]
    Broken(#[source] hyper::Error),
}

enum Source {
    Wire(Incoming),
    Memory(Bytes),
    Consumed,
}

/// Remainder of a request body, for the listener to deal with after the response.
#[derive(Debug, Default)]
pub(crate) struct BodyRemainder {
    unread: Mutex<Option<Incoming>>,
    is_broken: AtomicBool,
    /// Whether requests follow each other, so that the next begins where the body ends.
    is_sequential: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            min_rate: 1024,
            total: Duration::from_mins(1),
        }
    }
}

impl Body {
    /// Wraps the body of an incoming request of HTTP/1 or HTTP/2.
    pub(crate) fn from_incoming(body: Incoming, is_http1: bool) -> (Self, Arc<BodyRemainder>) {
        let remainder = Arc::new(BodyRemainder {
            is_sequential: is_http1,
            ..BodyRemainder::default()
        });
        (
            Self {
                source: Source::Wire(body),
                remainder: Arc::clone(&remainder),
            },
            remainder,
        )
    }

    /// Reports whether the request is known to have no body.
    pub fn is_absent(&self) -> bool {
        match &self.source {
            Source::Wire(body) => body.is_end_stream(),
            Source::Memory(bytes) => bytes.is_empty(),
            Source::Consumed => true,
        }
    }

    /// Refuses a body that announces more than `cap` bytes; reads nothing.
    pub fn check_announced(&self, cap: usize) -> Result<(), BodyError> {
        let announced = match &self.source {
            Source::Wire(body) => announced(&body.size_hint()),
            Source::Memory(bytes) => bytes.len() as u64,
            Source::Consumed => 0,
        };
        if announced > cap as u64 {
            return Err(BodyError::TooLarge { cap });
        }
        Ok(())
    }

    /// Reads the body to its end.
    ///
    /// A body that announces more than `cap` bytes is refused before anything is read; one of
    /// unknown length (chunked) is refused when it grows beyond that. Memory is allocated as bytes
    /// arrive.
    pub async fn read(self, cap: usize, pace: &Pace) -> Result<Bytes, BodyError> {
        self.read_within(cap, pace, None).await
    }

    /// Reads the body like [`Self::read`], and charges its memory. Reading is cancelled when there
    /// is no memory left, or when it is evicted in favor of others.
    pub async fn read_charged(
        self,
        cap: usize,
        pace: &Pace,
        charge: &mut RequestCharge,
    ) -> Result<Bytes, BodyError> {
        let outcome = self.read_within(cap, pace, Some(charge)).await;
        charge.set_arrived();
        outcome
    }

    async fn read_within(
        mut self,
        cap: usize,
        pace: &Pace,
        charge: Option<&mut RequestCharge>,
    ) -> Result<Bytes, BodyError> {
        match std::mem::replace(&mut self.source, Source::Consumed) {
            Source::Consumed => Ok(Bytes::new()),
            Source::Memory(bytes) if bytes.len() > cap => Err(BodyError::TooLarge { cap }),
            Source::Memory(bytes) => {
                let is_room = charge.is_none_or(|charge| charge.set_body(bytes.len()));
                is_room.then_some(bytes).ok_or(BodyError::OutOfMemory)
            },
            Source::Wire(body) if body.is_end_stream() => Ok(Bytes::new()),
            Source::Wire(mut body) => {
                let outcome = read_wire(&mut body, cap, pace, charge).await;
                if outcome.is_err() {
                    self.remainder.is_broken.store(true, Ordering::Relaxed);
                }
                outcome
            },
        }
    }
}

impl From<Bytes> for Body {
    /// Creates a body from bytes, for calling a service without a connection.
    fn from(bytes: Bytes) -> Self {
        Self {
            source: Source::Memory(bytes),
            remainder: Arc::default(),
        }
    }
}

impl std::fmt::Debug for Body {
    /// Omits the bytes, which may hold a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Body").finish_non_exhaustive()
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        let Source::Wire(body) = std::mem::replace(&mut self.source, Source::Consumed) else {
            return;
        };
        if self.remainder.is_sequential {
            *self.remainder.unread.lock() = Some(body);
        } else if !body.is_end_stream() {
            // Its buffered data would fill the flow-control windows of the connection until the
            // response.
            self.remainder.is_broken.store(true, Ordering::Relaxed);
        }
    }
}

impl BodyRemainder {
    /// Discards a short remainder, and reports whether the connection can take another request.
    ///
    /// `may_read` is false when the client waits for `100 Continue` (`Expect`), which reading would
    /// send.
    pub(crate) async fn discard(&self, may_read: bool) -> bool {
        if self.is_broken.load(Ordering::Relaxed) {
            return false;
        }
        let unread = self.unread.lock().take();
        let Some(mut body) = unread.filter(|body| !body.is_end_stream()) else {
            return true;
        };
        may_read
            && body.size_hint().lower() <= MAX_DISCARDED
            && timeout(DISCARD_TIMEOUT, read_to_end(&mut body))
                .await
                .unwrap_or(false)
    }
}

/// Reads `body` to its end without keeping it, and reports whether it got there. A body of unknown
/// length may turn out to be too long.
async fn read_to_end(body: &mut Incoming) -> bool {
    let mut left = MAX_DISCARDED;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return false;
        };
        let length = frame.data_ref().map_or(0, |data| data.len() as u64);
        match left.checked_sub(length) {
            Some(less) => left = less,
            None => return false,
        }
    }
    true
}

/// Reads `body` within `cap` and `pace`, charging memory as bytes arrive.
async fn read_wire(
    body: &mut (impl hyper::body::Body<Data = Bytes, Error = hyper::Error> + Unpin),
    cap: usize,
    pace: &Pace,
    mut charge: Option<&mut RequestCharge>,
) -> Result<Bytes, BodyError> {
    if announced(&body.size_hint()) > u64::try_from(cap).unwrap_or(u64::MAX) {
        return Err(BodyError::TooLarge { cap });
    }
    let start = Instant::now();
    let mut bytes = Vec::new();
    loop {
        let deadline = start + pace.due(bytes.len());
        let next = tokio::select! {
            biased;
            () = cancelled(charge.as_deref()) => return Err(BodyError::OutOfMemory),
            next = timeout_at(deadline, body.frame()) => next,
        };
        let Ok(next) = next else {
            return Err(BodyError::TooSlow);
        };
        let Some(frame) = next else {
            return Ok(bytes.into());
        };
        // Other frames are trailers, which nothing here reads.
        if let Ok(data) = frame.map_err(BodyError::Broken)?.into_data() {
            if data.len() > cap - bytes.len() {
                return Err(BodyError::TooLarge { cap });
            }
            let needed = bytes.len() + data.len();
            if needed > bytes.capacity() {
                let capacity = capacity_for(needed).min(cap);
                if charge
                    .as_mut()
                    .is_some_and(|charge| !charge.set_body(capacity))
                {
                    return Err(BodyError::OutOfMemory);
                }
                bytes.reserve_exact(capacity - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
        if start.elapsed() > pace.due(bytes.len()) {
            return Err(BodyError::TooSlow);
        }
    }
}

/// Waits until a charged body is evicted.
async fn cancelled(charge: Option<&RequestCharge>) {
    match charge {
        Some(charge) => charge.upload().cancelled().await,
        None => std::future::pending().await,
    }
}

/// Returns the capacity to allocate for `needed` bytes.
fn capacity_for(needed: usize) -> usize {
    if needed <= INITIAL_CAPACITY {
        INITIAL_CAPACITY
    } else {
        needed.next_multiple_of(CAPACITY_STEP)
    }
}

/// Returns the number of bytes that a body is known to have at least.
fn announced(hint: &SizeHint) -> u64 {
    hint.exact().unwrap_or(hint.lower())
}

impl Pace {
    /// Returns how long after the start of reading the next bytes are due, `received` of them
    /// having arrived.
    fn due(&self, received: usize) -> Duration {
        let received = u64::try_from(received).unwrap_or(u64::MAX);
        let earned = Duration::from_secs(received / self.min_rate.max(1));
        self.total.min(self.grace.saturating_add(earned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budgets, Quota, Quotas};
    use hyper::body::Frame;
    use portcullis_domain::peer::Peer;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of which these pieces arrive, the last first, and then nothing forever.
    struct Stuck(Vec<usize>);

    impl hyper::body::Body for Stuck {
        type Data = Bytes;
        type Error = hyper::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
            match self.0.pop() {
                Some(length) => Poll::Ready(Some(Ok(Frame::data(vec![b'x'; length].into())))),
                None => Poll::Pending,
            }
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(200_000)
        }
    }

    /// A request charge, and the budgets that it belongs to.
    fn charge(total: usize) -> (Budgets, RequestCharge) {
        let quota = Quota {
            total,
            per_peer: total,
        };
        let budgets = Budgets::new(&Quotas {
            unauthenticated_requests: quota,
            ..Quotas::default()
        });
        let peer = Peer::from_address([192, 0, 2, 1].into());
        let charge = RequestCharge::new(&budgets.unauthenticated_requests, peer, 0).unwrap();
        (budgets, charge)
    }

    #[tokio::test]
    async fn memory_is_taken_when_bytes_arrive_and_not_before() {
        let pace = Pace {
            total: Duration::from_millis(10),
            ..Pace::default()
        };
        for (pieces, taken) in [
            (vec![], 0),
            (vec![1], 1024),
            (vec![16_383, 1000, 24], 32_768),
            (vec![199_000, 1000], 200_000),
        ] {
            let (budgets, mut charge) = charge(200_000);
            let outcome = read_wire(&mut Stuck(pieces), 200_000, &pace, Some(&mut charge)).await;
            assert!(matches!(outcome, Err(BodyError::TooSlow)));
            assert_eq!(budgets.unauthenticated_requests.in_use(), taken);
        }
    }

    #[tokio::test]
    async fn body_ends_where_memory_does() {
        let (mut body, pace) = (Stuck(vec![1, 1024]), Pace::default());
        let (_budgets, mut charge) = charge(1024);
        let outcome = read_wire(&mut body, 200_000, &pace, Some(&mut charge)).await;
        assert!(matches!(outcome, Err(BodyError::OutOfMemory)));
    }

    #[tokio::test]
    async fn arriving_body_ends_when_it_has_to_make_room() {
        let (budgets, mut charge) = charge(CAPACITY_STEP);
        let pace = Pace::default();
        let mut body = Stuck(vec![INITIAL_CAPACITY + 1]);
        let reading = read_wire(&mut body, 200_000, &pace, Some(&mut charge));
        let others = async {
            let peer = Peer::from_address([192, 0, 2, 2].into());
            let mut later = RequestCharge::new(&budgets.unauthenticated_requests, peer, 0).unwrap();
            while budgets.unauthenticated_requests.in_use() == 0 {
                tokio::task::yield_now().await;
            }
            assert!(later.set_body(1));
        };
        let (outcome, ()) = tokio::join!(reading, others);
        assert!(matches!(outcome, Err(BodyError::OutOfMemory)));
    }

    #[test]
    fn debug_output_has_no_bytes() {
        let body = Body::from(Bytes::from_static(b"hunter2"));
        assert_eq!(format!("{body:?}"), "Body { .. }");
    }

    #[test]
    fn bytes_earn_time_up_to_the_total() {
        let pace = Pace {
            grace: Duration::from_secs(5),
            min_rate: 10,
            total: Duration::from_secs(9),
        };
        for (received, seconds) in [(0, 5), (9, 5), (10, 6), (39, 8), (40, 9), (usize::MAX, 9)] {
            assert_eq!(
                pace.due(received),
                Duration::from_secs(seconds),
                "{received} bytes"
            );
        }
        let lax = Pace {
            min_rate: 0,
            ..pace
        };
        assert_eq!(
            lax.due(0),
            Duration::from_secs(5),
            "a floor of nothing is no division by it"
        );
    }
}
