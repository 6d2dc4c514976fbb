//! Metrics as controllers are told of them.

use portcullis_domain::clock::Timestamp;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::control::metrics::{Histogram, Meter, Metrics, Timer, UsageCounter};

use crate::histogram::Distribution;
use crate::snapshot::{MetricValue, Snapshot};

impl Snapshot {
    /// The message for controllers. `event_id` is a UUID, `router` the id of the router.
    pub fn into_message(
        self,
        event_id: String,
        router: String,
        now: Timestamp,
        usage: Vec<UsageCounter>,
    ) -> Metrics {
        let mut message = Metrics {
            event_id,
            source_id: router,
            time: Some(WireTimestamp {
                seconds: now.as_second(),
                nanos: now.subsec_nanosecond(),
            }),
            usage_counters: usage,
            ..Metrics::default()
        };
        for (name, value) in self.iter() {
            let name = name.to_string();
            match value {
                MetricValue::Gauge(value) => {
                    message.integers.insert(name, *value);
                },
                MetricValue::Meter { count, rates } => {
                    let meter = Meter {
                        count: signed(*count),
                        rate_1_minute: rates.one_minute,
                        rate_5_minutes: rates.five_minutes,
                        rate_15_minutes: rates.fifteen_minutes,
                        mean_rate: rates.mean,
                    };
                    message.meters.insert(name, meter);
                },
                MetricValue::Histogram { distribution, .. } => {
                    message.histograms.insert(name, distribution.into());
                },
                MetricValue::Timer {
                    distribution,
                    rates,
                } => {
                    let of_times = Histogram::from(distribution);
                    let timer = Timer {
                        count: of_times.count,
                        max: of_times.max,
                        mean: of_times.mean,
                        min: of_times.min,
                        standard_deviation: of_times.standard_deviation,
                        variance: of_times.variance,
                        p50: of_times.p50,
                        p75: of_times.p75,
                        p95: of_times.p95,
                        p99: of_times.p99,
                        p999: of_times.p999,
                        p9999: of_times.p9999,
                        rate_1_minute: rates.one_minute,
                        rate_5_minutes: rates.five_minutes,
                        rate_15_minutes: rates.fifteen_minutes,
                        mean_rate: rates.mean,
                    };
                    message.timers.insert(name, timer);
                },
            }
        }
        message
    }
}

impl From<&Distribution> for Histogram {
    fn from(distribution: &Distribution) -> Self {
        let [p50, p75, p95, p99, p999, p9999] = distribution.quantiles;
        Self {
            count: signed(distribution.count),
            max: signed(distribution.max),
            mean: distribution.mean,
            min: signed(distribution.min),
            standard_deviation: distribution.standard_deviation,
            variance: distribution.variance(),
            p50,
            p75,
            p95,
            p99,
            p999,
            p9999,
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{MetricName, MetricRegistry, TICK, Unit};

    #[test]
    fn each_kind_is_in_its_map() {
        let registry = MetricRegistry::default();
        let gauge = registry.gauge(MetricName::plain("edge.connections"));
        let meter = registry.meter(MetricName::plain("faults.link"));
        let latency = MetricName::of_link("l".into(), "latency");
        let latency = registry.histogram(latency, Unit::Nanoseconds);
        let timer = registry.timer(MetricName::plain("xgress.tx_write_time"));
        gauge.set(3);
        meter.mark(10);
        latency.record_time(Duration::from_micros(5));
        timer.record(Duration::from_micros(7));
        registry.tick(TICK);
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        let snapshot = registry.snapshot();
        let message = snapshot.into_message("uuid".to_owned(), "r".to_owned(), now, Vec::new());
        assert_eq!(message.time.unwrap().seconds, 1_700_000_000);
        assert_eq!(message.integers["edge.connections"], 3);
        let meter = &message.meters["faults.link"];
        assert_eq!((meter.count, meter.rate_1_minute), (10, 2.0));
        let latency = &message.histograms["link.l.latency"];
        assert_eq!(latency.count, 1);
        assert!((latency.mean - 5000.0).abs() < 1.0, "{latency:?}");
        assert!(latency.min <= 5000 && 5000 <= latency.max);
        let timer = &message.timers["xgress.tx_write_time"];
        assert_eq!((timer.count, timer.mean_rate), (1, 0.2));
        assert!(!message.is_copy);
    }
}
