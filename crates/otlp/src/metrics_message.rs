//! Families of metrics as messages.

use crate::attributes::{Service, text, unix_nanos};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::summary_data_point::ValueAtQuantile;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, Summary, SummaryDataPoint,
};
use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{Buckets, Point, PointFamily, PointValue, QUANTILES, Unit};

/// Most points of one message: collectors refuse those that are too large.
const MAX_POINTS: usize = 8192;

/// Label of who has measured a point, if it is not the service itself.
const SOURCE: &str = "source_id";

const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

/// When things were measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// From when on the service has counted.
    pub(crate) start: Timestamp,
    /// For points that do not say it themselves.
    pub(crate) now: Timestamp,
}

/// Makes messages of families, each with a bounded number of points.
pub(crate) fn messages(
    service: &Service,
    families: &[PointFamily],
    period: Period,
) -> Vec<ExportMetricsServiceRequest> {
    let mut messages = Vec::new();
    let (mut metrics, mut points) = (Vec::new(), 0);
    for family in families {
        for chunk in family.points.chunks(MAX_POINTS) {
            if points + chunk.len() > MAX_POINTS {
                messages.push(message(service, std::mem::take(&mut metrics)));
                points = 0;
            }
            points += chunk.len();
            metrics.extend(metric(service, family, chunk, period));
        }
    }
    if !metrics.is_empty() {
        messages.push(message(service, metrics));
    }
    messages
}

fn message(service: &Service, metrics: Vec<Metric>) -> ExportMetricsServiceRequest {
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(service.resource()),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(service.scope()),
                metrics,
                ..ScopeMetrics::default()
            }],
            ..ResourceMetrics::default()
        }],
    }
}

/// The metric of some points of a family, which are all of one kind.
fn metric(
    service: &Service,
    family: &PointFamily,
    points: &[Point],
    period: Period,
) -> Option<Metric> {
    let stamp = |point: &Point| Stamp::new(service, point, period);
    let (data, unit) = match points.first()?.value {
        ref value @ (PointValue::Gauge(_) | PointValue::Integer(_) | PointValue::Bytes(_)) => {
            let points = points
                .iter()
                .filter_map(|point| number(point, &stamp(point)));
            let data_points = points
                .map(|point| NumberDataPoint {
                    start_time_unix_nano: 0,
                    ..point
                })
                .collect();
            let unit = match value {
                PointValue::Bytes(_) => "By",
                _ => "",
            };
            (Data::Gauge(Gauge { data_points }), unit)
        },
        PointValue::Counter(_) => {
            let points = points
                .iter()
                .filter_map(|point| number(point, &stamp(point)));
            let sum = Sum {
                data_points: points.collect(),
                aggregation_temporality: CUMULATIVE,
                is_monotonic: true,
            };
            (Data::Sum(sum), "")
        },
        PointValue::Summary { unit, .. } => {
            let points = points
                .iter()
                .filter_map(|point| summary(point, &stamp(point)));
            let data_points = points.collect();
            let unit = match unit {
                None => "",
                Some(Unit::Nanoseconds) => "s",
                Some(Unit::Bytes) => "By",
            };
            (Data::Summary(Summary { data_points }), unit)
        },
        PointValue::Buckets(_) => {
            let points = points.iter().filter_map(|point| match &point.value {
                PointValue::Buckets(buckets) => Some(histogram(point, buckets, &stamp(point))),
                _ => None,
            });
            let histogram = Histogram {
                data_points: points.collect(),
                aggregation_temporality: CUMULATIVE,
            };
            (Data::Histogram(histogram), "s")
        },
    };
    Some(Metric {
        name: valid_name(&family.name),
        description: family.help.clone(),
        unit: unit.to_owned(),
        data: Some(data),
        ..Metric::default()
    })
}

/// From when to when a point was measured, in nanoseconds since 1970.
struct Stamp {
    start: u64,
    time: u64,
}

