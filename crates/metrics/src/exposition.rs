//! Metrics as Prometheus reads them.

use portcullis_domain::clock::Timestamp;

use crate::float::from_count;
use crate::histogram::Unit;
use crate::labels::Labels;
use crate::page::{Exposition, Page, Point, PointValue};
use crate::snapshot::{MetricValue, Snapshot};

/// Writes all metrics of a router. Names begin with `ziti_`, as those that a controller of OpenZiti exposes;
/// the labels are `source_id`, the router, and `source_entity_id`, what the metric is about.
///
/// | Metric | Family |
/// |---|---|
/// | gauge | gauge; a last `_count` becomes `_c` |
/// | meter | counter `…_total`; Prometheus computes rates itself |
/// | histogram, timer | summary, of times in seconds (`…_seconds`), of sizes in bytes (`…_bytes`) |
pub fn expose(snapshot: &Snapshot, router: &str, format: Exposition) -> String {
    let mut page = Page::new(format);
    page.add_snapshot(router, None, snapshot);
    page.finish()
}

/// A metric of a router or a controller, as it is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported<'a> {
    /// Without the id of what it is about, as in `link.latency`.
    pub name: &'a str,
    pub point: Point,
}

impl Page {
    /// Adds all metrics that a router or controller has measured, perhaps with the time.
    pub fn add_snapshot(&mut self, source: &str, time: Option<Timestamp>, snapshot: &Snapshot) {
        for (name, value) in snapshot.iter() {
            let labels = Labels::default()
                .with("source_id", source)
                .with("source_entity_id", name.entity().unwrap_or_default());
            self.add_reported(&Reported {
                name: &name.family(),
                point: Point {
                    labels,
                    value: value.into(),
                    time,
                },
            });
        }
    }

    /// Adds a metric under the name that OpenZiti has for it; whether there was a place for it.
    pub fn add_reported(&mut self, metric: &Reported<'_>) -> bool {
        let original = metric.name;
        let name = match metric.point.value {
            // What is counted, where the name speaks of the rate.
            PointValue::Counter(_) => original
                .strip_suffix("bytesrate")
                .map(|before| format!("{before}bytes"))
                .or_else(|| Some(format!("{}msgs", original.strip_suffix("msgrate")?)))
                .unwrap_or_else(|| original.to_owned()),
            _ => original.to_owned(),
        };
        self.add(&format!("ziti.{name}"), original, &metric.point)
    }
}

impl From<&MetricValue> for PointValue {
    fn from(value: &MetricValue) -> Self {
        let (unit, distribution) = match value {
            MetricValue::Gauge(value) => return Self::Integer(*value),
            MetricValue::Meter { count, .. } => return Self::Counter(*count),
            MetricValue::Histogram { unit, distribution } => (*unit, distribution),
            MetricValue::Timer { distribution, .. } => (Unit::Nanoseconds, distribution),
        };
        Self::Summary {
            unit: Some(unit),
            count: distribution.count,
            total: Some(from_count(distribution.total)),
            quantiles: distribution.quantiles,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;
    use crate::{MetricName, MetricRegistry, TICK};

    fn sample() -> String {
        let registry = MetricRegistry::default();
        let gauge = registry.gauge(MetricName::plain("edge.connections"));
        let bytes = registry.meter(MetricName::plain("fabric.tx.bytesrate"));
        let blocked = registry.meter(MetricName::plain("xgress.blocked_by_local_window_rate"));
        let waits = registry.gauge(MetricName::plain("xgress.blocked_by_local_window"));
        let dropped = registry.meter(MetricName::of("link.dropped_msgs", "a\"b\\\n".into()));
        let sizes = registry.histogram(MetricName::plain("fabric.tx.msgsize"), Unit::Bytes);
        let latencies = ["l1", "l2"].map(|link| {
            let name = MetricName::of_link(link.into(), "latency");
            registry.histogram(name, Unit::Nanoseconds)
        });
        gauge.set(-1);
        bytes.mark(1500);
        blocked.mark(2);
        waits.set(1);
        dropped.mark(1);
        sizes.record(8);
        for latency in &latencies {
            latency.record_time(Duration::from_nanos(15));
        }
        registry.tick(TICK);
        expose(&registry.snapshot(), "r", Exposition::OpenMetrics)
    }

    #[test]
    fn format_is_that_of_openmetrics() {
        let text = sample();
        let mut seen = BTreeSet::new();
        let mut current = None;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (family, kind) = rest.split_once(' ').unwrap();
                assert!(seen.insert(family), "{family} comes twice");
                current = Some((family, kind));
            } else if line.starts_with("# ") {
                let named = line.split(' ').nth(2);
                let is_of_family = named == current.map(|(family, _)| family);
                assert!(is_of_family || line == "# EOF", "{line}");
            } else {
                let (family, kind) = current.unwrap();
                let (name, rest) = line.split_once('{').unwrap();
                let (_, value) = rest.rsplit_once("} ").unwrap();
                assert!(value.parse::<f64>().is_ok(), "{line}");
                let suffix = name.strip_prefix(family).unwrap();
                let allowed: &[&str] = match kind {
                    "gauge" => &[""],
                    "counter" => &["_total"],
                    "summary" => &["", "_sum", "_count"],
                    _ => panic!("{kind}"),
                };
                assert!(allowed.contains(&suffix), "{line}");
            }
        }
        assert!(text.ends_with("\n# EOF\n"));
    }

    #[test]
    fn families_have_units_and_labels() {
        let text = sample();
        for line in [
            "ziti_edge_connections{source_id=\"r\"} -1",
            "# TYPE ziti_fabric_tx_bytes counter",
            "# HELP ziti_fabric_tx_bytes fabric.tx.bytesrate",
            "ziti_fabric_tx_bytes_total{source_id=\"r\"} 1500",
            "ziti_fabric_tx_msgsize_bytes{source_id=\"r\",quantile=\"0.9999\"} 8",
            "ziti_fabric_tx_msgsize_bytes_sum{source_id=\"r\"} 8",
            "# UNIT ziti_link_latency_seconds seconds",
            "ziti_link_latency_seconds{source_entity_id=\"l2\",source_id=\"r\",quantile=\"0.5\"} 0.000000015",
            "ziti_link_latency_seconds_count{source_entity_id=\"l1\",source_id=\"r\"} 1",
            "ziti_link_dropped_msgs_total{source_entity_id=\"a\\\"b\\\\\\n\",source_id=\"r\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn older_format_differs_in_the_names_of_counters() {
        let registry = MetricRegistry::default();
        let _meter = registry.meter(MetricName::plain("faults.link"));
        assert_eq!(
            expose(&registry.snapshot(), "r", Exposition::Prometheus),
            "# TYPE ziti_faults_link_total counter\n\
             # HELP ziti_faults_link_total faults.link\n\
             ziti_faults_link_total{source_id=\"r\"} 0\n"
        );
        let accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
        assert_eq!(Exposition::from_accept(accept), Exposition::OpenMetrics);
        assert_eq!(Exposition::from_accept("*/*"), Exposition::Prometheus);
    }
}
