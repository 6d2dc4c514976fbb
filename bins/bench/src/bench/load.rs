//! Load: so many clients, each of which begins anew as soon as it is done.

use anyhow::Context as _;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// When a loop ends: whichever comes first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Time.
    pub(super) time: Duration,
    /// Number of turns.
    pub(super) count: u64,
}

impl Budget {
    /// The same in half the time.
    pub(super) fn half(self) -> Self {
        Self {
            time: self.time / 2,
            ..self
        }
    }
}

/// Tells the clients of a loop whether there is more to do.
pub(super) struct Pace {
    begun: AtomicU64,
    count: u64,
    end: Instant,
}

impl Pace {
    /// Begins a loop.
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            begun: AtomicU64::new(0),
            count: budget.count,
            end: Instant::now() + budget.time,
        }
    }

    /// The number of the next turn, or `None` at the end.
    pub(super) fn next(&self) -> Option<u64> {
        if Instant::now() >= self.end {
            return None;
        }
        let turn = self.begun.fetch_add(1, Ordering::Relaxed);
        (turn < self.count).then_some(turn)
    }

    /// Turns that were begun.
    fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed).min(self.count)
    }
}

/// How often something was done in what time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    /// How often.
    pub(super) done: u64,
    /// In what time.
    pub(super) elapsed: Duration,
}

impl Tally {
    /// How often per second.
    pub(super) fn rate(&self) -> f64 {
        self.per(self.elapsed)
    }

    /// How often per second of another time than that on the wall.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts lie far below the 2^52 that a float holds"
    )]
    pub(super) fn per(&self, time: Duration) -> f64 {
        self.done as f64 / time.as_secs_f64().max(1e-9)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.elapsed += other.elapsed;
    }
}

/// Has all `clients` do `work` at the same time until the budget is used up; hands them back.
///
/// `work` takes its client round the loop as long as [`Pace::next`] gives it a turn. Time runs
/// until the last client is done, so that nothing is counted that was not waited for.
pub(super) async fn drive<C, W, F>(
    clients: Vec<C>,
    budget: Budget,
    work: W,
) -> anyhow::Result<(Tally, Vec<C>)>
where
    C: Send + 'static,
    W: Fn(C, Arc<Pace>) -> F,
    F: Future<Output = anyhow::Result<C>> + Send + 'static,
{
    let start = Instant::now();
    let pace = Arc::new(Pace::new(budget));
    let mut running: JoinSet<anyhow::Result<C>> = clients
        .into_iter()
        .map(|client| work(client, Arc::clone(&pace)))
        .collect();
    let mut clients = Vec::with_capacity(running.len());
    while let Some(client) = running.join_next().await {
        clients.push(client.context("a client of the load broke down")??);
    }
    let tally = Tally {
        done: pace.begun(),
        elapsed: start.elapsed(),
    };
    Ok((tally, clients))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn loop_ends_with_its_count() {
        let budget = Budget {
            time: Duration::from_mins(1),
            count: 10,
        };
        let (tally, clients) = drive(vec![0_u64; 3], budget, |mut turns, pace| async move {
            while pace.next().is_some() {
                turns += 1;
                tokio::task::yield_now().await;
            }
            Ok(turns)
        })
        .await
        .unwrap();
        assert_eq!(tally.done, 10);
        assert_eq!(clients.iter().sum::<u64>(), 10);
    }

    #[tokio::test]
    async fn loop_ends_with_its_time() {
        let budget = Budget {
            time: Duration::ZERO,
            count: 10,
        };
        let (tally, _) = drive(vec![()], budget, |client, pace| async move {
            assert_eq!(pace.next(), None);
            Ok(client)
        })
        .await
        .unwrap();
        assert_eq!(tally.done, 0);
    }
}
