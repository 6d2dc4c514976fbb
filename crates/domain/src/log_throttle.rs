//! Rate limits for log lines that clients can cause.

use crate::clock::{SignedDuration, Timestamp};
use crate::peer::{Peer, PeerUsage};
use crate::token_bucket::{Rate, TokenBucket};
use std::collections::BTreeMap;
use std::time::Duration;

/// Rates for one kind of log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRateLimits {
    /// Per peer.
    pub peer: Rate,
    /// For all peers together.
    pub all: Rate,
}

impl Default for LogRateLimits {
    fn default() -> Self {
        Self::per_minute(60, 6)
    }
}

impl LogRateLimits {
    /// Lines a minute for all peers together and for each peer, with bursts of 100 and 5.
    pub fn per_minute(all: u32, peer: u32) -> Self {
        let rate = |per_minute, burst| Rate { per_minute, burst };
        Self {
            peer: rate(peer, 5),
            all: rate(all, 100),
        }
    }
}

/// Delay of the first report of suppressed lines.
const FIRST_REPORT_AFTER: SignedDuration = SignedDuration::from_secs(1);

/// Interval of further reports.
const REPORT_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// Maximum number of peers whose suppressed lines are counted.
const MAX_PEERS: usize = 4096;

/// Limits one kind of log line per peer and in total. Suppressed lines are counted and reported
/// after a second, then once a minute.
#[derive(Debug, Default)]
pub struct LogThrottle {
    rates: LogRateLimits,
    all: TokenBucket,
    /// Buckets that are not full.
    by_peer: BTreeMap<Peer, TokenBucket>,
    pruned_at: Option<Timestamp>,
    suppressed: PeerUsage,
    /// Total, including peers beyond [`MAX_PEERS`].
    suppressed_lines: usize,
    /// When the next report is due.
    report_due: Option<Timestamp>,
    reported_at: Option<Timestamp>,
}

/// A report of suppressed lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuppressedLines {
    pub lines: usize,
    /// The peer with the most suppressed lines, and their number.
    pub heaviest: (Peer, usize),
}

/// The decision on a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// Whether the line may be written.
    pub is_admitted: bool,
    /// Set for the first suppressed line: the caller must call [`LogThrottle::poll_report`] after
    /// this time, since no further line may follow.
    pub poll_after: Option<Duration>,
    /// A due report of earlier suppressed lines; returned once, to be written in any case.
    pub report: Option<SuppressedLines>,
}

impl LogThrottle {
    pub fn new(rates: LogRateLimits) -> Self {
        Self {
            rates,
            ..Self::default()
        }
    }

