//! Metrics in the text format of Prometheus, with the names that dashboards for OpenZiti know.
//!
//! What is called a histogram has quantiles in the place of buckets, and values in nanoseconds.

use crate::event::metric::{Metric, MetricValue};
use jiff::Timestamp;
use std::fmt::Write as _;

/// Quantiles, by what they are called here and in events.
const QUANTILES: [(&str, &str); 6] = [
    ("0.50", "p50"),
    ("0.75", "p75"),
    ("0.95", "p95"),
    ("0.99", "p99"),
    ("0.999", "p999"),
    ("0.9999", "p9999"),
];

/// A metric with its head.
pub(super) fn text(metric: &Metric, time: Timestamp) -> String {
    let name = name(&metric.name);
    let labels = labels(metric);
    let time = time.as_millisecond();
    let parts = metric.value.parts();
    let part = |wanted: &str| {
        let found = parts.iter().find(|(part, _)| *part == wanted);
        found
            .map(|(_, value)| value.to_string())
            .unwrap_or_default()
    };
    let kind = match metric.value {
        MetricValue::Integer(_) | MetricValue::Float(_) | MetricValue::Meter(_) => "gauge",
        MetricValue::Histogram(_) | MetricValue::Timer(_) => "histogram",
    };
    let mut text = format!("# HELP {name} {name}\n# TYPE {name} {kind}\n");
    let mut sample = |suffix: &str, further: &str, value: String| {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{name}{suffix}{{{labels}{further}}} {value} {time}");
    };
    match metric.value {
        MetricValue::Integer(_) | MetricValue::Float(_) => sample("", "", part("")),
        MetricValue::Meter(_) => sample("", "", part("m1_rate")),
        MetricValue::Histogram(_) | MetricValue::Timer(_) => {
            sample("_count", "", part("count"));
            for (quantile, named) in QUANTILES {
                sample("_bucket", &format!(",le=\"{quantile}\""), part(named));
            }
        },
    }
    text
}

fn name(metric: &str) -> String {
    let mut name = "ziti_".to_owned();
    for char in metric.chars().filter(|char| *char != ':') {
        let is_allowed = char.is_ascii_alphanumeric() || char == '_';
        name.push(if is_allowed { char } else { '_' });
    }
    // A name that ends so belongs to a histogram.
    if name.ends_with("_count") {
        name.truncate(name.len() - "ount".len());
    }
    name
}

fn labels(metric: &Metric) -> String {
    let tags = metric.tags.iter();
    let tags = tags.map(|(name, value)| (name.as_str(), value.as_str()));
    let own = [("source_id", &*metric.source_id)];
    let entity = metric
        .entity_id
        .as_deref()
        .map(|id| ("source_entity_id", id));
    let all = tags.chain(own).chain(entity);
    let written: Vec<_> = all
        .map(|(name, value)| format!("{}=\"{}\"", label(name), escaped(value)))
        .collect();
    written.join(",")
}

fn label(name: &str) -> String {
    let chars = name.chars();
    chars
        .map(|char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '_'
            }
        })
        .collect()
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
