//! Metrics as Prometheus reads them.

use std::fmt::{self, Write as _};

use crate::float::from_count;
use crate::histogram::{Distribution, QUANTILES, Unit};
use crate::name::MetricName;
use crate::snapshot::{MetricValue, Snapshot};

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposition {
    /// That of Prometheus, version 0.0.4.
    Prometheus,
    /// `OpenMetrics` 1.0, for scrapers that ask for it.
    OpenMetrics,
}

impl Exposition {
    /// The format that a request asks for by its header `Accept`.
    pub fn from_accept(accept: &str) -> Self {
        if accept.contains("application/openmetrics-text") {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Writes all metrics of a router. Names begin with `ziti_`, as those that a controller of OpenZiti exposes;
/// the labels are `source_id`, the router, and `source_entity_id`, what the metric is about.
///
/// | Metric | Family |
/// |---|---|
/// | gauge | gauge |
/// | meter | counter `…_total`; Prometheus computes rates itself |
/// | histogram, timer | summary, of times in seconds (`…_seconds`), of sizes in bytes (`…_bytes`) |
pub fn expose(snapshot: &Snapshot, router: &str, format: Exposition) -> String {
    let mut text = String::new();
    let mut current = None;
    for (name, value) in snapshot.iter() {
        let family = Family::of(name, value);
        let labels = Labels {
            router,
            entity: name.entity(),
        };
        // Writing into a text cannot fail.
        if current.as_ref() != Some(&family) {
            let _ = family.describe(&mut text, &name.family(), format);
            current = Some(family.clone());
        }
        let _ = family.sample(&mut text, &labels, value);
    }
    if format == Exposition::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

/// Metrics that differ in their labels only.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Family {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gauge,
    Counter,
    Summary(Unit),
}

impl Family {
    fn of(name: &MetricName, value: &MetricValue) -> Self {
        let kind = match value {
            MetricValue::Gauge(_) => Kind::Gauge,
            MetricValue::Meter { .. } => Kind::Counter,
            MetricValue::Histogram { unit, .. } => Kind::Summary(*unit),
            MetricValue::Timer { .. } => Kind::Summary(Unit::Nanoseconds),
        };
        let family = name.family();
        let base = match kind {
            // What is counted, where the name speaks of the rate.
            Kind::Counter => family
                .strip_suffix("bytesrate")
                .map(|before| format!("{before}bytes"))
                .or_else(|| Some(format!("{}msgs", family.strip_suffix("msgrate")?)))
                .unwrap_or(family),
            Kind::Gauge | Kind::Summary(_) => family,
        };
        let base = base.chars().map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        });
        let mut name = String::from("ziti_");
        name.extend(base);
        name.push_str(kind.unit_suffix());
        Self { name, kind }
    }

    fn describe(&self, text: &mut String, original: &str, format: Exposition) -> fmt::Result {
        let Self { name, kind } = self;
        let suffix = match (kind, format) {
            (Kind::Counter, Exposition::Prometheus) => "_total",
            _ => "",
        };
        let kind = match kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
            Kind::Summary(_) => "summary",
        };
        writeln!(text, "# TYPE {name}{suffix} {kind}")?;
        if let (Kind::Summary(unit), Exposition::OpenMetrics) = (self.kind, format) {
            writeln!(text, "# UNIT {name} {}", unit.name())?;
        }
        writeln!(text, "# HELP {name}{suffix} {original}")
    }

    fn sample(&self, text: &mut String, labels: &Labels<'_>, value: &MetricValue) -> fmt::Result {
        let name = &self.name;
        match value {
            MetricValue::Gauge(value) => writeln!(text, "{name}{{{labels}}} {value}"),
            MetricValue::Meter { count, .. } => {
                writeln!(text, "{name}_total{{{labels}}} {count}")
            },
            MetricValue::Histogram { unit, distribution } => {
                summary(text, name, labels, *unit, distribution)
            },
            MetricValue::Timer { distribution, .. } => {
                summary(text, name, labels, Unit::Nanoseconds, distribution)
            },
        }
    }
}

fn summary(
    text: &mut String,
    name: &str,
    labels: &Labels<'_>,
    unit: Unit,
    distribution: &Distribution,
) -> fmt::Result {
    if distribution.count > 0 {
        for (quantile, value) in QUANTILES.into_iter().zip(distribution.quantiles) {
            let value = unit.in_base(value);
            writeln!(text, "{name}{{{labels},quantile=\"{quantile}\"}} {value}")?;
        }
    }
    let total = unit.in_base(from_count(distribution.total));
    writeln!(text, "{name}_sum{{{labels}}} {total}")?;
    writeln!(text, "{name}_count{{{labels}}} {}", distribution.count)
}

impl Kind {
    const fn unit_suffix(self) -> &'static str {
        match self {
            Self::Gauge | Self::Counter => "",
            Self::Summary(Unit::Nanoseconds) => "_seconds",
            Self::Summary(Unit::Bytes) => "_bytes",
        }
    }
}

impl Unit {
    /// The unit in which Prometheus wants values.
    const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "seconds",
            Self::Bytes => "bytes",
        }
    }

    fn in_base(self, value: f64) -> f64 {
        match self {
            Self::Nanoseconds => value / 1e9,
            Self::Bytes => value,
        }
    }
}

struct Labels<'a> {
    router: &'a str,
    entity: Option<&'a str>,
}

impl fmt::Display for Labels<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "source_id=\"{}\"", Escaped(self.router))?;
        if let Some(entity) = self.entity {
            write!(formatter, ",source_entity_id=\"{}\"", Escaped(entity))?;
        }
        Ok(())
    }
}

/// The value of a label.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '\\' => formatter.write_str("\\\\")?,
                '"' => formatter.write_str("\\\"")?,
                '\n' => formatter.write_str("\\n")?,
                other => formatter.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;
    use crate::{MetricRegistry, TICK};

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
            "ziti_link_latency_seconds{source_id=\"r\",source_entity_id=\"l2\",quantile=\"0.5\"} 0.000000015",
            "ziti_link_latency_seconds_count{source_id=\"r\",source_entity_id=\"l1\"} 1",
            "ziti_link_dropped_msgs_total{source_id=\"r\",source_entity_id=\"a\\\"b\\\\\\n\"} 1",
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
