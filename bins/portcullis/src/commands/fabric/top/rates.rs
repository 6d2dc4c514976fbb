//! Bytes per second.

use super::Seen;
use super::sample::Sample;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where bytes are counted: by a router, for a link or for all of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) router: String,
    pub(super) link: Option<String>,
    /// Such as `fabric.tx.bytesrate`.
    pub(super) metric: String,
}

/// What was counted up to a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Meter {
    pub(super) bytes: f64,
    /// Bytes per second, mean of the last minute.
    pub(super) mean: f64,
}

/// All meters of a look.
#[derive(Debug, Clone, Default)]
pub(super) struct Meters(BTreeMap<Place, Meter>);

/// A metric as inspections show it, which may be another one.
#[derive(Debug, Deserialize)]
struct ToldMetric {
    metric: String,
    source_id: String,
    #[serde(default)]
    source_entity_id: Option<String>,
    #[serde(default)]
    metrics: BTreeMap<String, f64>,
}

impl Meters {
    /// Takes the meters of bytes out of the metrics that a router tells. What cannot be read is left out.
    pub(super) fn read(&mut self, metrics: &serde_yaml::Value) {
        for metric in metrics.as_sequence().into_iter().flatten() {
            let Ok(told) = serde_yaml::from_value::<ToldMetric>(metric.clone()) else {
                continue;
            };
            let value = |name: &str| told.metrics.get(name).copied();
            let (Some(bytes), Some(mean)) = (value("count"), value("m1_rate")) else {
                continue;
            };
            if told.metric.ends_with(".bytesrate") {
                let place = Place {
                    router: told.source_id,
                    link: told.source_entity_id,
                    metric: told.metric,
                };
                self.0.insert(place, Meter { bytes, mean });
            }
        }
    }
}

/// Bytes per second at each place.
#[derive(Debug, Default)]
pub(super) struct Rates(BTreeMap<Place, f64>);

impl Rates {
    /// Since the last look or, where there was none, of the last minute.
    pub(super) fn of(sample: &Sample, last: Option<&Sample>) -> Self {
        let rates = sample.meters.0.iter().map(|(place, meter)| {
            let since = last.and_then(|last| {
                let before = last.meters.0.get(place)?;
                rate_between((*before, last.seen), (*meter, sample.seen))
            });
            (place.clone(), since.unwrap_or(meter.mean))
        });
        Self(rates.collect())
    }

    /// Of a whole router; `None` if it tells none of these metrics.
    pub(super) fn of_router(&self, router: &str, metrics: &[&str]) -> Option<f64> {
        let rates = metrics.iter().filter_map(|metric| {
            self.at(&Place {
                router: router.to_owned(),
                link: None,
                metric: (*metric).to_owned(),
            })
        });
        rates.reduce(|one, other| one + other)
    }

    /// Of a link, as one of its routers counts it.
    pub(super) fn of_link(&self, router: &str, link: &str, metric: &str) -> Option<f64> {
        self.at(&Place {
            router: router.to_owned(),
            link: Some(link.to_owned()),
            metric: metric.to_owned(),
        })
    }

    fn at(&self, place: &Place) -> Option<f64> {
        self.0.get(place).copied()
    }
}

/// `None` if a router has begun to count anew, or no time has passed.
fn rate_between(before: (Meter, Seen), now: (Meter, Seen)) -> Option<f64> {
    let bytes = now.0.bytes - before.0.bytes;
    let seconds = now.1.checked_duration_since(before.1)?.as_secs_f64();
    (bytes >= 0.0 && seconds > 0.0).then(|| bytes / seconds)
}

/// Bytes per second for people, with three digits at most.
pub(super) fn human(rate: f64) -> String {
    const UNITS: [&str; 5] = ["", "k", "M", "G", "T"];
    let mut rate = rate.max(0.0);
    let mut units = UNITS.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for next in units {
        if rate < 999.5 {
            break;
        }
        rate /= 1000.0;
        unit = next;
    }
    if rate < 9.95 && !unit.is_empty() {
        format!("{rate:.1}{unit}")
    } else {
        format!("{rate:.0}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn numbers_have_three_digits() {
        for (rate, text) in [
            (0.0, "0"),
            (0.4, "0"),
            (999.4, "999"),
            (999.6, "1.0k"),
            (1234.0, "1.2k"),
            (9_960.0, "10k"),
            (123_456.0, "123k"),
            (999_600.0, "1.0M"),
            (7.2e15, "7200T"),
            (-1.0, "0"),
        ] {
            assert_eq!(human(rate), text, "{rate}");
        }
    }

    #[test]
    fn rates_are_those_since_the_last_look() {
        let meter = |bytes| Meter { bytes, mean: 7.0 };
        let begin = Instant::now();
        let later = begin + Duration::from_secs(2);
        let rate =
            |before: f64, now: f64| rate_between((meter(before), begin), (meter(now), later));
        assert_eq!(rate(100.0, 300.0), Some(100.0));
        assert_eq!(rate(100.0, 100.0), Some(0.0));
        assert_eq!(rate(100.0, 50.0), None);
        assert_eq!(rate_between((meter(1.0), begin), (meter(2.0), begin)), None);
    }

    #[test]
    fn meters_are_taken_out_of_metrics() {
        let told = r#"[
            {"metric":"link.tx.bytesrate","source_id":"r1","source_entity_id":"l1","metric_type":"meter",
             "metrics":{"count":500,"m1_rate":2.5,"mean_rate":1},"tags":{"x":"y"}},
            {"metric":"ingress.rx.bytesrate","source_id":"r1","metrics":{"count":10,"m1_rate":1}},
            {"metric":"egress.rx.bytesrate","source_id":"r1","metrics":{"count":10,"m1_rate":2}},
            {"metric":"ingress.rx.msgrate","source_id":"r1","metrics":{"count":10,"m1_rate":1}},
            {"metric":"edge.connections","source_id":"r1","metrics":{"value":1}},
            {"metric":"odd.bytesrate","source_id":"r1","metrics":{"count":"many"}}, 3]"#;
        let mut meters = Meters::default();
        meters.read(&serde_json::from_str(told).unwrap());
        meters.read(&serde_yaml::Value::Null);
        assert_eq!(meters.0.len(), 3);
        let rates = Rates(
            meters
                .0
                .iter()
                .map(|(place, meter)| (place.clone(), meter.mean))
                .collect(),
        );
        assert_eq!(rates.of_link("r1", "l1", "link.tx.bytesrate"), Some(2.5));
        let edge = ["ingress.rx.bytesrate", "egress.rx.bytesrate"];
        assert_eq!(rates.of_router("r1", &edge), Some(3.0));
        assert_eq!(rates.of_router("r2", &edge), None);
    }
}
