//! Metrics as inspections show them.

use portcullis_domain::clock::Timestamp;
use serde_json::{Map, Value as Json, json};

use crate::histogram::Distribution;
use crate::meter::Rates;
use crate::snapshot::{MetricValue, Snapshot};

impl Snapshot {
    /// The message for controllers as JSON, without what is zero, and without the usage of circuits.
    pub fn to_json(&self, router: &str, now: Timestamp) -> Json {
        let mut groups = Map::new();
        groups.insert("sourceId".to_owned(), router.into());
        groups.insert(
            "timestamp".to_owned(),
            json!({"seconds": now.as_second(), "nanos": now.subsec_nanosecond()}),
        );
        for (name, value) in self.iter() {
            let (group, value) = shown(value);
            let group = groups
                .entry(group)
                .or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(group) = group {
                group.insert(name.to_string(), value);
            }
        }
        Json::Object(groups)
    }
}

/// The group of a metric, and what is shown there.
fn shown(value: &MetricValue) -> (&'static str, Json) {
    match value {
        MetricValue::Gauge(value) => ("intValues", (*value).into()),
        MetricValue::Meter { count, rates } => {
            let mut members = of_rates(rates);
            members.push(("count", (*count).into()));
            ("meters", without_zeros(members))
        },
        MetricValue::Histogram { distribution, .. } => {
            ("histograms", without_zeros(of_distribution(distribution)))
        },
        MetricValue::Timer {
            distribution,
            rates,
        } => {
            let mut members = of_distribution(distribution);
            members.append(&mut of_rates(rates));
            ("timers", without_zeros(members))
        },
    }
}

fn of_rates(rates: &Rates) -> Vec<(&'static str, Json)> {
    vec![
        ("m1Rate", rates.one_minute.into()),
        ("m5Rate", rates.five_minutes.into()),
        ("m15Rate", rates.fifteen_minutes.into()),
        ("meanRate", rates.mean.into()),
    ]
}

fn of_distribution(distribution: &Distribution) -> Vec<(&'static str, Json)> {
    let names = ["p50", "p75", "p95", "p99", "p999", "p9999"];
    let quantiles = names.into_iter().zip(distribution.quantiles);
    let mut members = vec![
        ("count", distribution.count.into()),
        ("max", distribution.max.into()),
        ("mean", distribution.mean.into()),
        ("min", distribution.min.into()),
        ("stdDev", distribution.standard_deviation.into()),
        ("variance", distribution.variance().into()),
    ];
    members.extend(quantiles.map(|(name, value)| (name, value.into())));
    members
}

fn without_zeros(members: Vec<(&'static str, Json)>) -> Json {
    let is_zero = |value: &Json| {
        value
            .as_f64()
            .is_some_and(|number| number.abs() < f64::MIN_POSITIVE)
    };
    let members = members.into_iter().filter(|(_, value)| !is_zero(value));
    Json::Object(
        members
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MetricName, MetricRegistry, TICK, Unit};

    #[test]
    fn names_are_those_of_the_messages() {
        let registry = MetricRegistry::default();
        let meter = registry.meter(MetricName::plain("faults.link"));
        let gauge = registry.gauge(MetricName::plain("edge.connections"));
        let latency = MetricName::of_link("l".into(), "latency");
        let _latency = registry.histogram(latency, Unit::Nanoseconds);
        meter.mark(5);
        gauge.set(2);
        registry.tick(TICK);
        let now = Timestamp::from_second(12).unwrap();
        assert_eq!(
            registry.snapshot().to_json("r", now),
            json!({
                "sourceId": "r",
                "timestamp": {"seconds": 12, "nanos": 0},
                "intValues": {"edge.connections": 2},
                "meters": {"faults.link": {
                    "count": 5, "m1Rate": 1.0, "m5Rate": 1.0, "m15Rate": 1.0, "meanRate": 1.0,
                }},
                "histograms": {"link.l.latency": {}},
            })
        );
    }
}
