//! Links in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use portcullis_seeded_random::Random;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use crate::circuit_message::CircuitMessage;
use crate::relay::{Destination, Relay};

/// What a link does to messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disturbance {
    /// One in so many is lost; 0 for none.
    pub(crate) loss: u64,
    /// At most; some overtake others.
    pub(crate) delay: Duration,
    /// Messages that may be on their way.
    pub(crate) queue: usize,
}

impl Disturbance {
    pub(crate) const NONE: Self = Self {
        loss: 0,
        delay: Duration::ZERO,
        queue: 1_024,
    };
}

/// A link between two relays, which they have for as long as they live.
pub(crate) struct TestLink {
    loses_all: Arc<AtomicBool>,
}

impl TestLink {
    /// Loses everything from now on, while both relays believe in it.
    pub(crate) fn lose_all(&self) {
        self.loses_all.store(true, Ordering::Relaxed);
    }
}

/// One direction of a link.
struct LinkEnd(mpsc::Sender<CircuitMessage>);

/// Attaches a link to two relays, by the same id.
pub(crate) fn connect(
    id: &str,
    first: &Arc<Relay>,
    second: &Arc<Relay>,
    disturbance: Disturbance,
    seed: u64,
) -> TestLink {
    let loses_all = Arc::new(AtomicBool::new(false));
    let (to_second, from_first) = mpsc::channel(disturbance.queue);
    let (to_first, from_second) = mpsc::channel(disturbance.queue);
    let (first_hop, _) = first.attach(id, Arc::new(LinkEnd(to_second)));
    let (second_hop, _) = second.attach(id, Arc::new(LinkEnd(to_first)));
    for (number, (mut from, relay, hop)) in [
        (from_first, Arc::clone(second), second_hop),
        (from_second, Arc::clone(first), first_hop),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Random::new(seed, ["there", "back"][number]);
        let loses_all = Arc::clone(&loses_all);
        tokio::spawn(async move {
            while let Some(message) = from.recv().await {
                let is_lost = disturbance.loss > 0 && random.one_in(disturbance.loss);
                if is_lost || loses_all.load(Ordering::Relaxed) {
                    continue;
                }
                let micros = u64::try_from(disturbance.delay.as_micros()).unwrap();
                let due = Instant::now() + Duration::from_micros(random.below(micros + 1));
                let relay = Arc::clone(&relay);
                if disturbance.delay.is_zero() {
                    relay.forward_or_drop(hop, message);
                    continue;
                }
                tokio::spawn(async move {
                    sleep_until(due).await;
                    relay.forward_or_drop(hop, message);
                });
            }
        });
    }
    TestLink { loses_all }
}

impl Destination for LinkEnd {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        self.0
            .try_send(message)
            .map_err(mpsc::error::TrySendError::into_inner)
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(sleep(Duration::from_millis(1)))
    }

    fn unrouted(&self, _circuit: &str) {}
}
