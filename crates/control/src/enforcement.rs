//! The end of what may not stay: terminators whose hosts may no longer host.
//!
//! What is removed takes along what depends on it, in the same transaction. But a right also ends
//! without anything being removed, by a policy or an attribute, and by time alone.

use crate::plane::Plane;
use portcullis_app::hosting;
use portcullis_domain::change::Change;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// How often is looked for rights that have ended by time.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);

/// Committed changes that were not looked through yet.
pub(crate) type Committed = mpsc::UnboundedReceiver<Vec<Change>>;

/// Looks after rights, until there are no more changes to come.
pub(crate) async fn run(plane: Arc<Plane>, mut committed: Committed) {
    let mut sweeps = interval_at(Instant::now() + SWEEP_INTERVAL, SWEEP_INTERVAL);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            changes = committed.recv() => {
                let Some(mut changes) = changes else {
                    return;
                };
                // Those that have come meanwhile are looked through together.
                while let Ok(more) = committed.try_recv() {
                    changes.extend(more);
                }
                let ended = hosting::end_without_right(&plane.app, &changes).await;
                report(ended);
            },
            _ = sweeps.tick() => report(hosting::sweep(&plane.app).await),
        }
    }
}

fn report(ended: Result<usize, portcullis_app::AppError>) {
    match ended {
        Ok(0) => {},
        Ok(count) => tracing::info!(count, "terminators without a right to host were removed"),
        Err(error) => {
            tracing::warn!(%error, "terminators without a right to host may still be there");
        },
    }
}
