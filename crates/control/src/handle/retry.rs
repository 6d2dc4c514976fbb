//! What has to be done even if the store fails for a while.

use super::Handler;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Pause before another attempt.
const PAUSE: Duration = Duration::from_secs(2);

/// What has become of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Done,
    /// Worth another one.
    Again,
}

impl Handler {
    /// Tries something until it is done, or the router is gone. Nothing else waits for it.
    pub(super) fn until_done<F>(&self, attempt: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Attempt> + Send + 'static,
    {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let stop = plane.stop.clone();
        let trying = async move {
            while attempt().await == Attempt::Again {
                sleep(PAUSE).await;
                // What a later session of the router has said counts, and not what this one would say.
                if !plane.sessions.has(&session) {
                    return;
                }
            }
        };
        self.plane.tasks.spawn(async move {
            let _stopped = stop.run_until_cancelled(trying).await;
        });
    }
}
