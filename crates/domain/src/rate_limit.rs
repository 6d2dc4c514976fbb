//! How often one identity may do something, with a burst.

use crate::clock::Timestamp;
use crate::ids::Number;
use std::collections::BTreeMap;

/// Identities of which the rate is known; beyond that, those that did nothing for long are forgotten.
const KNOWN: usize = 4096;

/// Limits how often each identity does something: `burst` times at once, and once every second in the
/// long run.
#[derive(Debug)]
pub struct RateLimit {
    burst: u32,
    /// For each identity, how much of its burst it had left, and when.
    left: BTreeMap<Number, (u32, i64)>,
}

impl RateLimit {
    /// A limit under which nobody has done anything.
    pub fn new(burst: u32) -> Self {
        Self {
            burst,
            left: BTreeMap::new(),
        }
    }

    /// Counts that `who` does it once more.
    ///
    /// # Errors
    ///
    /// The seconds to wait, if it was done too often.
    pub fn take(&mut self, who: Number, now: Timestamp) -> Result<(), u32> {
        let now = now.as_second();
        if self.left.len() >= KNOWN && !self.left.contains_key(&who) {
            let burst = self.burst;
            self.left
                .retain(|_, known| refilled(*known, now, burst) < burst);
        }
        let known = self.left.get(&who).copied();
        let left = known.map_or(self.burst, |known| refilled(known, now, self.burst));
        match left.checked_sub(1) {
            Some(left) => {
                self.left.insert(who, (left, now));
                Ok(())
            },
            None => Err(1),
        }
    }
}

/// What is left of a burst by now. A clock that was set back gives nothing and takes nothing.
fn refilled((left, at): (u32, i64), now: i64, burst: u32) -> u32 {
    let gained = u32::try_from(now.saturating_sub(at).max(0)).unwrap_or(u32::MAX);
    left.saturating_add(gained).min(burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn burst_and_rate_are_each_identitys_own() {
        let mut limit = RateLimit::new(3);
        for _ in 0..3 {
            assert_eq!(limit.take(Number(1), at(100)), Ok(()));
        }
        assert_eq!(limit.take(Number(1), at(100)), Err(1));
        assert_eq!(limit.take(Number(2), at(100)), Ok(()));
        assert_eq!(limit.take(Number(1), at(101)), Ok(()));
        assert_eq!(limit.take(Number(1), at(101)), Err(1));
        assert_eq!(
            limit.take(Number(1), at(50)),
            Err(1),
            "the clock was set back"
        );
        for _ in 0..3 {
            assert_eq!(limit.take(Number(1), at(9_000)), Ok(()));
        }
        assert_eq!(limit.take(Number(1), at(9_000)), Err(1));
    }

    #[test]
    fn identities_that_do_nothing_are_forgotten() {
        let mut limit = RateLimit::new(3);
        for who in 0..KNOWN {
            limit.take(Number(who as u64), at(0)).unwrap();
        }
        limit.take(Number(u64::MAX), at(10)).unwrap();
        assert_eq!(limit.left.len(), 1);
    }
}