    /// Decides on a line caused by `peer`.
    pub fn admit(&mut self, peer: Peer, now: Timestamp) -> Admission {
        let earlier = self.poll_report(now);
        self.prune(now);
        let LogRateLimits { peer: rate, all } = self.rates;
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
            is_admitted: is_granted,
            poll_after: settle_after,
            report: earlier,
        }
    }

    /// Returns the report of suppressed lines once it is due.
    pub fn poll_report(&mut self, now: Timestamp) -> Option<SuppressedLines> {
        // A due time further in the future means that the clock was set back.
        let is_due = |due: &Timestamp| now >= *due || now.duration_since(*due) < -REPORT_INTERVAL;
        self.report_due.take_if(|due| is_due(due))?;
        self.reported_at = Some(now);
        let lines = std::mem::take(&mut self.suppressed_lines);
        let heaviest = std::mem::take(&mut self.suppressed).heaviest()?;
        Some(SuppressedLines { lines, heaviest })
    }

    /// Counts a suppressed line; for the first one, returns when the report is due.
    fn suppress(&mut self, peer: Peer, now: Timestamp) -> Option<Duration> {
        self.suppressed_lines += 1;
        if self.suppressed.peers() < MAX_PEERS || self.suppressed.get(peer) > 0 {
            self.suppressed.charge(peer, 1);
        }
        if self.report_due.is_some() {
            return None;
        }
        let until_next = self.reported_at.map_or(SignedDuration::ZERO, |told_at| {
            let since = now.duration_since(told_at);
            (REPORT_INTERVAL - since).min(REPORT_INTERVAL)
        });
        let wait = until_next.max(FIRST_REPORT_AFTER);
        self.report_due = now.checked_add(wait).ok();
        Duration::try_from(wait).ok()
    }

    /// Drops full buckets, once a minute.
    fn prune(&mut self, now: Timestamp) {
        let is_recent = |tidied_at| now.duration_since(tidied_at).abs() < REPORT_INTERVAL;
        if !self.pruned_at.is_some_and(is_recent) {
            self.pruned_at = Some(now);
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
        Peer::from_address(std::net::Ipv4Addr::from_bits(0x0a00_0000 + number).into())
    }

    fn granted(throttle: &mut LogThrottle, peer: Peer, times: u32, second: i64) -> usize {
        let mut admissions = (0..times).map(|_| throttle.admit(peer, at(second)));
        admissions.by_ref().filter(|one| one.is_admitted).count()
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
        assert_eq!(throttle.poll_report(at(7)), None);
        let suppressed = throttle.poll_report(at(8)).unwrap();
        assert_eq!(suppressed.lines, 35);
        assert_eq!(suppressed.heaviest, (peer(1), 35));
        assert_eq!(throttle.poll_report(at(99)), None);
        assert_eq!(
            granted(&mut throttle, peer(1), 40, 17),
            1,
            "one in ten seconds"
        );
    }

    #[test]
    fn a_flood_is_told_of_after_a_second_and_then_once_a_minute() {
        let mut throttle = LogThrottle::default();
        let (mut reported, mut delays, mut lines) = (Vec::new(), Vec::new(), 0);
        for second in 0..200 {
            for _ in 0..10 {
                let admission = throttle.admit(peer(1), at(second));
                lines += usize::from(admission.is_admitted);
                delays.extend(admission.poll_after);
                if let Some(suppressed) = admission.report {
                    reported.push(second);
                    lines += suppressed.lines;
                }
            }
        }
        assert_eq!(reported, [1, 61, 121, 181]);
        let rest = throttle.poll_report(at(241)).unwrap().lines;
        assert_eq!(lines + rest, 2000);
        let minute = Duration::from_mins(1);
        assert_eq!(delays[0], Duration::from_secs(1));
        assert_eq!(delays[1..], [minute; 4]);
    }

    #[test]
    fn lines_of_all_peers_are_limited() {
        let mut throttle = LogThrottle::default();
        let at_once = (0..1000).filter(|&number| throttle.admit(peer(number), at(7)).is_admitted);
        assert_eq!(at_once.count(), 100);
    }

    /// A line is 1 KiB at most: its texts from outside are cut.
    #[test]
    fn a_day_of_refusals_fills_no_disk() {
        let (mut throttle, mut lines) = (LogThrottle::default(), 0);
        // In each minute, peers with lines left come first.
        for second in (0..86_400).step_by(60) {
            for number in (0..256).flat_map(|number| [number; 2]) {
                let admission = throttle.admit(peer(number), at(second));
                lines += usize::from(admission.is_admitted);
                lines += usize::from(admission.report.is_some());
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
        assert_eq!(throttle.suppressed.peers(), MAX_PEERS);
        throttle.admit(peer(0), at(500));
        assert_eq!(throttle.by_peer.len(), 1);
        assert_eq!(throttle.reported_at, Some(at(500)));
    }

    #[test]
    fn clock_that_is_set_back_stops_nothing() {
        let mut throttle = LogThrottle::default();
        granted(&mut throttle, peer(1), 40, 1_000_000);
        assert_eq!(throttle.poll_report(at(0)).unwrap().lines, 35);
        assert_eq!(granted(&mut throttle, peer(1), 40, 1), 5);
        assert!(throttle.poll_report(at(61)).is_some());
    }
}
