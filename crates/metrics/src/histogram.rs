//! How measured values are distributed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::float::{from_count, to_count};

/// Quantiles of a [`Distribution`].
pub const QUANTILES: [f64; 6] = [0.5, 0.75, 0.95, 0.99, 0.999, 0.9999];

/// How fast old values lose weight, per second: that of go-metrics, with which the last five minutes count.
const DECAY: f64 = 0.015;

/// Weight of a new value.
const WEIGHT: u64 = 1 << 16;

/// Buckets for each doubling: values of a bucket differ by a sixteenth at most.
const STEPS: u64 = 16;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Values from here on share a bucket: eighteen minutes in nanoseconds, a tebibyte in bytes.
const LARGEST: u64 = (1 << 40) - 1;

const BUCKETS: usize = index(LARGEST) + 1;

/// What a histogram measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds,
    Bytes,
}

/// Distribution of measured values, of which the last minutes weigh most; takes 5 KiB.
#[derive(Debug)]
pub struct Histogram {
    unit: Unit,
    /// Of all values, of whatever age.
    count: AtomicU64,
    total: AtomicU64,
    /// Weights of the values by bucket.
    weights: Box<[AtomicU64]>,
    /// Sum of the values, which decays as the weights do.
    recent: AtomicU64,
    /// Count as of the last tick.
    ticked: Mutex<u64>,
}

/// What a histogram tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distribution {
    /// Number of values, of whatever age.
    pub count: u64,
    /// Their sum.
    pub total: u64,
    /// Smallest of the recent values, within a sixteenth, as all that follows but the mean.
    pub min: u64,
    pub max: u64,
    pub mean: f64,
    pub standard_deviation: f64,
    /// By [`QUANTILES`].
    pub quantiles: [f64; QUANTILES.len()],
}

impl Histogram {
    /// Not reported until a registry is told of it.
    pub fn new(unit: Unit) -> Self {
        Self {
            unit,
            count: AtomicU64::new(0),
            total: AtomicU64::new(0),
            weights: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(),
            recent: AtomicU64::new(0),
            ticked: Mutex::new(0),
        }
    }

    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// Number of values, and their sum.
    pub fn totals(&self) -> (u64, u64) {
        let count = self.count.load(Ordering::Relaxed);
        (count, self.total.load(Ordering::Relaxed))
    }

    /// Records a value, in the unit of the histogram.
    pub fn record(&self, value: u64) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(value, Ordering::Relaxed);
        self.recent.fetch_add(value, Ordering::Relaxed);
        if let Some(weight) = self.weights.get(index(value)) {
            weight.fetch_add(WEIGHT, Ordering::Relaxed);
        }
    }

    /// Records a time.
    pub fn record_time(&self, time: Duration) {
        self.record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Takes weight from the values, if there are others since the last tick, `elapsed` ago.
    pub(crate) fn tick(&self, elapsed: Duration) {
        let count = self.count.load(Ordering::Relaxed);
        let mut ticked = self.ticked.lock();
        if *ticked == count {
            return;
        }
        *ticked = count;
        drop(ticked);
        let lost = 1.0 - (-DECAY * elapsed.as_secs_f64()).exp();
        for value in self.weights.iter().chain([&self.recent]) {
            let old = value.load(Ordering::Relaxed);
            // At least one, so that what is old is gone some day.
            let less = to_count(from_count(old) * lost).max(1).min(old);
            value.fetch_sub(less, Ordering::Relaxed);
        }
    }

    pub fn distribution(&self) -> Distribution {
        let weights: Vec<u64> = self
            .weights
            .iter()
            .map(|weight| weight.load(Ordering::Relaxed))
            .collect();
        let mut distribution = Distribution {
            count: self.count.load(Ordering::Relaxed),
            total: self.total.load(Ordering::Relaxed),
            ..Distribution::default()
        };
        let whole = weights.iter().sum::<u64>();
        if whole == 0 {
            return distribution;
        }
        let weighed = || {
            let buckets = weights.iter().enumerate();
            buckets.filter(|(_, weight)| **weight > 0)
        };
        distribution.min = weighed().next().map_or(0, |(bucket, _)| lowest(bucket));
        distribution.max = weighed()
            .next_back()
            .map_or(0, |(bucket, _)| highest(bucket));
        let values = from_count(whole) / from_count(WEIGHT);
        distribution.mean = from_count(self.recent.load(Ordering::Relaxed)) / values;
        let squares = weighed().map(|(bucket, weight)| {
            let distance = middle(bucket) - distribution.mean;
            distance * distance * from_count(*weight)
        });
        let variance = squares.sum::<f64>() / from_count(whole);
        distribution.standard_deviation = variance.sqrt();
        for (quantile, found) in QUANTILES.into_iter().zip(&mut distribution.quantiles) {
            let wanted = to_count(from_count(whole) * quantile);
            let mut below = 0;
            *found = weighed()
                .find(|(_, weight)| {
                    below += **weight;
                    below >= wanted
                })
                .map_or(0.0, |(bucket, _)| middle(bucket));
        }
        distribution
    }
}

