//! Metrics of routers and of the controller, one by one.

use crate::event::size;
use portcullis_wire::control::metrics::{Histogram, Meter, Metrics, Timer};
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A metric as it was measured at a time.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Id of the router or the controller that measured.
    pub source_id: Arc<str>,
    /// Id of what was measured, if the metric is of one link, router or controller of many.
    pub entity_id: Option<Arc<str>>,
    pub name: String,
    pub value: MetricValue,
    pub tags: BTreeMap<String, String>,
    /// A UUID, one for all that was measured together.
    pub source_event_id: Arc<str>,
}

#[derive(Debug, Clone)]
pub enum MetricValue {
    Integer(i64),
    Float(f64),
    Meter(Meter),
    Histogram(Histogram),
    /// In nanoseconds.
    Timer(Timer),
}

/// The routers of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRouters {
    /// The one that dialed.
    pub source: Arc<str>,
    pub destination: Arc<str>,
}

/// The metrics of a message, each with the entity that its name says, without the id in the name. A copy, of
/// which another controller makes events, has none.
///
/// The routers of links that `routers_of` knows become tags.
/// Each metric is made when it is asked for, since it has the tags of the message anew.
pub fn metrics_of(
    source_id: &Arc<str>,
    message: &Metrics,
    mut routers_of: impl FnMut(&str) -> Option<LinkRouters>,
) -> impl Iterator<Item = Metric> {
    let source_event_id: Arc<str> = message.event_id.as_str().into();
    let values = (!message.is_copy).then(|| values(message));
    values.into_iter().flatten().map(move |(full_name, value)| {
        let (name, entity_id) = split_name(full_name);
        let mut tags = message.tags.clone();
        let link = entity_id.filter(|_| name.starts_with("link."));
        if let Some(routers) = link.and_then(&mut routers_of) {
            tags.insert("sourceRouterId".to_owned(), routers.source.to_string());
            tags.insert("targetRouterId".to_owned(), routers.destination.to_string());
        }
        Metric {
            source_id: Arc::clone(source_id),
            entity_id: entity_id.map(Arc::from),
            name,
            value,
            tags,
            source_event_id: Arc::clone(&source_event_id),
        }
    })
}

/// The values of a message with their names.
fn values(message: &Metrics) -> impl Iterator<Item = (&str, MetricValue)> {
    let integers = message.integers.iter();
    let integers = integers.map(|(name, value)| (name, MetricValue::Integer(*value)));
    let floats = message.floats.iter();
    let floats = floats.map(|(name, value)| (name, MetricValue::Float(*value)));
    let meters = message.meters.iter();
    let meters = meters.map(|(name, value)| (name, MetricValue::Meter(value.clone())));
    let histograms = message.histograms.iter();
    let histograms = histograms.map(|(name, value)| (name, MetricValue::Histogram(value.clone())));
    let timers = message.timers.iter();
    let timers = timers.map(|(name, value)| (name, MetricValue::Timer(value.clone())));
    let all = integers.chain(floats).chain(meters);
    let all = all.chain(histograms).chain(timers);
    all.map(|(name, value)| (name.as_str(), value))
}

/// A name without the id of an entity in it, and that id. Ids stand after a colon, or between `link.` and the
/// last words of the name: one for times, else two.
fn split_name(full_name: &str) -> (String, Option<&str>) {
    let whole = || (full_name.to_owned(), None);
    let is_of_link = full_name.starts_with("link.");
    if !is_of_link && !full_name.starts_with("ctrl.") {
        return whole();
    }
    if let Some((name, id)) = full_name.split_once(':') {
        return (name.to_owned(), Some(id));
    }
    let Some(rest) = full_name.strip_prefix("link.") else {
        return whole();
    };
    let is_time = rest.ends_with("latency") || rest.ends_with("queue_time");
    let last_words = if is_time { 1 } else { 2 };
    let Some((dot, _)) = rest.rmatch_indices('.').nth(last_words - 1) else {
        return whole();
    };
    let (id, measured) = (rest.get(..dot), rest.get(dot..));
    (format!("link{}", measured.unwrap_or_default()), id)
}

