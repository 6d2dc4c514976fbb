//! Times in buckets with fixed bounds, as Prometheus counts them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::float::from_count;

/// Counts times by buckets. Unlike those of a [`Histogram`](crate::Histogram), the counts never decrease, so
/// those of several processes can be added up, and quantiles taken of any period.
#[derive(Debug)]
pub struct BucketHistogram {
    /// Upper bounds in seconds, ascending; the bucket above the last one has none.
    bounds: &'static [f64],
    counts: Box<[AtomicU64]>,
    total_nanos: AtomicU64,
}

/// What a [`BucketHistogram`] tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Buckets {
    /// Upper bounds in seconds, each with how many times were at most as long; the last bound is infinite.
    pub cumulative: Vec<(f64, u64)>,
    /// Sum of all times, in seconds.
    pub total: f64,
}

impl BucketHistogram {
    /// `bounds` are in seconds and ascend.
    pub fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            total_nanos: AtomicU64::new(0),
        }
    }

    /// Records a time.
    pub fn record_time(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = self.bounds.partition_point(|bound| *bound < seconds);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.total_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    pub fn buckets(&self) -> Buckets {
        let mut below = 0;
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.counts.iter();
        Buckets {
            cumulative: bounds
                .zip(counts)
                .map(|(bound, count)| {
                    below += count.load(Ordering::Relaxed);
                    (bound, below)
                })
                .collect(),
            total: from_count(self.total_nanos.load(Ordering::Relaxed)) / 1e9,
        }
    }
}

impl Buckets {
    /// Number of all times.
    pub fn count(&self) -> u64 {
        self.cumulative.last().map_or(0, |(_, count)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_in_every_bucket_that_is_as_long() {
        let times = BucketHistogram::new(&[0.005, 1.0]);
        for millis in [1, 5, 6, 1000, 2500] {
            times.record_time(Duration::from_millis(millis));
        }
        let buckets = times.buckets();
        assert_eq!(
            buckets.cumulative,
            [(0.005, 2), (1.0, 4), (f64::INFINITY, 5)]
        );
        assert_eq!(buckets.count(), 5);
        assert!((buckets.total - 3.512).abs() < 1e-9);
    }
}
