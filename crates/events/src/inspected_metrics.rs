//! Metrics as inspections show them: what a router tells as JSON becomes what subscribers of events get, or
//! what Prometheus reads.

mod prometheus;

use crate::event::metric::{LinkRouters, Metric, metrics_of};
use crate::event::{Body, Event};
use crate::namespace::Namespace;
use crate::report_limits::bounded_report;
use jiff::Timestamp;
use portcullis_wire::control::metrics::{Histogram, Meter, Metrics, Timer};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Form of metrics in an inspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsForm {
    /// Objects, as in events.
    Events,
    /// Texts in Prometheus' format, with times.
    Prometheus,
}

/// Who tells metrics.
#[derive(Debug, Clone)]
pub struct MetricsSource {
    /// Id of the controller that shows them.
    pub controller: Arc<str>,
    /// Id of the router or controller that measures.
    pub id: Arc<str>,
    /// Now, if the answer tells no time.
    pub now: Timestamp,
}

/// Metrics in the JSON of OpenZiti's routers, as a JSON array with one item for each. `None` if the text is
/// something else, or if the array would have more than `most` bytes. What is too long or too much for events is left
/// out here, too.
///
/// The routers of links that `routers_of` knows become tags.
pub fn inspected_metrics(
    source: &MetricsSource,
    text: &str,
    (form, most): (MetricsForm, usize),
    routers_of: impl FnMut(&str) -> Option<LinkRouters>,
) -> Option<String> {
    let told: Told = serde_json::from_str(text).ok()?;
    let time = told.timestamp.as_ref().and_then(Time::read);
    let time = time.unwrap_or(source.now);
    let mut list = b"[".to_vec();
    let report = bounded_report(told.into_message());
    for metric in metrics_of(&source.id, &report, routers_of) {
        if list.len() > 1 {
            list.push(b',');
        }
        match form {
            MetricsForm::Events => write_event(source, time, metric, &mut list),
            MetricsForm::Prometheus => {
                serde_json::to_writer(&mut list, &prometheus::text(&metric, time)).ok()?;
            },
        }
        if list.len() >= most {
            return None;
        }
    }
    list.push(b']');
    String::from_utf8(list).ok()
}

fn write_event(source: &MetricsSource, time: Timestamp, metric: Metric, json: &mut Vec<u8>) {
    let event = Event {
        source: Arc::clone(&source.controller),
        time,
        body: Body::Metric(metric),
    };
    event.write_json(Namespace::Metrics.as_str(), json);
}

/// The message as JSON, without what is zero. The router of the channel counts, and not what it says of itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(default)]
    event_id: String,
    timestamp: Option<Time>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    int_values: BTreeMap<String, i64>,
    #[serde(default)]
    float_values: BTreeMap<String, f64>,
    #[serde(default)]
    meters: BTreeMap<String, Figures>,
    #[serde(default)]
    histograms: BTreeMap<String, Figures>,
    #[serde(default)]
    timers: BTreeMap<String, Figures>,
}

#[derive(Deserialize)]
struct Time {
    #[serde(default)]
    seconds: i64,
    #[serde(default)]
    nanos: i32,
}

/// Those of meters, histograms and timers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Figures {
    count: i64,
    max: i64,
    mean: f64,
    min: i64,
    std_dev: f64,
    variance: f64,
    p50: f64,
    p75: f64,
    p95: f64,
    p99: f64,
    p999: f64,
    p9999: f64,
    #[serde(rename = "m1Rate")]
    rate_1_minute: f64,
    #[serde(rename = "m5Rate")]
    rate_5_minutes: f64,
    #[serde(rename = "m15Rate")]
    rate_15_minutes: f64,
    mean_rate: f64,
}

impl Time {
    fn read(&self) -> Option<Timestamp> {
        Timestamp::new(self.seconds, self.nanos).ok()
    }
}

impl Told {
    fn into_message(self) -> Metrics {
        Metrics {
            event_id: self.event_id,
            tags: self.tags,
            integers: self.int_values,
            floats: self.float_values,
            meters: each(self.meters, Figures::into_meter),
            histograms: each(self.histograms, Figures::into_histogram),
            timers: each(self.timers, Figures::into_timer),
            ..Metrics::default()
        }
    }
}

fn each<T>(told: BTreeMap<String, Figures>, read: fn(Figures) -> T) -> BTreeMap<String, T> {
    let figures = told.into_iter();
    figures
        .map(|(name, figures)| (name, read(figures)))
        .collect()
}

impl Figures {
    fn into_meter(self) -> Meter {
        Meter {
            count: self.count,
            rate_1_minute: self.rate_1_minute,
            rate_5_minutes: self.rate_5_minutes,
            rate_15_minutes: self.rate_15_minutes,
            mean_rate: self.mean_rate,
        }
    }

    fn into_histogram(self) -> Histogram {
        Histogram {
            count: self.count,
            max: self.max,
            mean: self.mean,
            min: self.min,
            standard_deviation: self.std_dev,
            variance: self.variance,
            p50: self.p50,
            p75: self.p75,
            p95: self.p95,
            p99: self.p99,
            p999: self.p999,
            p9999: self.p9999,
        }
    }

