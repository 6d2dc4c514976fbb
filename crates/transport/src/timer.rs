//! The timer of a channel.

use crate::shared::{Shared, TimerStep};
use portcullis_channel::Moment;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, sleep_until};

/// A deadline that is noticed so much later than it was due tells of a program that was suspended.
const SUSPENDED: Duration = Duration::from_secs(1);

/// Time after that for reading what has arrived in the meantime: peers are not silent only because
/// nobody has listened.
const CATCH_UP: Duration = Duration::from_millis(200);

/// Keeps the deadlines of a channel until it is finished.
pub(crate) async fn run(shared: Arc<Shared>) {
    loop {
        match shared.timer_step() {
            TimerStep::End => return,
            TimerStep::Wait => shared.timer.notified().await,
            TimerStep::WaitUntil(deadline) => tokio::select! {
                () = shared.timer.notified() => {},
                () = sleep_until(shared.clock.instant(deadline)) => {
                    elapse(&shared, deadline).await;
                },
            },
        }
    }
}

async fn elapse(shared: &Shared, deadline: Moment) {
    if shared.clock.now().mono.since(deadline) > SUSPENDED {
        sleep(CATCH_UP).await;
    }
    shared.handle_timeout();
}
