//! Token buckets.

use crate::clock::Timestamp;

/// Refill rate and capacity of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Tokens per minute, at most 60 000.
    pub per_minute: u32,
    /// Capacity.
    pub burst: u32,
}

impl Rate {
    /// Milliseconds per token.
    fn interval(self) -> i64 {
        (60_000 / i64::from(self.per_minute.max(1))).max(1)
    }

    /// Milliseconds to fill an empty bucket.
    fn fill_time(self) -> i64 {
        self.interval() * i64::from(self.burst)
    }
}

/// An initially full bucket. The caller passes the rate, which keeps buckets small.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenBucket {
    /// When it will be full, in Unix milliseconds.
    full_at: i64,
}

impl TokenBucket {
    pub fn has_token(self, rate: Rate, now: Timestamp) -> bool {
        self.deficit(rate, now) + rate.interval() <= rate.fill_time()
    }

    /// Takes a token; call [`TokenBucket::has_token`] first.
    pub fn take(&mut self, rate: Rate, now: Timestamp) {
        self.full_at = now.as_millisecond() + self.deficit(rate, now) + rate.interval();
    }

    /// Whether it is full and need not be kept.
    pub fn is_full(self, now: Timestamp) -> bool {
        self.full_at <= now.as_millisecond()
    }

    /// Milliseconds until it is full. A value above the fill time means that the clock was set
    /// back; the bucket then counts as full, instead of empty for as long as the clock was wrong.
    fn deficit(self, rate: Rate, now: Timestamp) -> i64 {
        let missing = self.full_at.saturating_sub(now.as_millisecond()).max(0);
        if missing > rate.fill_time() {
            0
        } else {
            missing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        per_minute: 6,
        burst: 5,
    };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_900_000_000 + second).unwrap()
    }

    /// Takes all tokens and returns their number.
    fn drain(bucket: &mut TokenBucket, now: Timestamp) -> u32 {
        let mut taken = 0;
        while bucket.has_token(RATE, now) {
            bucket.take(RATE, now);
            taken += 1;
        }
        taken
    }

    #[test]
    fn a_burst_at_first_and_then_as_many_as_come() {
        let mut bucket = TokenBucket::default();
        assert!(bucket.is_full(at(0)));
        assert_eq!(drain(&mut bucket, at(0)), 5);
        assert_eq!(drain(&mut bucket, at(9)), 0);
        assert_eq!(drain(&mut bucket, at(10)), 1);
        assert_eq!(drain(&mut bucket, at(40)), 3);
        assert!(!bucket.is_full(at(89)) && bucket.is_full(at(90)));
        assert_eq!(drain(&mut bucket, at(10_000)), 5);
    }

    #[test]
    fn clock_set_back_is_worth_one_burst() {
        let mut bucket = TokenBucket::default();
        assert_eq!(drain(&mut bucket, at(1_000_000)), 5);
        assert_eq!(drain(&mut bucket, at(0)), 5);
        assert_eq!(drain(&mut bucket, at(20)), 2);
    }
}
