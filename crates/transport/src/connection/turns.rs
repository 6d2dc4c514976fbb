//! Turns of reading and writing.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Steps of a turn, of up to 64 KiB each.
const STEPS: usize = 4;

/// Counts the steps of one direction of a connection, so that the other direction and other tasks get on, too.
#[derive(Debug, Default)]
pub(super) struct Turns {
    steps: usize,
}

impl Turns {
    /// Takes a step, and lets others go on if it was the last one of a turn. A step that waits begins a new turn,
    /// since others go on meanwhile; a task that wakes itself has another thread of the runtime look for work.
    pub(super) async fn step<T>(&mut self, step: impl Future<Output = T>) -> T {
        let mut step = pin!(step);
        let output = poll_fn(|context| {
            let polled = step.as_mut().poll(context);
            if polled.is_pending() {
                self.steps = 0;
            }
            polled
        });
        let output = output.await;
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            let_others_go_on().await;
        }
        output
    }
}

/// Goes to the end of the queue of the runtime's thread; `tokio::task::yield_now` would wait until that is empty.
async fn let_others_go_on() {
    let mut is_again = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_again, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    /// How often a future is polled until it is ready.
    fn count_polls(future: impl Future) -> usize {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        (1..100)
            .find(|_| future.as_mut().poll(&mut context).is_ready())
            .unwrap()
    }

    #[test]
    fn others_go_on_after_each_turn() {
        let mut turns = Turns::default();
        let steps = async {
            for _ in 0..=2 * STEPS {
                turns.step(ready(())).await;
            }
        };
        assert_eq!(count_polls(steps), 3);
    }

    #[test]
    fn step_that_waits_begins_a_turn() {
        let mut turns = Turns::default();
        let steps = async {
            for _ in 0..STEPS - 1 {
                turns.step(ready(())).await;
            }
            let mut is_again = false;
            let waiting = poll_fn(|_| {
                if std::mem::replace(&mut is_again, true) {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            });
            turns.step(waiting).await;
            for _ in 0..STEPS - 2 {
                turns.step(ready(())).await;
            }
        };
        assert_eq!(count_polls(steps), 2);
    }

    #[test]
    fn step_may_wait_for_ever() {
        let mut turns = Turns::default();
        let mut step = pin!(turns.step(pending::<()>()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(step.as_mut().poll(&mut context).is_pending());
    }
}