impl Stamp {
    fn new(service: &Service, point: &Point, period: Period) -> Self {
        let mut labels = point.labels.iter();
        let is_of_other =
            labels.any(|(name, value)| name == SOURCE && value != service.instance_id);
        Self {
            // Others do not say since when they count.
            start: if is_of_other {
                0
            } else {
                unix_nanos(period.start)
            },
            time: unix_nanos(point.time.unwrap_or(period.now)),
        }
    }
}

fn number(point: &Point, stamp: &Stamp) -> Option<NumberDataPoint> {
    let value = match point.value {
        PointValue::Gauge(value) => Value::AsDouble(value),
        PointValue::Integer(value) => Value::AsInt(value),
        PointValue::Bytes(count) | PointValue::Counter(count) => {
            Value::AsInt(i64::try_from(count).unwrap_or(i64::MAX))
        },
        PointValue::Summary { .. } | PointValue::Buckets(_) => return None,
    };
    Some(NumberDataPoint {
        attributes: attributes(point),
        start_time_unix_nano: stamp.start,
        time_unix_nano: stamp.time,
        value: Some(value),
        ..NumberDataPoint::default()
    })
}

fn summary(point: &Point, stamp: &Stamp) -> Option<SummaryDataPoint> {
    let PointValue::Summary {
        unit,
        count,
        total,
        quantiles,
    } = point.value
    else {
        return None;
    };
    let in_base = |value: f64| unit.map_or(value, |unit| unit.in_base(value));
    let values = QUANTILES.into_iter().zip(quantiles);
    Some(SummaryDataPoint {
        attributes: attributes(point),
        start_time_unix_nano: stamp.start,
        time_unix_nano: stamp.time,
        count,
        // Zero stands for a sum that is not known.
        sum: in_base(total.unwrap_or_default()),
        quantile_values: values
            .filter(|_| count > 0)
            .map(|(quantile, value)| ValueAtQuantile {
                quantile,
                value: in_base(value),
            })
            .collect(),
        ..SummaryDataPoint::default()
    })
}

fn histogram(point: &Point, buckets: &Buckets, stamp: &Stamp) -> HistogramDataPoint {
    let mut below = 0;
    let counts = buckets.cumulative.iter().map(|(_, cumulative)| {
        let count = cumulative.saturating_sub(below);
        below = *cumulative;
        count
    });
    let bounds = buckets.cumulative.iter().map(|(bound, _)| *bound);
    HistogramDataPoint {
        attributes: attributes(point),
        start_time_unix_nano: stamp.start,
        time_unix_nano: stamp.time,
        count: buckets.count(),
        sum: Some(buckets.total),
        bucket_counts: counts.collect(),
        explicit_bounds: bounds.filter(|bound| bound.is_finite()).collect(),
        ..HistogramDataPoint::default()
    }
}

fn attributes(point: &Point) -> Vec<KeyValue> {
    let labels = point.labels.iter();
    labels.map(|(name, value)| text(name, value)).collect()
}