    fn into_timer(self) -> Timer {
        Timer {
            count: self.count,
            max: self.max,
            mean: self.mean,
            min: self.min,
            standard_deviation: self.std_dev,
            variance: self.variance,
            p50: self.p50,
            p75: self.p75,
            p95: self.p95,
            p99: self.p99,
            p999: self.p999,
            p9999: self.p9999,
            rate_1_minute: self.rate_1_minute,
            rate_5_minutes: self.rate_5_minutes,
            rate_15_minutes: self.rate_15_minutes,
            mean_rate: self.mean_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = r#"{"sourceId":"somebody","timestamp":{"seconds":1795389100,"nanos":86000000},
        "intValues":{"edge.connections":3},"meters":{"link.dropped_msgs:l1":{"count":7,"m1Rate":0.5}},
        "timers":{"ctrl.latency:r1":{"count":3,"p50":8339628,"p9999":38229519}}}"#;

    fn shown(form: MetricsForm, most: usize) -> Option<String> {
        let source = MetricsSource {
            controller: "c1".into(),
            id: "r1".into(),
            now: Timestamp::UNIX_EPOCH,
        };
        let routers_of = |link: &str| {
            (link == "l1").then(|| LinkRouters {
                source: "r1".into(),
                destination: "r\"2".into(),
            })
        };
        inspected_metrics(&source, TOLD, (form, most), routers_of)
    }

    #[test]
    fn metrics_are_shown_as_events() {
        let list = shown(MetricsForm::Events, 1 << 20).unwrap();
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        assert_eq!(
            list[1],
            serde_json::json!({
                "namespace": "metrics", "event_src_id": "c1", "timestamp": "2026-11-22T23:11:40.086Z",
                "metric_type": "meter", "source_id": "r1", "source_entity_id": "l1", "version": 3,
                "metric": "link.dropped_msgs", "source_event_id": "",
                "metrics": {"count": 7, "mean_rate": 0, "m1_rate": 0.5, "m5_rate": 0, "m15_rate": 0},
                "tags": {"sourceRouterId": "r1", "targetRouterId": "r\"2"},
            })
        );
        assert_eq!(list.as_array().unwrap().len(), 3);
        assert_eq!(shown(MetricsForm::Events, 100), None);
    }

    #[test]
    fn metrics_are_made_one_by_one_and_with_few_tags() {
        let source = MetricsSource {
            controller: "c1".into(),
            id: "r1".into(),
            now: Timestamp::UNIX_EPOCH,
        };
        let numbered = |count: usize| (0..count).map(|each| format!("link.drops:{each}"));
        let tags: BTreeMap<_, _> = numbered(20)
            .map(|name| (name, "x".repeat(9000)))
            .chain([("site".to_owned(), "north".to_owned())])
            .collect();
        let values: BTreeMap<_, _> = numbered(1000).map(|name| (name, 1)).collect();
        let told = serde_json::json!({"tags": tags, "intValues": values}).to_string();
        let mut made = 0;
        let shown = |most, made: &mut usize| {
            let count = |_link: &str| {
                *made += 1;
                None
            };
            inspected_metrics(&source, &told, (MetricsForm::Events, most), count)
        };
        assert_eq!(shown(10_000, &mut made), None);
        assert!(made < 100, "{made}");
        let list = shown(1 << 20, &mut made).unwrap();
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        assert_eq!(list.as_array().unwrap().len(), 1000);
        assert_eq!(list[999]["tags"], serde_json::json!({"site": "north"}));
    }

    #[test]
    fn metrics_are_shown_as_prometheus_reads_them() {
        let list = shown(MetricsForm::Prometheus, 1 << 20).unwrap();
        let texts: Vec<String> = serde_json::from_str(&list).unwrap();
        assert_eq!(
            texts,
            [
                "# HELP ziti_edge_connections ziti_edge_connections\n\
                 # TYPE ziti_edge_connections gauge\n\
                 ziti_edge_connections{source_id=\"r1\"} 3 1795389100086\n",
                "# HELP ziti_link_dropped_msgs ziti_link_dropped_msgs\n\
                 # TYPE ziti_link_dropped_msgs gauge\n\
                 ziti_link_dropped_msgs{sourceRouterId=\"r1\",targetRouterId=\"r\\\"2\",source_id=\"r1\",\
                 source_entity_id=\"l1\"} 0.5 1795389100086\n",
                "# HELP ziti_ctrl_latency ziti_ctrl_latency\n\
                 # TYPE ziti_ctrl_latency histogram\n\
                 ziti_ctrl_latency_count{source_id=\"r1\",source_entity_id=\"r1\"} 3 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.50\"} 8339628 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.75\"} 0 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.95\"} 0 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.99\"} 0 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.999\"} 0 1795389100086\n\
                 ziti_ctrl_latency_bucket{source_id=\"r1\",source_entity_id=\"r1\",le=\"0.9999\"} 38229519 1795389100086\n",
            ]
        );
    }
}
