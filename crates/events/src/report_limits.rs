//! How much of what routers report is kept. They choose its texts, and how many there are.

use crate::event::usage::USAGE_KINDS;
use portcullis_wire::control::metrics::{Metrics, UsageBucket};
use std::collections::BTreeMap;

/// Longest id in bytes.
const MAX_ID: usize = 128;
/// Longest address, name of a metric, and name or value of a tag in bytes.
pub const MAX_ROUTER_TEXT: usize = 256;
/// Metrics in one report, at most.
const MAX_METRICS: usize = 100_000;
/// Tags of a report, and of each circuit, at most. Each metric and each circuit has them anew in its event.
const MAX_TAGS: usize = 8;

/// Whether a text of a router can be the id of something.
pub const fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID
}

/// Whether a text of a router is as short as names and values of tags are.
pub const fn is_short(text: &str) -> bool {
    text.len() <= MAX_ROUTER_TEXT
}

/// A report without what is too long or too much.
pub fn bounded_report(mut metrics: Metrics) -> Metrics {
    let mut left = MAX_METRICS;
    if !is_id(&metrics.event_id) {
        metrics.event_id.clear();
    }
    metrics.tags = tags(metrics.tags);
    keep_some(&mut metrics.integers, &mut left);
    keep_some(&mut metrics.floats, &mut left);
    keep_some(&mut metrics.meters, &mut left);
    keep_some(&mut metrics.histograms, &mut left);
    keep_some(&mut metrics.timers, &mut left);
    for counter in &mut metrics.usage_counters {
        counter.buckets.retain(|circuit, _| is_id(circuit));
        for bucket in counter.buckets.values_mut() {
            let UsageBucket {
                values,
                tags: tagged,
            } = bucket;
            values.retain(|kind, _| USAGE_KINDS.contains(&kind.as_str()));
            *tagged = tags(std::mem::take(tagged));
        }
    }
    metrics
}

fn keep_some<V>(values: &mut BTreeMap<String, V>, left: &mut usize) {
    values.retain(|name, _| {
        let is_kept = *left > 0 && is_short(name);
        *left -= usize::from(is_kept);
        is_kept
    });
}

fn tags(tags: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let short = tags
        .into_iter()
        .filter(|(name, value)| is_short(name) && is_short(value));
    short.take(MAX_TAGS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_too_much_is_left_out() {
        let numbered = |count| (0..count).map(|each| format!("n{each:06}"));
        let long = || "x".repeat(MAX_ROUTER_TEXT + 1);
        let mut report = Metrics {
            event_id: long(),
            tags: numbered(20).map(|name| (name, "v".to_owned())).collect(),
            integers: numbered(MAX_METRICS - 1).map(|name| (name, 1)).collect(),
            floats: numbered(3).map(|name| (name, 1.0)).collect(),
            ..Metrics::default()
        };
        report.tags.insert(long(), String::new());
        report.tags.insert("a".to_owned(), long());
        report.integers.insert(long(), 1);
        let report = bounded_report(report);
        assert_eq!(report.event_id, "");
        assert_eq!(report.tags.len(), MAX_TAGS);
        assert_eq!(report.tags.keys().next().unwrap(), "n000000");
        assert_eq!(report.integers.len(), MAX_METRICS - 1);
        assert_eq!(report.floats.len(), 1);
        assert!(is_id("r1"));
        assert!(!is_id(""));
        assert!(!is_id(&"x".repeat(MAX_ID + 1)));
    }
}
