//! How many lines of a log strangers may cause.

use crate::clock::{SignedDuration, Timestamp};
use crate::peer::{Peer, PeerUsage};
use crate::token_bucket::{Rate, TokenBucket};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many lines of one kind a log gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRates {
    /// Those that one peer causes.
    pub peer: Rate,
    /// Those that all peers cause together.
    pub all: Rate,
}

impl Default for LogRates {
    fn default() -> Self {
        Self::per_minute(60, 6)
    }
}

impl LogRates {
    /// So many lines a minute of all peers, and of one. A hundred and five come at once.
    pub fn per_minute(all: u32, peer: u32) -> Self {
        let rate = |per_minute, burst| Rate { per_minute, burst };
        Self {
            peer: rate(peer, 5),
            all: rate(all, 100),
        }
    }
}

/// How soon it is told that lines are suppressed.
const FIRST_TOLD_AFTER: SignedDuration = SignedDuration::from_secs(1);

/// How often it is told from then on.
const TOLD_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// Peers of which it is known how many of their lines were suppressed.
const MOST_PEERS: usize = 4096;

/// Limits the lines of one kind that a log gets: for each peer, and in all. What goes beyond is counted,
/// and told of after a second and then once a minute.
#[derive(Debug, Default)]
pub struct LogThrottle {
    rates: LogRates,
    all: TokenBucket,
    /// The buckets that are not full.
    by_peer: BTreeMap<Peer, TokenBucket>,
    tidied_at: Option<Timestamp>,
    suppressed: PeerUsage,
    /// All that were suppressed, also those of peers beyond [`MOST_PEERS`].
    suppressed_lines: usize,
    /// When that is to be told.
    due: Option<Timestamp>,
    told_at: Option<Timestamp>,
}

/// Lines that were not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppressed {
    /// How many.
    pub lines: usize,
    /// The peer that caused most of them, and how many.
    pub heaviest: (Peer, usize),
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// Whether it may be written.
    pub is_granted: bool,
    /// Given for the first line that is suppressed: [`LogThrottle::settle`] has to be asked after this
    /// time, for the peers may have fallen silent by then.
    pub settle_after: Option<Duration>,
    /// What was suppressed earlier; answered once, and to be written in any case.
    pub earlier: Option<Suppressed>,
}

impl LogThrottle {
    /// A throttle with these rates.
    pub fn new(rates: LogRates) -> Self {
        Self {
            rates,
            ..Self::default()
        }
    }

    /// Decides about a line that `peer` causes.
    pub fn admit(&mut self, peer: Peer, now: Timestamp) -> Admission {
        let earlier = self.settle(now);
        self.tidy(now);
        let LogRates { peer: rate, all } = self.rates;
        let mut own = self.by_peer.get(&peer).copied().unwrap_or_default();
        let is_granted = own.has_token(rate, now) && self.all.has_token(all, now);
        let mut settle_after = None;
        if is_granted {
            self.all.take(all, now);
            own.take(rate, now);
            self.by_peer.insert(peer, own);
        } else {
            settle_after = self.suppress(peer, now);
        }
        Admission {
            is_granted,
            settle_after,
            earlier,
        }
    }

    /// What was suppressed, if it is time to tell; answered once.
    pub fn settle(&mut self, now: Timestamp) -> Option<Suppressed> {
        // Whatever lies further ahead than this was set before the clock was set back.
        let is_due = |due: &Timestamp| now >= *due || now.duration_since(*due) < -TOLD_EVERY;
        self.due.take_if(|due| is_due(due))?;
        self.told_at = Some(now);
        let lines = std::mem::take(&mut self.suppressed_lines);
        let heaviest = std::mem::take(&mut self.suppressed).heaviest()?;
        Some(Suppressed { lines, heaviest })
    }

    /// Counts a line that is not written; answers when it is to be told, if it is the first.
    fn suppress(&mut self, peer: Peer, now: Timestamp) -> Option<Duration> {
        self.suppressed_lines += 1;
        if self.suppressed.peers() < MOST_PEERS || self.suppressed.of(peer) > 0 {
            self.suppressed.charge(peer, 1);
        }
        if self.due.is_some() {
            return None;
        }
        let again = self.told_at.map_or(SignedDuration::ZERO, |told_at| {
            let since = now.duration_since(told_at);
            (TOLD_EVERY - since).min(TOLD_EVERY)
        });
        let wait = again.max(FIRST_TOLD_AFTER);
        self.due = now.checked_add(wait).ok();
        Duration::try_from(wait).ok()
    }