impl Distribution {
    pub fn variance(&self) -> f64 {
        self.standard_deviation * self.standard_deviation
    }
}

/// The bucket of a value: small ones have a bucket each, others one for each step within a power of two.
const fn index(value: u64) -> usize {
    let value = if value > LARGEST { LARGEST } else { value };
    if value < STEPS {
        return small(value);
    }
    let power = value.ilog2();
    let step = (value >> (power - STEP_BITS)) - STEPS;
    small((power - STEP_BITS + 1) as u64 * STEPS + step)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are far fewer buckets than addresses"
)]
const fn small(index: u64) -> usize {
    index as usize
}

/// The smallest value of a bucket.
const fn lowest(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    match bucket / STEPS {
        0 => bucket,
        power => (STEPS + bucket % STEPS) << (power - 1),
    }
}

/// The largest value of a bucket.
const fn highest(bucket: usize) -> u64 {
    lowest(bucket + 1) - 1
}

fn middle(bucket: usize) -> f64 {
    f64::midpoint(from_count(lowest(bucket)), from_count(highest(bucket)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_secs(5);

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram {
        let histogram = Histogram::new(Unit::Nanoseconds);
        values.into_iter().for_each(|value| histogram.record(value));
        histogram
    }

    /// Whether two numbers differ by less than a sixteenth.
    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= expected / 16.0
    }

    #[test]
    fn every_value_is_in_its_bucket() {
        for value in (0..5000).chain([1 << 20, (1 << 20) - 1, LARGEST - 1, LARGEST]) {
            let bucket = index(value);
            assert!(bucket < BUCKETS);
            assert!(lowest(bucket) <= value, "{value}");
            assert!(value <= highest(bucket), "{value}");
            assert!(highest(bucket) - lowest(bucket) <= value / STEPS, "{value}");
        }
        assert_eq!(index(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn values_are_summed_up() {
        let found = of(1..=1000).distribution();
        assert_eq!((found.count, found.total), (1000, 500_500));
        assert_eq!(found.min, 1);
        assert!(is_near(from_count(found.max), 1000.0));
        assert!((found.mean - 500.5).abs() < 1e-6);
        assert!(is_near(found.standard_deviation, 288.7));
        for (quantile, value) in QUANTILES.into_iter().zip(found.quantiles) {
            assert!(is_near(value, 1000.0 * quantile), "{quantile}: {value}");
        }
    }

    #[test]
    fn without_values_everything_is_zero() {
        assert_eq!(of([]).distribution(), Distribution::default());
    }

    #[test]
    fn old_values_lose_weight_while_there_are_new_ones() {
        let histogram = of([1_000_000]);
        (0..1000).for_each(|_| histogram.tick(TICK));
        let alone = histogram.distribution();
        assert!(is_near(alone.mean, 1_000_000.0), "{alone:?}");
        for _ in 0..1000 {
            histogram.record(1000);
            histogram.tick(TICK);
        }
        let found = histogram.distribution();
        assert!(is_near(found.mean, 1000.0), "{found:?}");
        assert!(is_near(from_count(found.max), 1000.0), "{found:?}");
        assert_eq!((found.count, found.total), (1001, 2_000_000));
    }

    #[test]
    fn huge_values_count_as_the_largest() {
        let found = of([u64::MAX / 4]).distribution();
        assert_eq!(found.max, LARGEST);
    }
}
