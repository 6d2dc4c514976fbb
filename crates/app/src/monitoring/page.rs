//! What Prometheus and OpenTelemetry are told: the figures of the controller, and what its routers have reported last.

use crate::app::App;
use crate::database;
use crate::fabric::LinkRoutersById;
use portcullis_domain::clock::Timestamp;
use portcullis_events::{Metric, MetricValue, metrics_of};
use portcullis_metrics::{
    Exposition, Labels, Page, Point, PointFamily, PointValue, Reported, Unit,
};
use portcullis_wire::control::metrics::Histogram;

/// Writes all figures, perhaps each with the time when it was measured. It takes milliseconds for each thousand of
/// them, and reads counts in the store.
pub fn page(app: &App, format: Exposition, has_times: bool) -> String {
    measured(app, format, has_times).finish()
}

/// The same figures as families of points, each with the time when it was measured, for formats other than a page.
pub fn families(app: &App) -> Vec<PointFamily> {
    measured(app, Exposition::OpenMetrics, true)
        .into_families()
        .collect()
}

fn measured(app: &App, format: Exposition, has_times: bool) -> Page {
    let now = app.env().now();
    let time = has_times.then_some(now);
    let mut page = Page::new(format);
    let snapshot = app.metrics().registry().snapshot();
    page.add_snapshot(&super::controller_id(app), time, &snapshot);
    app.metrics().expose(&mut page, time);
    add_state(app, &mut page, time);
    add_reports(app, &mut page, has_times);
    page
}

/// Adds what there is at the moment.
fn add_state(app: &App, page: &mut Page, time: Option<Timestamp>) {
    let mut gauge = |(name, help), labels: Labels, value| {
        let point = Point {
            labels,
            value,
            time,
        };
        page.add(name, help, &point);
    };
    let counts = app.live_network().counts();
    for (name, help, count) in [
        (
            "portcullis.routers.connected",
            "Routers with an open control channel.",
            counts.routers,
        ),
        ("portcullis.links", "Links between routers.", counts.links),
        ("portcullis.circuits", "Circuits.", counts.circuits),
    ] {
        let value = PointValue::number_of(count);
        gauge((name, help), Labels::default(), value);
    }
    let queues = [
        ("passwords", PointValue::number_of(app.passwords.waiting())),
        (
            "commits",
            PointValue::Integer(app.metrics().commits().open()),
        ),
    ];
    let queue = (
        "portcullis.queue.length",
        "What waits, by queue: passwords to be hashed, transactions to be durable.",
    );
    for (name, value) in queues {
        gauge(queue, Labels::default().with("queue", name), value);
    }
    let entities = database::entity_count(app).counts;
    let entity = ("portcullis.entities", "Records in the store, by type.");
    for (kind, count) in entities {
        let labels = Labels::default().with("type", kind);
        gauge(entity, labels, PointValue::number_of(count));
    }
}

fn add_reports(app: &App, page: &mut Page, has_times: bool) {
    let reports = app.metrics().reports().all();
    if reports.is_empty() {
        return;
    }
    let links = LinkRoutersById::new(app);
    let connected = app.live_network().online_routers();
    for (router, report) in reports {
        if !connected.contains(&router) {
            continue;
        }
        let time = has_times.then_some(report.came_at);
        let (id, metrics) = (router.as_str().into(), &report.metrics);
        for metric in metrics_of(&id, metrics, |link| links.routers(link)) {
            page.add_reported(&Reported {
                name: &metric.name,
                point: point(&metric, time),
            });
        }
    }
}

fn point(metric: &Metric, time: Option<Timestamp>) -> Point {
    let tags = metric.tags.iter();
    let labels = tags.fold(Labels::default(), |labels, (name, value)| {
        labels.with(name, value)
    });
    let entity = metric.entity_id.as_deref().unwrap_or_default();
    // Last, so that no tag stands for who has measured what.
    let labels = labels
        .with("source_entity_id", entity)
        .with("source_id", &metric.source_id);
    Point {
        labels,
        value: value(metric),
        time,
    }
}

fn value(metric: &Metric) -> PointValue {
    match &metric.value {
        MetricValue::Integer(value) => PointValue::Integer(*value),
        MetricValue::Float(value) => PointValue::Gauge(*value),
        MetricValue::Meter(meter) => PointValue::Counter(meter.count.try_into().unwrap_or(0)),
        MetricValue::Histogram(histogram) => summary(
            unit_of(&metric.name),
            histogram.count,
            of_histogram(histogram),
        ),
        MetricValue::Timer(timer) => {
            let quantiles = [
                timer.p50,
                timer.p75,
                timer.p95,
                timer.p99,
                timer.p999,
                timer.p9999,
            ];
            summary(Some(Unit::Nanoseconds), timer.count, quantiles)
        },
    }
}

const fn of_histogram(histogram: &Histogram) -> [f64; 6] {
    [
        histogram.p50,
        histogram.p75,
        histogram.p95,
        histogram.p99,
        histogram.p999,
        histogram.p9999,
    ]
}

fn summary(unit: Option<Unit>, count: i64, quantiles: [f64; 6]) -> PointValue {
    PointValue::Summary {
        unit,
        count: count.try_into().unwrap_or(0),
        // Routers do not tell it.
        total: None,
        quantiles,
    }
}

/// What a router's histogram measures, which only its name tells.
fn unit_of(name: &str) -> Option<Unit> {
    if name.ends_with("msgsize") {
        Some(Unit::Bytes)
    } else if name.ends_with("latency") || name.ends_with("_time") {
        Some(Unit::Nanoseconds)
    } else {
        None
    }
}