impl MetricValue {
    const fn type_name(&self) -> &'static str {
        match self {
            Self::Integer(_) => "intValue",
            Self::Float(_) => "floatValue",
            Self::Meter(_) => "meter",
            Self::Histogram(_) => "histogram",
            Self::Timer(_) => "timer",
        }
    }

    /// What it consists of by name. The name is empty for a number that is all of it.
    pub(crate) fn parts(&self) -> Vec<(&'static str, Number)> {
        match self {
            Self::Integer(value) => vec![("", (*value).into())],
            Self::Float(value) => vec![("", number(*value))],
            Self::Meter(meter) => vec![
                ("count", meter.count.into()),
                ("mean_rate", number(meter.mean_rate)),
                ("m1_rate", number(meter.rate_1_minute)),
                ("m5_rate", number(meter.rate_5_minutes)),
                ("m15_rate", number(meter.rate_15_minutes)),
            ],
            Self::Histogram(histogram) => vec![
                ("count", histogram.count.into()),
                ("min", histogram.min.into()),
                ("max", histogram.max.into()),
                ("mean", number(histogram.mean)),
                ("std_dev", number(histogram.standard_deviation)),
                ("variance", number(histogram.variance)),
                ("p50", number(histogram.p50)),
                ("p75", number(histogram.p75)),
                ("p95", number(histogram.p95)),
                ("p99", number(histogram.p99)),
                ("p999", number(histogram.p999)),
                ("p9999", number(histogram.p9999)),
            ],
            Self::Timer(timer) => vec![
                ("count", timer.count.into()),
                ("mean_rate", number(timer.mean_rate)),
                ("m1_rate", number(timer.rate_1_minute)),
                ("m5_rate", number(timer.rate_5_minutes)),
                ("m15_rate", number(timer.rate_15_minutes)),
                ("min", timer.min.into()),
                ("max", timer.max.into()),
                ("mean", number(timer.mean)),
                ("std_dev", number(timer.standard_deviation)),
                ("variance", number(timer.variance)),
                ("p50", number(timer.p50)),
                ("p75", number(timer.p75)),
                ("p95", number(timer.p95)),
                ("p99", number(timer.p99)),
                ("p999", number(timer.p999)),
                ("p9999", number(timer.p9999)),
            ],
        }
    }
}

/// Whole numbers are written without a fraction. What JSON has no number for is 0.
fn number(value: f64) -> Number {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        return (value as i64).into();
    }
    Number::from_f64(value).unwrap_or_else(|| 0.into())
}

impl Metric {
    /// Bytes of the names and of the tags.
    pub(super) fn size(&self) -> usize {
        let entity = self.entity_id.as_deref().unwrap_or_default();
        size::texts([&self.name, entity]) + size::tags(&self.tags)
    }

    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        self.filtered(|_| true)
    }

    /// Whether a part of it is wanted, by name and part as `link.latency.p50`.
    pub(crate) fn has(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        let parts = self.value.parts();
        parts.iter().any(|(part, _)| is_wanted(&self.path_of(part)))
    }

    /// The form with those parts that are wanted.
    pub(crate) fn filtered(&self, is_wanted: impl Fn(&str) -> bool) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            metric_type: &'static str,
            source_id: &'e str,
            #[serde(skip_serializing_if = "Option::is_none")]
            source_entity_id: Option<&'e str>,
            version: u32,
            metric: &'e str,
            metrics: BTreeMap<&'static str, Number>,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            tags: &'e BTreeMap<String, String>,
            source_event_id: &'e str,
        }
        let parts = self.value.parts().into_iter();
        let wanted = parts.filter(|(part, _)| is_wanted(&self.path_of(part)));
        let named =
            wanted.map(|(part, value)| (if part.is_empty() { "value" } else { part }, value));
        Wire {
            metric_type: self.value.type_name(),
            source_id: &self.source_id,
            source_entity_id: self.entity_id.as_deref(),
            version: 3,
            metric: &self.name,
            metrics: named.collect(),
            tags: &self.tags,
            source_event_id: &self.source_event_id,
        }
    }

    fn path_of(&self, part: &str) -> String {
        format!("{}.{part}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_names_become_entities() {
        for (full, name, id) in [
            ("ctrl.latency:r1", "ctrl.latency", Some("r1")),
            ("link.dropped_msgs:a.b", "link.dropped_msgs", Some("a.b")),
            ("link.a.b.latency", "link.latency", Some("a.b")),
            ("link.l1.queue_time", "link.queue_time", Some("l1")),
            ("link.l1.tx.bytesrate", "link.tx.bytesrate", Some("l1")),
            ("link.latency", "link.latency", None),
            ("fabric.tx.msgsize", "fabric.tx.msgsize", None),
            ("pool.x:y", "pool.x:y", None),
        ] {
            assert_eq!(split_name(full), (name.to_owned(), id), "{full}");
        }
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let written = |value| number(value).to_string();
        assert_eq!(written(0.0), "0");
        assert_eq!(written(38_229_519.0), "38229519");
        assert_eq!(written(0.25), "0.25");
        assert_eq!(written(f64::NAN), "0");
    }
}
