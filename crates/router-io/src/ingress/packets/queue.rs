//! Datagrams of one source that wait for its circuit.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;

/// Bytes from which on no datagram is taken any more.
const MAX_BYTES: usize = 64 << 10;
/// Datagrams that wait at most; empty ones need memory, too.
const MAX_DATAGRAMS: usize = 64;

/// What waits. Datagrams that find no room are lost, as on the way.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    waker: AtomicWaker,
}

#[derive(Default)]
struct Waiting {
    datagrams: VecDeque<Bytes>,
    bytes: usize,
}

impl Queue {
    pub(super) fn push(&self, datagram: Bytes) {
        let mut waiting = self.waiting.lock();
        if waiting.bytes >= MAX_BYTES || waiting.datagrams.len() >= MAX_DATAGRAMS {
            return;
        }
        waiting.bytes += datagram.len();
        waiting.datagrams.push_back(datagram);
        drop(waiting);
        self.waker.wake();
    }

    pub(super) fn poll_pop(&self, context: &mut Context<'_>) -> Poll<Bytes> {
        self.waker.register(context.waker());
        let mut waiting = self.waiting.lock();
        let Some(datagram) = waiting.datagrams.pop_front() else {
            waiting.datagrams = VecDeque::new();
            return Poll::Pending;
        };
        waiting.bytes -= datagram.len();
        Poll::Ready(datagram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::task::noop_waker_ref;

    fn count(queue: &Queue) -> usize {
        let mut context = Context::from_waker(noop_waker_ref());
        std::iter::from_fn(|| match queue.poll_pop(&mut context) {
            Poll::Ready(datagram) => Some(datagram),
            Poll::Pending => None,
        })
        .count()
    }

    #[test]
    fn what_waits_is_bounded_by_bytes_and_number() {
        let queue = Queue::default();
        for (size, kept) in [
            (0, MAX_DATAGRAMS),
            (1, MAX_DATAGRAMS),
            (60_000, 2),
            (1 << 10, 64),
        ] {
            for _ in 0..200 {
                queue.push(vec![0; size].into());
            }
            assert_eq!(count(&queue), kept, "{size}");
        }
    }
}
