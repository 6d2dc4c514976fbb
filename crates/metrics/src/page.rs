//! Metrics by their families, and a page of them in a text format of Prometheus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portcullis_domain::clock::Timestamp;

use crate::bucket_histogram::Buckets;
use crate::histogram::{QUANTILES, Unit};
use crate::labels::Labels;

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exposition {
    /// That of Prometheus, version 0.0.4.
    Prometheus,
    /// `OpenMetrics` 1.0, for scrapers that ask for it.
    OpenMetrics,
}

/// What a point says.
#[derive(Clone, Debug, PartialEq)]
pub enum PointValue {
    Gauge(f64),
    /// A whole number, which may be larger than those that a [`Gauge`](Self::Gauge) tells exactly.
    Integer(i64),
    /// A gauge of a size.
    Bytes(u64),
    Counter(u64),
    Summary {
        /// That of `total` and `quantiles`; `None` for numbers that are shown as they are.
        unit: Option<Unit>,
        count: u64,
        /// The sum of all values, if it is known.
        total: Option<f64>,
        /// By [`QUANTILES`].
        quantiles: [f64; QUANTILES.len()],
    },
    /// Times.
    Buckets(Buckets),
}

/// One metric of a family: the samples that differ in `le` or `quantile` alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub labels: Labels,
    pub value: PointValue,
    /// When it was measured, if that is to be shown.
    pub time: Option<Timestamp>,
}

/// Metrics by their families, each of which is described once.
///
/// Of two points that would have the same samples, the first counts; so does the first of two families that
/// have the same name and are of different kinds.
#[derive(Clone, Debug)]
pub struct Page {
    format: Exposition,
    families: BTreeMap<String, Family>,
    /// Names of samples, and those of families, which must not be mistaken for each other.
    names: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Family {
    /// As OpenTelemetry writes it.
    original_name: String,
    kind: Kind,
    help: String,
    points: BTreeMap<Labels, Measured>,
}

/// A point without its labels.
#[derive(Clone, Debug)]
struct Measured {
    value: PointValue,
    time: Option<Timestamp>,
}

/// Points of one name and one kind, for formats other than a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFamily {
    /// As OpenTelemetry writes it, such as `http.server.request.duration`: without a unit.
    pub name: String,
    pub help: String,
    /// In the order of their labels.
    pub points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gauge(Option<Unit>),
    Counter,
    Summary(Option<Unit>),
    /// Of times.
    Histogram,
}

