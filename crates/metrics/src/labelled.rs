//! Families of metrics that differ in their labels.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;
use portcullis_domain::clock::Timestamp;

use crate::bucket_histogram::BucketHistogram;
use crate::labels::Labels;
use crate::page::{Page, Point, PointValue};

/// Number of metrics in a family; what there is beyond is measured as one, with the label
/// `otel_metric_overflow`.
pub const MAX_SERIES: usize = 4096;

/// Name and meaning of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// As OpenTelemetry writes it, such as `http.server.request.duration`.
    pub name: &'static str,
    pub help: &'static str,
}

/// Values of labels. They come from a fixed set each, and not from clients.
pub trait LabelSet: Ord + Clone {
    fn labels(&self) -> Labels;
}

/// Counts events.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

/// What a family consists of.
pub trait Series {
    fn value(&self) -> PointValue;
}

/// A family: a metric for each set of labels, from when it is first asked for.
#[derive(Debug)]
pub struct Labelled<K, T> {
    figure: Figure,
    create: fn() -> T,
    series: RwLock<BTreeMap<K, Arc<T>>>,
    overflow: OnceLock<Arc<T>>,
}

impl Counter {
    /// Counts an event.
    pub fn increment(&self) {
        self.add(1);
    }

    pub fn add(&self, events: u64) {
        self.0.fetch_add(events, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Series for Counter {
    fn value(&self) -> PointValue {
        PointValue::Counter(self.count())
    }
}

impl Series for BucketHistogram {
    fn value(&self) -> PointValue {
        PointValue::Buckets(self.buckets())
    }
}

impl<K: LabelSet, T: Series> Labelled<K, T> {
    pub const fn new(figure: Figure, create: fn() -> T) -> Self {
        Self {
            figure,
            create,
            series: RwLock::new(BTreeMap::new()),
            overflow: OnceLock::new(),
        }
    }

    /// The metric with these labels.
    pub fn of(&self, labels: &K) -> Arc<T> {
        if let Some(known) = self.series.read().get(labels) {
            return Arc::clone(known);
        }
        let mut series = self.series.write();
        if series.len() >= MAX_SERIES && !series.contains_key(labels) {
            let overflow = self.overflow.get_or_init(|| Arc::new((self.create)()));
            return Arc::clone(overflow);
        }
        let metric = series.entry(labels.clone());
        Arc::clone(metric.or_insert_with(|| Arc::new((self.create)())))
    }

    /// Adds the family to a page.
    pub fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        let mut add = |labels: Labels, metric: &T| {
            let value = metric.value();
            let point = Point {
                labels,
                value,
                time,
            };
            page.add(self.figure.name, self.figure.help, &point);
        };
        for (key, metric) in &*self.series.read() {
            add(key.labels(), metric);
        }
        if let Some(overflow) = self.overflow.get() {
            let labels = Labels::default().with("otel.metric.overflow", "true");
            add(labels, overflow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Exposition;

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Number(usize);

    impl LabelSet for Number {
        fn labels(&self) -> Labels {
            Labels::default().with("number", &self.0.to_string())
        }
    }

    const FIGURE: Figure = Figure {
        name: "portcullis.tests",
        help: "Tests.",
    };

    #[test]
    fn each_set_of_labels_has_a_metric() {
        let family = Labelled::new(FIGURE, Counter::default);
        family.of(&Number(2)).increment();
        family.of(&Number(1)).add(3);
        family.of(&Number(2)).increment();
        let mut page = Page::new(Exposition::Prometheus);
        family.expose(&mut page, None);
        assert_eq!(
            page.finish(),
            "# TYPE portcullis_tests_total counter\n# HELP portcullis_tests_total Tests.\n\
             portcullis_tests_total{number=\"1\"} 3\nportcullis_tests_total{number=\"2\"} 2\n"
        );
    }

    #[test]
    fn too_many_sets_share_a_metric() {
        let family = Labelled::new(FIGURE, Counter::default);
        for number in 0..MAX_SERIES + 10 {
            family.of(&Number(number)).increment();
        }
        family.of(&Number(0)).increment();
        let mut page = Page::new(Exposition::Prometheus);
        family.expose(&mut page, None);
        assert_eq!(page.len(), MAX_SERIES + 1);
        let text = page.finish();
        assert!(text.contains("portcullis_tests_total{number=\"0\"} 2\n"));
        assert!(text.contains("portcullis_tests_total{otel_metric_overflow=\"true\"} 10\n"));
    }
}
