//! Rate limits per identity or router.

use crate::clock::Timestamp;
use crate::ids::RecordNumber;
use std::collections::BTreeMap;

/// Maximum number of tracked identities; beyond it, idle ones are dropped.
const MAX_IDENTITIES: usize = 4096;

/// Rate limit per identity, or per router: `burst` actions at once, and one per second on average, or
/// several.
#[derive(Debug)]
pub struct RateLimit {
    burst: u32,
    per_second: u32,
    /// Remaining burst by identity, and when it was computed (Unix seconds).
    remaining: BTreeMap<RecordNumber, (u32, i64)>,
}

impl RateLimit {
    pub fn new(burst: u32) -> Self {
        Self::with_rate(burst, 1)
    }

    pub fn with_rate(burst: u32, per_second: u32) -> Self {
        Self {
            burst,
            per_second,
            remaining: BTreeMap::new(),
        }
    }

    /// Counts one action of `identity`.
    ///
    /// # Errors
    ///
    /// The seconds to wait when the limit is exceeded.
    pub fn take(&mut self, identity: RecordNumber, now: Timestamp) -> Result<(), u32> {
        let now = now.as_second();
        if self.remaining.len() >= MAX_IDENTITIES && !self.remaining.contains_key(&identity) {
            let (burst, per_second) = (self.burst, self.per_second);
            self.remaining
                .retain(|_, known| refilled(*known, now, (burst, per_second)) < burst);
        }
        let known = self.remaining.get(&identity).copied();
        let rate = (self.burst, self.per_second);
        let left = known.map_or(self.burst, |known| refilled(known, now, rate));
        match left.checked_sub(1) {
            Some(left) => {
                self.remaining.insert(identity, (left, now));
                Ok(())
            },
            None => Err(1),
        }
    }
}

/// The burst that remains by `now`. A clock that was set back changes nothing.
fn refilled((left, at): (u32, i64), now: i64, (burst, per_second): (u32, u32)) -> u32 {
    let elapsed = u32::try_from(now.saturating_sub(at).max(0)).unwrap_or(u32::MAX);
    let gained = elapsed.saturating_mul(per_second);
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
            assert_eq!(limit.take(RecordNumber(1), at(100)), Ok(()));
        }
        assert_eq!(limit.take(RecordNumber(1), at(100)), Err(1));
        assert_eq!(limit.take(RecordNumber(2), at(100)), Ok(()));
        assert_eq!(limit.take(RecordNumber(1), at(101)), Ok(()));
        assert_eq!(limit.take(RecordNumber(1), at(101)), Err(1));
        assert_eq!(
            limit.take(RecordNumber(1), at(50)),
            Err(1),
            "the clock was set back"
        );
        for _ in 0..3 {
            assert_eq!(limit.take(RecordNumber(1), at(9_000)), Ok(()));
        }
        assert_eq!(limit.take(RecordNumber(1), at(9_000)), Err(1));
    }

    #[test]
    fn several_a_second_may_be_allowed() {
        let mut limit = RateLimit::with_rate(10, 4);
        let taken = |limit: &mut RateLimit, second| {
            let mut tries = 0..20;
            tries
                .by_ref()
                .take_while(|_| limit.take(RecordNumber(1), at(second)).is_ok())
                .count()
        };
        assert_eq!(taken(&mut limit, 100), 10);
        assert_eq!(taken(&mut limit, 101), 4);
        assert_eq!(taken(&mut limit, 200), 10);
    }

    #[test]
    fn identities_that_do_nothing_are_forgotten() {
        let mut limit = RateLimit::new(3);
        for who in 0..MAX_IDENTITIES {
            limit.take(RecordNumber(who as u64), at(0)).unwrap();
        }
        limit.take(RecordNumber(u64::MAX), at(10)).unwrap();
        assert_eq!(limit.remaining.len(), 1);
    }
}
