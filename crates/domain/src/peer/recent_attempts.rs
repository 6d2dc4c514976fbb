//! Recent attempts by peer.

use super::{Peer, PeerUsage};
use std::time::{Duration, Instant};

/// Attempts count for at least one and at most two windows.
const WINDOW: Duration = Duration::from_secs(10);

/// A window ends early at this number of attempts, which bounds memory.
const MAX_ATTEMPTS: usize = 8192;

/// Attempts by peer in the current and the previous window.
#[derive(Debug, Default)]
pub struct RecentAttempts {
    current: PeerUsage,
    previous: PeerUsage,
    window_start: Option<Instant>,
}

impl RecentAttempts {
    /// Counts an attempt; returns whether a new window began.
    pub fn record(&mut self, peer: Peer, now: Instant) -> bool {
        let since = *self.window_start.get_or_insert(now);
        let lasted = now.saturating_duration_since(since);
        let is_over = lasted >= WINDOW || self.current.total() >= MAX_ATTEMPTS;
        if is_over {
            self.previous = std::mem::take(&mut self.current);
            if lasted >= 2 * WINDOW {
                self.previous = PeerUsage::default();
            }
            self.window_start = Some(now);
        }
        self.current.charge(peer, 1);
        is_over
    }

    pub fn count(&self, peer: Peer) -> usize {
        self.current.get(peer) + self.previous.get(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: usize) -> Peer {
        let bits = u32::try_from(number).unwrap();
        Peer::from_address(std::net::Ipv4Addr::from_bits(0x0a00_0000 + bits).into())
    }

    #[test]
    fn attempts_count_for_one_window_and_are_forgotten_after_two() {
        let (mut recent, begin) = (RecentAttempts::default(), Instant::now());
        assert!(!recent.record(at(1), begin));
        assert!(!recent.record(at(1), begin + WINDOW / 2));
        assert_eq!(recent.count(at(1)), 2);
        assert!(recent.record(at(2), begin + WINDOW));
        assert_eq!((recent.count(at(1)), recent.count(at(2))), (2, 1));
        assert!(recent.record(at(2), begin + 2 * WINDOW));
        assert_eq!((recent.count(at(1)), recent.count(at(2))), (0, 2));
        assert!(recent.record(at(3), begin + 5 * WINDOW));
        assert_eq!(recent.count(at(2)), 0);
    }

    #[test]
    fn peers_that_are_remembered_are_bounded() {
        let (mut recent, now) = (RecentAttempts::default(), Instant::now());
        for number in 0..5 * MAX_ATTEMPTS {
            recent.record(at(number), now);
        }
        let known = (0..5 * MAX_ATTEMPTS).filter(|&number| recent.count(at(number)) > 0);
        assert_eq!(known.count(), 2 * MAX_ATTEMPTS);
    }
}
