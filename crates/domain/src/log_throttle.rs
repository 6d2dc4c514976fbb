//! How many lines of a log strangers may cause.

use crate::clock::Timestamp;
use crate::peer::{Peer, PeerUsage};

/// Lines that one peer may cause in a second.
const PER_PEER: usize = 5;
/// Lines that all peers together may cause in a second.
const IN_ALL: usize = 100;

/// Limits the lines of one kind that a log gets in a second: for each peer, and in all. What goes
/// beyond is counted, and told of once the second is over.
#[derive(Debug, Default)]
pub struct LogThrottle {
    second: i64,
    written: PeerUsage,
    suppressed: PeerUsage,
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
    /// Whether it is the first that is suppressed in its second: [`LogThrottle::settle`] has to be asked
    /// once the second is over, for the peers may have fallen silent by then.
    pub is_first_suppressed: bool,
    /// What was suppressed in an earlier second; answered once, and to be written in any case.
    pub earlier: Option<Suppressed>,
}

impl LogThrottle {
    /// Decides about a line that `peer` causes.
    pub fn admit(&mut self, peer: Peer, now: Timestamp) -> Admission {
        let earlier = self.settle(now);
        let is_granted = self.written.of(peer) < PER_PEER && self.written.total() < IN_ALL;
        let account = if is_granted {
            &mut self.written
        } else {
            &mut self.suppressed
        };
        account.charge(peer, 1);
        Admission {
            is_granted,
            is_first_suppressed: !is_granted && self.suppressed.total() == 1,
            earlier,
        }
    }

    /// What was suppressed in a second that is over; answered once.
    pub fn settle(&mut self, now: Timestamp) -> Option<Suppressed> {
        // Any other second will do: a clock that is set back must not stop the log.
        if now.as_second() == self.second {
            return None;
        }
        self.second = now.as_second();
        self.written = PeerUsage::default();
        let suppressed = std::mem::take(&mut self.suppressed);
        let heaviest = suppressed.heaviest()?;
        Some(Suppressed {
            lines: suppressed.total(),
            heaviest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn peer(number: u8) -> Peer {
        Peer::at([192, 0, 2, number].into())
    }

    #[test]
    fn lines_of_a_peer_are_limited_and_the_rest_is_told_once() {
        let mut throttle = LogThrottle::default();
        let admitted = (0..40)
            .filter(|_| throttle.admit(peer(1), at(7)).is_granted)
            .count();
        assert_eq!(admitted, PER_PEER);
        assert!(
            throttle.admit(peer(2), at(7)).is_granted,
            "others are not affected"
        );
        let suppressed = throttle.settle(at(8)).unwrap();
        assert_eq!(suppressed.lines, 40 - PER_PEER);
        assert_eq!(suppressed.heaviest, (peer(1), suppressed.lines));
        assert_eq!(throttle.settle(at(9)), None);
        let admission = throttle.admit(peer(1), at(9));
        assert_eq!((admission.is_granted, admission.earlier), (true, None));
    }

    #[test]
    fn lines_of_all_peers_are_limited() {
        let mut throttle = LogThrottle::default();
        let admitted = (0..=255)
            .filter(|&number| throttle.admit(peer(number), at(7)).is_granted)
            .count();
        assert_eq!(admitted, IN_ALL);
    }

    #[test]
    fn clock_that_is_set_back_stops_nothing() {
        let mut throttle = LogThrottle::default();
        while throttle.admit(peer(1), at(7)).is_granted {}
        let admission = throttle.admit(peer(1), at(3));
        assert!(admission.is_granted && admission.earlier.is_some());
    }
}
