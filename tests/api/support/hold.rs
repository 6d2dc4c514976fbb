//! Requests that wait for the store together: the writer is held until all of them are there.

use ::support::wait::DEFAULT_TIMEOUT;
use portcullis_storage::engine::submit_with;
use portcullis_storage::key::Kind;
use portcullis_testkit::Harness;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(1);

/// The one writer of the store, kept busy for as long as this lives.
pub(crate) struct Hold {
    _release: mpsc::Sender<()>,
}

impl Hold {
    /// Returns when the writer is busy: what is submitted from then on waits, in order.
    pub(crate) fn take(controller: &Harness) -> Self {
        let (release, released) = mpsc::channel();
        let (begin, busy) = mpsc::channel();
        let ticket = submit_with(&*controller.engine, move |_tx| {
            // The body may run more than once: then nobody listens, and nobody holds.
            let _ = begin.send(());
            let _ = released.recv();
            Ok::<_, std::convert::Infallible>(())
        });
        drop(ticket.unwrap());
        busy.recv().unwrap();
        Self { _release: release }
    }
}

/// Waits until `count` numbers of a kind were drawn besides those drawn here, which is what a
/// creation does right before it hands its body to the writer.
///
/// Only where one thread runs all tasks does the one follow the other without a gap.
pub(crate) async fn drawn(controller: &Harness, kind: Kind, count: u64, first: u64) {
    let begin = Instant::now();
    for own in 1.. {
        // Asleep, not spinning: what is waited for may need this core.
        tokio::time::sleep(PAUSE).await;
        if controller.engine.allocate(kind) >= first + own + count {
            return;
        }
        assert!(begin.elapsed() < DEFAULT_TIMEOUT, "nobody draws a number");
    }
}

/// Waits until the store has been handed one more body than `before`.
pub(crate) async fn submitted(controller: &Harness, before: u64) {
    let begin = Instant::now();
    while controller.submitted_transactions() == before {
        assert!(begin.elapsed() < DEFAULT_TIMEOUT, "nobody submits anything");
        tokio::time::sleep(PAUSE).await;
    }
}
