//! Turns of reading and writing.

use std::future::poll_fn;
use std::task::Poll;

/// Steps of a turn, of up to 64 KiB each.
const STEPS: usize = 4;

/// Counts the steps of one direction of a connection, so that the other direction and other tasks get on, too.
#[derive(Debug, Default)]
pub(super) struct Turns {
    steps: usize,
}

impl Turns {
    /// A step is done: lets others go on if it was the last one of a turn.
    pub(super) async fn step(&mut self) {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            let_others_go_on().await;
        }
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
