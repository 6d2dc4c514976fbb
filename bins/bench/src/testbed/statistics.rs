//! What samples of times have in common.

use std::time::Duration;

/// A time in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Bytes in MiB.
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    float(bytes) / (1024.0 * 1024.0)
}

/// A count as a number to calculate with.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts and sizes lie far below the 2^52 that a float holds"
)]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// The time that so many of a hundred do not exceed.
pub(crate) fn percentile(sorted: &[Duration], of_hundred: usize) -> Duration {
    let rank = (sorted.len() * of_hundred).div_ceil(100);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

/// The middle of samples; zero of none.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let sorted = sorted(samples);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// How likely two samples of one distribution differ as much as these do, by the two-sample test of
/// Kolmogorov and Smirnov: near 0 they are hardly of one, 1 is as alike as can be.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts lie far below the 2^52 that a float holds"
)]
pub(crate) fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> f64 {
    let (one, other) = (sorted(one), sorted(other));
    let (count, others) = (one.len() as f64, other.len() as f64);
    let mut farthest = 0.0_f64;
    for at in one.iter().chain(&other) {
        let below = one.partition_point(|sample| sample <= at) as f64 / count;
        let others_below = other.partition_point(|sample| sample <= at) as f64 / others;
        farthest = farthest.max((below - others_below).abs());
    }
    let root = (count * others / (count + others)).sqrt();
    // Stephens' approximation for samples of finite size.
    tail((root + 0.12 + 0.11 / root) * farthest)
}

/// The tail of Kolmogorov's distribution.
fn tail(lambda: f64) -> f64 {
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |place: i32| {
        let sign = if place % 2 == 0 { -1.0 } else { 1.0 };
        let place = f64::from(place);
        sign * (-2.0 * place * place * lambda * lambda).exp()
    };
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look drawn between 0 and 1.
    fn drawn(seed: u64, count: u64) -> Vec<f64> {
        let mixed = |number: u64| (number + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let part = |number| f64::from(u32::try_from(mixed(number)).unwrap()) / f64::from(1 << 24);
        (0..count).map(part).collect()
    }

    #[test]
    fn percentile_is_the_nearest_rank() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        for (of_hundred, expected) in [(50, 100), (99, 198), (100, 200)] {
            let expected = Duration::from_millis(expected);
            assert_eq!(percentile(&times, of_hundred), expected, "{of_hundred}");
        }
        assert_eq!(percentile(&[], 99), Duration::ZERO);
    }

    #[test]
    fn median_is_in_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!(median(&[]).abs() < 1e-9);
    }

    #[test]
    fn samples_of_one_distribution_are_alike_and_others_are_not() {
        let (one, other) = (drawn(1, 2000), drawn(77_777, 2000));
        assert!(kolmogorov_smirnov(&one, &other) > 0.01);
        let moved: Vec<_> = other.iter().map(|sample| sample + 0.1).collect();
        assert!(kolmogorov_smirnov(&one, &moved) < 1e-6);
    }

    #[test]
    fn tail_is_that_of_the_tables() {
        for (lambda, part) in [(1.22, 0.10), (1.36, 0.05), (1.63, 0.01)] {
            assert!((tail(lambda) - part).abs() < 0.003, "{lambda}");
        }
    }
}
