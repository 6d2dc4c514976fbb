//! Datagrams that wait between two tasks.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;

/// Bytes from which on no datagram is taken any more.
const MAX_BYTES: usize = 64 << 10;
/// Datagrams that wait at most; empty ones need memory, too.
const MAX_DATAGRAMS: usize = 64;

/// What waits, from one task for another one.
#[derive(Default)]
pub(crate) struct DatagramQueue {
    waiting: Mutex<Waiting>,
    /// Of the one who takes.
    taker: AtomicWaker,
    /// Of the one who waits for room.
    giver: AtomicWaker,
}

#[derive(Default)]
struct Waiting {
    datagrams: VecDeque<Bytes>,
    bytes: usize,
    is_closed: bool,
}

impl DatagramQueue {
    /// Puts a datagram in, or loses it, as on the way, if there is no room.
    pub(crate) fn push(&self, datagram: Bytes) {
        let mut waiting = self.waiting.lock();
        if !waiting.has_room() {
            return;
        }
        waiting.push(datagram);
        drop(waiting);
        self.taker.wake();
    }

    /// Puts a datagram in as soon as there is room. It is lost when the queue is closed.
    pub(crate) fn poll_push(&self, datagram: &[u8], context: &mut Context<'_>) -> Poll<()> {
        self.giver.register(context.waker());
        let mut waiting = self.waiting.lock();
        if waiting.is_closed {
            return Poll::Ready(());
        }
        if !waiting.has_room() {
            return Poll::Pending;
        }
        waiting.push(Bytes::copy_from_slice(datagram));
        drop(waiting);
        self.taker.wake();
        Poll::Ready(())
    }

    /// Takes the next datagram; `None` when the queue is closed and nothing is left.
    pub(crate) fn poll_pop(&self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.taker.register(context.waker());
        let mut waiting = self.waiting.lock();
        let Some(datagram) = waiting.datagrams.pop_front() else {
            waiting.datagrams = VecDeque::new();
            return if waiting.is_closed {
                Poll::Ready(None)
            } else {
                Poll::Pending
            };
        };
        waiting.bytes -= datagram.len();
        drop(waiting);
        self.giver.wake();
        Poll::Ready(Some(datagram))
    }

    /// Takes nothing more. What is in it can still be taken out.
    pub(crate) fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.taker.wake();
        self.giver.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.waiting.lock().is_closed
    }
}

impl Waiting {
    fn has_room(&self) -> bool {
        !self.is_closed && self.bytes < MAX_BYTES && self.datagrams.len() < MAX_DATAGRAMS
    }

    fn push(&mut self, datagram: Bytes) {
        self.bytes += datagram.len();
        self.datagrams.push_back(datagram);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::task::noop_waker_ref;

    fn take_all(queue: &DatagramQueue) -> (usize, bool) {
        let mut context = Context::from_waker(noop_waker_ref());
        let mut count = 0;
        loop {
            match queue.poll_pop(&mut context) {
                Poll::Ready(Some(_)) => count += 1,
                Poll::Ready(None) => return (count, true),
                Poll::Pending => return (count, false),
            }
        }
    }

    #[test]
    fn what_waits_is_bounded_by_bytes_and_number() {
        let queue = DatagramQueue::default();
        for (size, kept) in [
            (0, MAX_DATAGRAMS),
            (1, MAX_DATAGRAMS),
            (60_000, 2),
            (1 << 10, 64),
        ] {
            for _ in 0..200 {
                queue.push(vec![0; size].into());
            }
            assert_eq!(take_all(&queue), (kept, false), "{size}");
        }
    }

    #[test]
    fn who_gives_can_wait_for_room() {
        let queue = DatagramQueue::default();
        let mut context = Context::from_waker(noop_waker_ref());
        for _ in 0..MAX_DATAGRAMS {
            assert!(queue.poll_push(b"a", &mut context).is_ready());
        }
        assert!(queue.poll_push(b"a", &mut context).is_pending());
        assert!(queue.poll_pop(&mut context).is_ready());
        assert!(queue.poll_push(b"a", &mut context).is_ready());
    }

    #[test]
    fn what_is_in_a_closed_queue_comes_out() {
        let queue = DatagramQueue::default();
        let mut context = Context::from_waker(noop_waker_ref());
        queue.push(Bytes::from("first"));
        queue.close();
        queue.push(Bytes::from("late"));
        assert!(queue.poll_push(b"late", &mut context).is_ready());
        assert_eq!(take_all(&queue), (1, true));
    }
}
