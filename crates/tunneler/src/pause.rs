//! How long to wait before something is tried again.

use portcullis_channel::group::{Backoff, Jitter};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::time::Duration;

/// Without a random part: there is no randomness here, and a key does as well.
const BACKOFF: Backoff = Backoff {
    initial: Duration::from_secs(5),
    max: Pause::LONGEST,
    jitter: Jitter::None,
};

/// How long to wait before the next attempt, after so many that have failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    failures: u32,
}

impl Pause {
    pub(crate) const FIRST: Self = Self { failures: 0 };
    pub(crate) const LONGEST: Duration = Duration::from_mins(3);

    /// The pause and up to half as long again, as the key has it.
    pub(crate) fn take(&mut self, key: &impl Hash) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let pause = BACKOFF.delay(self.failures, 0);
        pause + spread(key, pause / 2)
    }
}

const SHARES: u32 = 1_024;

/// Less than `most`, and always the same for a key, so that what begins at one instant for many keys does not go
/// on at one.
pub(crate) fn spread(key: &impl Hash, most: Duration) -> Duration {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let share = u32::try_from(hasher.finish() % u64::from(SHARES)).unwrap_or_default();
    most / SHARES * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spread_evenly() {
        let most = Duration::from_secs(8);
        let mut of_quarters = [0; 4];
        for key in 0..1_000 {
            let part = spread(&key, most);
            assert!(part < most);
            let quarter = usize::try_from(part.as_secs() / 2).expect("small");
            of_quarters[quarter] += 1;
        }
        assert!(
            of_quarters.iter().all(|count| *count > 200),
            "{of_quarters:?}"
        );
    }
}
