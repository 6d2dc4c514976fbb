//! How often peers came lately.

use super::{Peer, PeerUsage};
use std::time::{Duration, Instant};

/// Attempts count for one of these times at least, and for two at most.
const WINDOW: Duration = Duration::from_secs(10);

/// A window ends early with so many attempts, which bounds the peers that are remembered.
const MOST: usize = 8192;

/// The attempts of each peer in the present window and the one before.
#[derive(Debug, Default)]
pub struct RecentAttempts {
    present: PeerUsage,
    before: PeerUsage,
    since: Option<Instant>,
}

impl RecentAttempts {
    /// Counts an attempt; answers whether older ones were forgotten.
    pub fn note(&mut self, peer: Peer, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        let lasted = now.saturating_duration_since(since);
        let is_over = lasted >= WINDOW || self.present.total() >= MOST;
        if is_over {
            self.before = std::mem::take(&mut self.present);
            if lasted >= 2 * WINDOW {
                self.before = PeerUsage::default();
            }
            self.since = Some(now);
        }
        self.present.charge(peer, 1);
        is_over
    }

    /// The attempts of a peer.
    pub fn of(&self, peer: Peer) -> usize {
        self.present.of(peer) + self.before.of(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: usize) -> Peer {
        let bits = u32::try_from(number).unwrap();
        Peer::at(std::net::Ipv4Addr::from_bits(0x0a00_0000 + bits).into())
    }

    #[test]
    fn attempts_count_for_one_window_and_are_forgotten_after_two() {
        let (mut recent, begin) = (RecentAttempts::default(), Instant::now());
        assert!(!recent.note(at(1), begin));
        assert!(!recent.note(at(1), begin + WINDOW / 2));
        assert_eq!(recent.of(at(1)), 2);
        assert!(recent.note(at(2), begin + WINDOW));
        assert_eq!((recent.of(at(1)), recent.of(at(2))), (2, 1));
        assert!(recent.note(at(2), begin + 2 * WINDOW));
        assert_eq!((recent.of(at(1)), recent.of(at(2))), (0, 2));
        assert!(recent.note(at(3), begin + 5 * WINDOW));
        assert_eq!(recent.of(at(2)), 0);
    }

    #[test]
    fn peers_that_are_remembered_are_bounded() {
        let (mut recent, now) = (RecentAttempts::default(), Instant::now());
        for number in 0..5 * MOST {
            recent.note(at(number), now);
        }
        let known = (0..5 * MOST).filter(|&number| recent.of(at(number)) > 0);
        assert_eq!(known.count(), 2 * MOST);
    }
}
