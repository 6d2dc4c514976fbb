//! Deadlines of what several tasks change.

use portcullis_domain::clock::Timestamp;
use tokio::sync::Notify;
use tokio::time::sleep_until;

use crate::clock::RouterClock;

/// The deadline of something that others change: a task keeps it, and they say when it may be another.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    changed: Notify,
}

impl Alarm {
    /// Looks at the deadline again.
    pub(crate) fn changed(&self) {
        self.changed.notify_one();
    }

    /// Does all that is due, now and whenever the next deadline has come or may have changed.
    pub(crate) async fn keep(
        &self,
        clock: RouterClock,
        mut do_what_is_due: impl FnMut() -> Option<Timestamp>,
    ) {
        loop {
            let Some(deadline) = do_what_is_due() else {
                self.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = self.changed.notified() => {},
                () = sleep_until(clock.instant_of(deadline)) => {},
            }
        }
    }
}
