//! The attacks. Each is a file; each goes on until it is ended, whatever the controller does.

mod body;
mod closed_windows;
mod costly_filters;
mod crowd;
mod guessed_codes;
mod guessed_passwords;
mod half_open;
mod held_connections;
mod http2;
mod huge_bodies;
mod large_tags;
mod long_paths;
mod rapid_resets;
mod slow_bodies;
mod slow_readers;
mod unfinished_heads;

use super::attackers_address;
use super::scene::Scene;
use crate::testbed::link::Endpoint;
use clap::ValueEnum;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// What is done to the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Attack {
    /// HTTP/2 streams whose windows stay closed, on connections that answer PINGs
    ClosedWindows,
    /// HTTP/1 answers that are read a few bytes at a time
    SlowReaders,
    /// Connections that are held for as long as they can be
    HeldConnections,
    /// Handshakes that are begun and not finished
    HalfOpen,
    /// Bodies without a session, a byte at a time
    SlowBodies,
    /// Bodies with a session, as large as they may be, that do not end
    HugeBodies,
    /// Logins with passwords of people whom there are and whom there are not
    GuessedPasswords,
    /// TOTP codes of somebody whose password is known
    GuessedCodes,
    /// Requests for paths that are long and lead nowhere
    LongPaths,
    /// HTTP/2 streams that are reset as soon as they are opened
    RapidResets,
    /// HTTP/2 header blocks that are begun and not finished
    UnfinishedHeads,
    /// Lists with filters as large as they may be
    CostlyFilters,
    /// Service sessions with tags as large as they may be
    LargeTags,
    /// Some hundred addresses that each do little
    Crowd,
    /// A reader of the log that stops reading for a while
    StalledLog,
}

impl Attack {
    /// Whether it is made; if none is named, all are.
    pub(super) fn is_wanted(self, only: &[Self]) -> bool {
        only.is_empty() || only.contains(&self)
    }

    fn begin(self, ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
        match self {
            Self::ClosedWindows => closed_windows::begin(ground, tasks),
            Self::SlowReaders => slow_readers::begin(ground, tasks),
            Self::HeldConnections => held_connections::begin(ground, tasks),
            Self::HalfOpen => half_open::begin(ground, tasks),
            Self::SlowBodies => slow_bodies::begin(ground, tasks),
            Self::HugeBodies => huge_bodies::begin(ground, tasks),
            Self::GuessedPasswords => guessed_passwords::begin(ground, tasks),
            Self::GuessedCodes => guessed_codes::begin(ground, tasks),
            Self::LongPaths => long_paths::begin(ground, tasks),
            Self::RapidResets => rapid_resets::begin(ground, tasks),
            Self::UnfinishedHeads => unfinished_heads::begin(ground, tasks),
            Self::CostlyFilters => costly_filters::begin(ground, tasks),
            Self::LargeTags => large_tags::begin(ground, tasks),
            Self::Crowd => crowd::begin(ground, tasks),
            // The log is the controller's own output: whoever reads that makes this attack.
            Self::StalledLog => {},
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// What an attacker stands on, and how far it got.
struct Ground {
    scene: Arc<Scene>,
    /// The controller, from the attacker's address.
    endpoint: Endpoint,
    source: Ipv4Addr,
    sent: AtomicU64,
    broken_off: AtomicU64,
}

impl Ground {
    /// Counts a request, or whatever else it is that this attack sends.
    fn count(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// What became of an attack.
#[derive(Debug, Clone)]
pub(super) struct Attacker {
    pub(super) name: String,
    pub(super) source: Ipv4Addr,
    /// Requests, connections or handshakes that were begun.
    pub(super) sent: u64,
    /// Turns that the controller ended: it closed a connection, or refused what is needed to go on.
    pub(super) broken_off: u64,
}

/// Attacks that go on.
pub(super) struct Attacks {
    grounds: Vec<(Attack, Arc<Ground>)>,
    tasks: JoinSet<()>,
}

/// Begins those of the attacks that are wanted.
pub(super) fn begin(only: &[Attack], scene: &Arc<Scene>) -> Attacks {
    let mut attacks = Attacks {
        grounds: Vec::new(),
        tasks: JoinSet::new(),
    };
    for (number, attack) in (0..).zip(Attack::value_variants()) {
        if attack.is_wanted(only) {
            let source = attackers_address(number);
            let ground = Arc::new(Ground {
                scene: Arc::clone(scene),
                endpoint: scene.endpoint.with_source(source),
                source,
                sent: AtomicU64::new(0),
                broken_off: AtomicU64::new(0),
            });
            attack.begin(&ground, &mut attacks.tasks);
            attacks.grounds.push((*attack, ground));
        }
    }
    attacks
}

impl Attacks {
    /// Ends all of them, and closes their connections.
    pub(super) async fn end(mut self) -> Vec<Attacker> {
        self.tasks.shutdown().await;
        let attackers = self.grounds.iter().map(|(attack, ground)| Attacker {
            name: attack.name(),
            source: ground.source,
            sent: ground.sent.load(Ordering::Relaxed),
            broken_off: ground.broken_off.load(Ordering::Relaxed),
        });
        attackers.collect()
    }
}

/// Has so many tasks take turns over and over, pausing between them so that the load stays bounded.
fn repeat<F, R>(
    ground: &Arc<Ground>,
    tasks: &mut JoinSet<()>,
    (count, pause): (usize, Duration),
    turn: F,
) where
    F: Fn(Arc<Ground>) -> R + Copy + Send + 'static,
    R: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    for _ in 0..count {
        let ground = Arc::clone(ground);
        tasks.spawn(async move {
            loop {
                if turn(Arc::clone(&ground)).await.is_err() {
                    ground.broken_off.fetch_add(1, Ordering::Relaxed);
                }
                sleep(pause).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_attacks_are_made_unless_some_are_named() {
        assert!(Attack::HalfOpen.is_wanted(&[]));
        assert!(Attack::HalfOpen.is_wanted(&[Attack::HalfOpen]));
        assert!(!Attack::HalfOpen.is_wanted(&[Attack::LongPaths]));
        assert_eq!(Attack::HalfOpen.name(), "half-open");
    }
}