    /// Forgets the buckets that are full, once a minute.
    fn tidy(&mut self, now: Timestamp) {
        let is_recent = |tidied_at| now.duration_since(tidied_at).abs() < TOLD_EVERY;
        if !self.tidied_at.is_some_and(is_recent) {
            self.tidied_at = Some(now);
            self.by_peer.retain(|_, bucket| !bucket.is_full(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn peer(number: u32) -> Peer {
        Peer::at(std::net::Ipv4Addr::from_bits(0x0a00_0000 + number).into())
    }

    fn granted(throttle: &mut LogThrottle, peer: Peer, times: u32, second: i64) -> usize {
        let mut admissions = (0..times).map(|_| throttle.admit(peer, at(second)));
        admissions.by_ref().filter(|one| one.is_granted).count()
    }

    #[test]
    fn lines_of_a_peer_are_limited_and_the_rest_is_told_once() {
        let mut throttle = LogThrottle::default();
        assert_eq!(granted(&mut throttle, peer(1), 40, 7), 5);
        assert_eq!(
            granted(&mut throttle, peer(2), 1, 7),
            1,
            "others are not affected"
        );
        assert_eq!(throttle.settle(at(7)), None);
        let suppressed = throttle.settle(at(8)).unwrap();
        assert_eq!(suppressed.lines, 35);
        assert_eq!(suppressed.heaviest, (peer(1), 35));
        assert_eq!(throttle.settle(at(99)), None);
        assert_eq!(
            granted(&mut throttle, peer(1), 40, 17),
            1,
            "one in ten seconds"
        );
    }

    #[test]
    fn a_flood_is_told_of_after_a_second_and_then_once_a_minute() {
        let mut throttle = LogThrottle::default();
        let (mut told, mut awaited, mut lines) = (Vec::new(), Vec::new(), 0);
        for second in 0..200 {
            for _ in 0..10 {
                let admission = throttle.admit(peer(1), at(second));
                lines += usize::from(admission.is_granted);
                awaited.extend(admission.settle_after);
                if let Some(suppressed) = admission.earlier {
                    told.push(second);
                    lines += suppressed.lines;
                }
            }
        }
        assert_eq!(told, [1, 61, 121, 181]);
        let rest = throttle.settle(at(241)).unwrap().lines;
        assert_eq!(lines + rest, 2000);
        let minute = Duration::from_mins(1);
        assert_eq!(awaited[0], Duration::from_secs(1));
        assert_eq!(awaited[1..], [minute; 4]);
    }

    #[test]
    fn lines_of_all_peers_are_limited() {
        let mut throttle = LogThrottle::default();
        let at_once = (0..1000).filter(|&number| throttle.admit(peer(number), at(7)).is_granted);
        assert_eq!(at_once.count(), 100);
    }

    /// A line is 1 KiB at most: its texts from outside are cut.
    #[test]
    fn a_day_of_refusals_fills_no_disk() {
        let (mut throttle, mut lines) = (LogThrottle::default(), 0);
        // In each minute those come first who have lines left.
        for second in (0..86_400).step_by(60) {
            for number in (0..256).flat_map(|number| [number; 2]) {
                let admission = throttle.admit(peer(number), at(second));
                lines += usize::from(admission.is_granted);
                lines += usize::from(admission.earlier.is_some());
            }
        }
        assert!(lines * 1024 < 100_000_000, "{lines} lines");
        assert!(throttle.by_peer.len() <= 256);
    }

    #[test]
    fn what_is_known_of_peers_is_bounded() {
        let mut throttle = LogThrottle::default();
        for number in 0..20_000 {
            throttle.admit(peer(number), at(7));
        }
        assert_eq!(throttle.by_peer.len(), 100);
        assert_eq!(throttle.suppressed.peers(), MOST_PEERS);
        throttle.admit(peer(0), at(500));
        assert_eq!(throttle.by_peer.len(), 1);
        assert_eq!(throttle.told_at, Some(at(500)));
    }

    #[test]
    fn clock_that_is_set_back_stops_nothing() {
        let mut throttle = LogThrottle::default();
        granted(&mut throttle, peer(1), 40, 1_000_000);
        assert_eq!(throttle.settle(at(0)).unwrap().lines, 35);
        assert_eq!(granted(&mut throttle, peer(1), 40, 1), 5);
        assert!(throttle.settle(at(61)).is_some());
    }
}