impl Exposition {
    /// The format that a request asks for by its header `Accept`.
    pub fn from_accept(accept: &str) -> Self {
        let mut ranges = accept.split(',');
        let is_wanted = ranges.any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let is_named = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("application/openmetrics-text"));
            is_named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        });
        if is_wanted {
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

impl Page {
    pub const fn new(format: Exposition) -> Self {
        Self {
            format,
            families: BTreeMap::new(),
            names: BTreeSet::new(),
        }
    }

    /// Adds a point of the family `name`, which gets the unit and the endings that its kind demands; whether
    /// there was a place for it. What Prometheus does not allow in names becomes `_`.
    pub fn add(&mut self, name: &str, help: &str, point: &Point) -> bool {
        let kind = Kind::of(&point.value);
        let original_name = name;
        let name = kind.family_name(name);
        if !self.families.contains_key(&name) {
            let claimed = kind.claimed_names(&name);
            if claimed.iter().any(|one| self.names.contains(one)) {
                return false;
            }
            self.names.extend(claimed);
        }
        let family = self.families.entry(name).or_insert_with(|| Family {
            original_name: original_name.to_owned(),
            kind,
            help: one_line(help),
            points: BTreeMap::new(),
        });
        if family.kind != kind || family.points.contains_key(&point.labels) {
            return false;
        }
        let measured = Measured {
            value: point.value.clone(),
            time: point.time,
        };
        family.points.insert(point.labels.clone(), measured);
        true
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        let families = self.families.values();
        families.map(|family| family.points.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// The text.
    pub fn finish(self) -> String {
        let mut text = String::new();
        for (name, family) in &self.families {
            family.describe(name, self.format, &mut text);
            for (labels, measured) in &family.points {
                measured.write_samples(name, labels, self.format, &mut text);
            }
        }
        if self.format == Exposition::OpenMetrics {
            text.push_str("# EOF\n");
        }
        text
    }

    /// The families themselves.
    pub fn into_families(self) -> impl Iterator<Item = PointFamily> {
        self.families.into_values().map(|family| PointFamily {
            name: family.original_name,
            help: family.help,
            points: family
                .points
                .into_iter()
                .map(|(labels, Measured { value, time })| Point {
                    labels,
                    value,
                    time,
                })
                .collect(),
        })
    }
}

impl Family {
    fn describe(&self, name: &str, format: Exposition, text: &mut String) {
        let suffix = match (self.kind, format) {
            (Kind::Counter, Exposition::Prometheus) => "_total",
            _ => "",
        };
        // Writing into a text cannot fail.
        let _ = writeln!(text, "# TYPE {name}{suffix} {}", self.kind.name());
        if let (Some(unit), Exposition::OpenMetrics) = (self.kind.unit(), format) {
            let _ = writeln!(text, "# UNIT {name} {}", unit.name());
        }
        let _ = writeln!(text, "# HELP {name}{suffix} {}", self.help);
    }
}

impl Kind {
    const fn of(value: &PointValue) -> Self {
        match value {
            PointValue::Gauge(_) | PointValue::Integer(_) => Self::Gauge(None),
            PointValue::Bytes(_) => Self::Gauge(Some(Unit::Bytes)),
            PointValue::Counter(_) => Self::Counter,
            PointValue::Summary { unit, .. } => Self::Summary(*unit),
            PointValue::Buckets(_) => Self::Histogram,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gauge(_) => "gauge",
            Self::Counter => "counter",
            Self::Summary(_) => "summary",
            Self::Histogram => "histogram",
        }
    }

    const fn unit(self) -> Option<Unit> {
        match self {
            Self::Counter => None,
            Self::Gauge(unit) | Self::Summary(unit) => unit,
            Self::Histogram => Some(Unit::Nanoseconds),
        }
    }

    fn family_name(self, name: &str) -> String {
        let letters = name.chars().map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        });
        let mut name: String = letters.collect();
        match self.unit() {
            Some(unit) => {
                name.push('_');
                name.push_str(unit.name());
            },
            // Names that end so are those of samples of counters and summaries.
            None => {
                if let Some(shorter) = name.strip_suffix("_total") {
                    name.truncate(shorter.len());
                } else if name.ends_with("_count") {
                    name.truncate(name.len() - "ount".len());
                }
            },
        }
        name
    }

    /// Names that no other family may have.
    fn claimed_names(self, name: &str) -> Vec<String> {
        let suffixes: &[&str] = match self {
            Self::Gauge(_) => &[""],
            Self::Counter => &["", "_total", "_created"],
            Self::Summary(_) => &["", "_count", "_sum", "_created"],
            Self::Histogram => &["", "_count", "_sum", "_bucket", "_created"],
        };
        let suffixes = suffixes.iter();
        suffixes.map(|suffix| format!("{name}{suffix}")).collect()
    }
}

impl Measured {
    /// Writes the lines of a point.
    fn write_samples(&self, name: &str, labels: &Labels, format: Exposition, text: &mut String) {
        let time = self.time.map(Timestamp::as_millisecond);
        let time = match (time, format) {
            (None, _) => String::new(),
            (Some(millis), Exposition::Prometheus) => format!(" {millis}"),
            (Some(millis), Exposition::OpenMetrics) => {
                let (seconds, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
                format!(" {seconds}.{millis:03}")
            },
        };
        let mut sample = |suffix: &str, further: Option<(&str, &str)>, value: &str| {
            let labels = labels.written(further);
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{name}{suffix}{labels} {value}{time}");
        };
        match &self.value {
            PointValue::Gauge(value) => sample("", None, &number(*value)),
            PointValue::Integer(value) => sample("", None, &value.to_string()),
            PointValue::Bytes(bytes) => sample("", None, &bytes.to_string()),
            PointValue::Counter(count) => sample("_total", None, &count.to_string()),
            PointValue::Summary {
                unit,
                count,
                total,
                quantiles,
            } => {
                let shown = |value: f64| number(unit.map_or(value, |unit| unit.in_base(value)));
                if *count > 0 {
                    for (quantile, value) in QUANTILES.into_iter().zip(*quantiles) {
                        let quantile = quantile.to_string();
                        sample("", Some(("quantile", &quantile)), &shown(value));
                    }
                }
                if let Some(total) = total {
                    sample("_sum", None, &shown(*total));
                }
                sample("_count", None, &count.to_string());
            },
            PointValue::Buckets(buckets) => {
                for (bound, count) in &buckets.cumulative {
                    let bound = if bound.is_finite() {
                        format!("{bound:?}")
                    } else {
                        number(*bound)
                    };
                    sample("_bucket", Some(("le", &bound)), &count.to_string());
                }
                sample("_sum", None, &number(buckets.total));
                sample("_count", None, &buckets.count().to_string());
            },
        }
    }
}

fn number(value: f64) -> String {
    if value.is_infinite() {
        let sign = if value > 0.0 { "+" } else { "-" };
        format!("{sign}Inf")
    } else {
        value.to_string()
    }
}

/// The same in one line, without what would have to be escaped.
fn one_line(help: &str) -> String {
    let plain = |letter: char| {
        if letter.is_control() || matches!(letter, '\\' | '"') {
            '_'
        } else {
            letter
        }
    };
    help.chars().map(plain).collect()
}

impl Unit {
    /// The unit in which Prometheus and OpenTelemetry want values.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "seconds",
            Self::Bytes => "bytes",
        }
    }

    /// A value in the unit that Prometheus and OpenTelemetry want: seconds, or bytes.
    pub fn in_base(self, value: f64) -> f64 {
        match self {
            Self::Nanoseconds => value / 1e9,
            Self::Bytes => value,
        }
    }
}

impl PointValue {
    /// A gauge of a number of something.
    pub fn number_of(count: impl TryInto<i64>) -> Self {
        Self::Integer(count.try_into().unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests;
