//! Token buckets: so many at once, and so many a minute.

use crate::clock::Timestamp;

/// How fast a bucket fills, and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Tokens that come in a minute, at most 60 000.
    pub per_minute: u32,
    /// Tokens that a full bucket holds.
    pub burst: u32,
}

impl Rate {
    /// Milliseconds until one more token comes.
    fn interval(self) -> i64 {
        (60_000 / i64::from(self.per_minute.max(1))).max(1)
    }

    /// Milliseconds in which an empty bucket fills.
    fn fills_in(self) -> i64 {
        self.interval() * i64::from(self.burst)
    }
}

/// A bucket that is full at first. Its rate is that of whoever asks, so that many are cheap.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenBucket {
    /// When it is full again, in milliseconds; in the past for one that is.
    full_at: i64,
}

impl TokenBucket {
    /// Whether it has a token.
    pub fn has_token(self, rate: Rate, now: Timestamp) -> bool {
        self.missing(rate, now) + rate.interval() <= rate.fills_in()
    }

    /// Takes a token that is there.
    pub fn take(&mut self, rate: Rate, now: Timestamp) {
        self.full_at = now.as_millisecond() + self.missing(rate, now) + rate.interval();
    }

    /// Whether nothing is missing, so that it need not be remembered.
    pub fn is_full(self, now: Timestamp) -> bool {
        self.full_at <= now.as_millisecond()
    }

    /// Milliseconds until it is full. More than an empty bucket takes says that the clock was set back,
    /// which is worth a full one; otherwise it would be empty for as long as the clock was wrong.
    fn missing(self, rate: Rate, now: Timestamp) -> i64 {
        let missing = self.full_at.saturating_sub(now.as_millisecond()).max(0);
        if missing > rate.fills_in() {
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

    /// How many tokens may be taken at once.
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
