//! The one timer of an end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer whose deadline changes with every message: it is only set when the deadline is earlier than
/// what it waits for, and looks again when it fires. Without a deadline it goes away.
#[derive(Default)]
pub(super) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    /// Ready once the deadline has passed.
    pub(super) fn poll(
        &mut self,
        deadline: Option<Instant>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let Some(deadline) = deadline else {
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(context));
                self.sleep = None;
            }
            return Poll::Pending;
        };
        let sleep = self
            .sleep
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if deadline < sleep.deadline() {
            sleep.as_mut().reset(deadline);
        }
        ready!(sleep.as_mut().poll(context));
        if sleep.deadline() < deadline {
            sleep.as_mut().reset(deadline);
            ready!(sleep.as_mut().poll(context));
        }
        Poll::Ready(())
    }
}
