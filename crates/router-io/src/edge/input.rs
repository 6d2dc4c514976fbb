//! What an SDK sends on a connection, from the task of its channel to the end of the circuit.
//!
//! A channel of tokio has room for 32 messages from the beginning, about two kilobytes. Most connections carry
//! nothing, and this takes nothing for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use portcullis_router::edge::CircuitData;

/// Room that is kept for more when all is taken.
const KEPT: usize = 8;

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    waker: AtomicWaker,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<CircuitData>,
    /// Either side is gone.
    is_closed: bool,
}

/// Where the task of the channel puts it. It bounds how much there is.
#[derive(Debug)]
pub(super) struct InputSender(Arc<Shared>);

/// Where the end of the circuit takes it.
#[derive(Debug)]
pub(super) struct Input(Arc<Shared>);

impl Input {
    /// Both sides of a connection.
    pub(super) fn open() -> (InputSender, Self) {
        let shared = Arc::<Shared>::default();
        (InputSender(Arc::clone(&shared)), Self(shared))
    }

    /// Whether nothing more is put in.
    pub(super) fn is_closed(&self) -> bool {
        self.0.queue.lock().is_closed
    }

    /// What was put in next; `None` when all is taken and nothing more is put in.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<CircuitData>> {
        // Before the look, so that nothing is missed that comes after it.
        self.0.waker.register(context.waker());
        let mut queue = self.0.queue.lock();
        match queue.waiting.pop_front() {
            Some(data) => {
                if queue.waiting.is_empty() && queue.waiting.capacity() > KEPT {
                    queue.waiting = VecDeque::new();
                }
                Poll::Ready(Some(data))
            },
            None if queue.is_closed => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

impl InputSender {
    /// Puts something in, which is dropped where nobody takes it any more.
    pub(super) fn send(&self, data: CircuitData) {
        {
            let mut queue = self.0.queue.lock();
            if queue.is_closed {
                return;
            }
            queue.waiting.push_back(data);
        }
        self.0.waker.wake();
    }
}

impl Drop for InputSender {
    fn drop(&mut self) {
        self.0.queue.lock().is_closed = true;
        self.0.waker.wake();
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock();
        queue.is_closed = true;
        queue.waiting = VecDeque::new();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use bytes::Bytes;
    use portcullis_wire::Secret;
    use tokio::time::sleep;

    use super::*;

    fn data(text: &'static str) -> CircuitData {
        CircuitData {
            headers: std::collections::BTreeMap::new(),
            data: Secret::new(Bytes::from_static(text.as_bytes())),
        }
    }

    async fn next(input: &mut Input) -> Option<Bytes> {
        let data = poll_fn(|context| input.poll_next(context)).await?;
        Some(data.data.expose().clone())
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_put_in_comes_in_order_and_then_the_end() {
        let (sender, mut input) = Input::open();
        for _ in 0..2 * KEPT {
            sender.send(data("first"));
        }
        let sending = async {
            sleep(Duration::from_secs(1)).await;
            sender.send(data("last"));
            sleep(Duration::from_secs(1)).await;
            drop(sender);
        };
        let receiving = async {
            for _ in 0..2 * KEPT {
                assert_eq!(next(&mut input).await.unwrap(), "first");
            }
            assert_eq!(next(&mut input).await.unwrap(), "last");
            assert!(!input.is_closed());
            assert_eq!(next(&mut input).await, None);
            assert!(input.is_closed());
        };
        tokio::join!(sending, receiving);
    }

    #[test]
    fn nothing_is_kept_for_an_end_that_is_gone() {
        let (sender, input) = Input::open();
        drop(input);
        sender.send(data("late"));
        assert!(sender.0.queue.lock().waiting.is_empty());
    }
}