/// The name with what OpenTelemetry allows in those of instruments.
fn valid_name(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        let is_valid = letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/');
        if is_valid { letter } else { '_' }
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_metrics::{BucketHistogram, Labels};
    use std::time::Duration;

    fn service() -> Service {
        Service {
            name: "portcullis-controller",
            version: "1.2.3",
            instance_id: "c1".to_owned(),
        }
    }

    fn family(name: &str, source: &str, value: PointValue) -> PointFamily {
        let labels = Labels::default()
            .with("http.route", "/a")
            .with(SOURCE, source);
        PointFamily {
            name: name.to_owned(),
            help: "Help.".to_owned(),
            points: vec![Point {
                labels,
                value,
                time: None,
            }],
        }
    }

    fn period() -> Period {
        Period {
            start: Timestamp::from_second(10).unwrap(),
            now: Timestamp::from_second(20).unwrap(),
        }
    }

    fn only(family: PointFamily) -> Metric {
        let mut messages = messages(&service(), &[family], period());
        let mut resource = messages.remove(0).resource_metrics.remove(0);
        resource.scope_metrics.remove(0).metrics.remove(0)
    }

    #[test]
    fn counters_are_monotonic_sums_since_the_start() {
        let metric = only(family("a.b", "c1", PointValue::Counter(7)));
        assert_eq!((&*metric.name, &*metric.description), ("a.b", "Help."));
        let Some(Data::Sum(sum)) = metric.data else {
            panic!()
        };
        assert!(sum.is_monotonic);
        assert_eq!(sum.aggregation_temporality, CUMULATIVE);
        let point = &sum.data_points[0];
        assert_eq!(point.value, Some(Value::AsInt(7)));
        assert_eq!(point.start_time_unix_nano, 10_000_000_000);
        assert_eq!(point.time_unix_nano, 20_000_000_000);
        assert_eq!(
            point.attributes,
            [text("http.route", "/a"), text(SOURCE, "c1")]
        );
    }

    #[test]
    fn what_routers_count_has_no_known_start() {
        let metric = only(family("a", "r1", PointValue::Counter(7)));
        let Some(Data::Sum(sum)) = metric.data else {
            panic!()
        };
        assert_eq!(sum.data_points[0].start_time_unix_nano, 0);
    }

    #[test]
    fn gauges_keep_their_type() {
        for (value, unit, expected) in [
            (PointValue::Gauge(0.5), "", Value::AsDouble(0.5)),
            (PointValue::Integer(i64::MAX), "", Value::AsInt(i64::MAX)),
            (PointValue::Bytes(4096), "By", Value::AsInt(4096)),
        ] {
            let metric = only(family("a:b{c}", "c1", value));
            assert_eq!((&*metric.name, &*metric.unit), ("a_b_c_", unit));
            let Some(Data::Gauge(gauge)) = metric.data else {
                panic!()
            };
            assert_eq!(gauge.data_points[0].value, Some(expected));
        }
    }

    #[test]
    fn histograms_have_counts_between_their_bounds() {
        let times = BucketHistogram::new(&[0.005, 1.0]);
        for millis in [1, 5, 6, 1000, 2500] {
            times.record_time(Duration::from_millis(millis));
        }
        let metric = only(family("a", "c1", PointValue::Buckets(times.buckets())));
        assert_eq!(metric.unit, "s");
        let Some(Data::Histogram(histogram)) = metric.data else {
            panic!()
        };
        let point = &histogram.data_points[0];
        assert_eq!(point.bucket_counts, [2, 2, 1]);
        assert_eq!(point.explicit_bounds, [0.005, 1.0]);
        assert_eq!(point.count, 5);
        assert!((point.sum.unwrap() - 3.512).abs() < 1e-9);
    }

    #[test]
    fn summaries_are_in_base_units() {
        let value = PointValue::Summary {
            unit: Some(Unit::Nanoseconds),
            count: 2,
            total: Some(3e9),
            quantiles: [1e9; QUANTILES.len()],
        };
        let metric = only(family("a", "c1", value));
        assert_eq!(metric.unit, "s");
        let Some(Data::Summary(summary)) = metric.data else {
            panic!()
        };
        let point = &summary.data_points[0];
        assert_eq!(point.count, 2);
        assert!((point.sum - 3.0).abs() < 1e-9);
        assert_eq!(point.quantile_values.len(), QUANTILES.len());
        assert!((point.quantile_values[0].value - 1.0).abs() < 1e-9);
    }

    #[test]
    fn many_points_are_several_messages() {
        let mut long = family("a", "c1", PointValue::Counter(1));
        long.points = vec![long.points[0].clone(); 2 * MAX_POINTS];
        let short = family("b", "c1", PointValue::Counter(1));
        let messages = messages(&service(), &[long, short], period());
        assert_eq!(messages.len(), 3);
        let resource = messages[2].resource_metrics[0].resource.as_ref().unwrap();
        assert_eq!(
            resource.attributes,
            [
                text("service.name", "portcullis-controller"),
                text("service.version", "1.2.3"),
                text("service.instance.id", "c1"),
            ]
        );
    }
}
