//! All metrics of a router.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::histogram::{Histogram, Unit};
use crate::meter::Meter;
use crate::name::MetricName;
use crate::snapshot::{MetricValue, Snapshot};
use crate::timer::Timer;

/// Interval of [`MetricRegistry::tick`].
pub const TICK: Duration = Duration::from_secs(5);

/// Number of metrics that are reported, such as those of a thousand links.
pub const MAX_METRICS: usize = 16 * 1024;

/// A value that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

/// Knows values without measuring them.
pub trait MetricSource: Send + Sync {
    /// Adds them. It must not wait.
    fn collect(&self, snapshot: &mut Snapshot);

    /// Brings meters up to date that follow counts of its own, before each tick.
    fn update(&self) {}
}

/// The metrics that there are.
///
/// A metric is reported as long as somebody has a handle. Asking for the same name again gives another handle
/// of the same metric.
#[derive(Default)]
pub struct MetricRegistry {
    metrics: Mutex<BTreeMap<MetricName, Metric>>,
    sources: RwLock<Vec<Weak<dyn MetricSource>>>,
    unreported: AtomicU64,
}

enum Metric {
    Gauge(Weak<Gauge>),
    Meter(Weak<Meter>),
    Histogram(Weak<Histogram>),
    Timer(Weak<Timer>),
}

impl Gauge {
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds to the value, or takes away.
    pub fn add(&self, difference: i64) {
        self.0.fetch_add(difference, Ordering::Relaxed);
    }

    pub fn value(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Declares how to get a handle of a kind of metric.
macro_rules! handle {
    ($(#[doc = $doc:literal])+ $name:ident($($argument:ident: $type:ty)?) -> $kind:ident, $new:expr) => {
        $(#[doc = $doc])+
        pub fn $name(&self, name: MetricName $(, $argument: $type)?) -> Arc<$kind> {
            self.register(
                name,
                |metric| match metric {
                    Metric::$kind(known) => known.upgrade(),
                    _ => None,
                },
                || Arc::new($new),
                |handle| Metric::$kind(Arc::downgrade(handle)),
            )
        }
    };
}

impl MetricRegistry {
    handle! {
        /// A value that goes up and down.
        gauge() -> Gauge, Gauge::default()
    }
    handle! {
        /// A count of events, with their rates.
        meter() -> Meter, Meter::default()
    }
    handle! {
        /// A distribution of values.
        histogram(unit: Unit) -> Histogram, Histogram::new(unit)
    }
    handle! {
        /// A distribution of times, with the rate of events.
        timer() -> Timer, Timer::new()
    }

    /// Reports a histogram that was made without this registry, in the place of any other of this name.
    pub fn report(&self, name: MetricName, histogram: &Arc<Histogram>) {
        let _same = self.register(
            name,
            |_other| None,
            || Arc::clone(histogram),
            |handle| Metric::Histogram(Arc::downgrade(handle)),
        );
    }

    /// Asks a source whenever metrics are reported, as long as there is one.
    pub fn add_source<S: MetricSource + 'static>(&self, source: &Arc<S>) {
        let source = Arc::downgrade(source);
        let mut sources = self.sources.write();
        sources.retain(|known| known.strong_count() > 0);
        sources.push(source);
    }

    fn register<T>(
        &self,
        name: MetricName,
        find: impl FnOnce(&Metric) -> Option<Arc<T>>,
        create: impl FnOnce() -> Arc<T>,
        wrap: impl FnOnce(&Arc<T>) -> Metric,
    ) -> Arc<T> {
        let mut metrics = self.metrics.lock();
        if metrics.len() >= MAX_METRICS {
            metrics.retain(|_, metric| metric.is_held());
        }
        let has_room = metrics.len() < MAX_METRICS;
        match metrics.entry(name) {
            Entry::Occupied(mut entry) => find(entry.get()).unwrap_or_else(|| {
                let created = create();
                entry.insert(wrap(&created));
                created
            }),
            Entry::Vacant(entry) => {
                let created = create();
                if has_room {
                    entry.insert(wrap(&created));
                } else {
                    self.unreported.fetch_add(1, Ordering::Relaxed);
                }
                created
            },
        }
    }

    /// Accounts for the time since the last tick, and forgets metrics that nobody holds.
    pub fn tick(&self, elapsed: Duration) {
        for source in self.sources() {
            source.update();
        }
        self.metrics.lock().retain(|_, metric| metric.tick(elapsed));
    }

    /// All metrics as they are now; rates as of the last tick.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (name, metric) in &*self.metrics.lock() {
            if let Some(value) = metric.value() {
                snapshot.set(name.clone(), value);
            }
        }
        for source in self.sources() {
            source.collect(&mut snapshot);
        }
        snapshot
    }

    /// They are asked without a lock, for they may ask for handles.
    fn sources(&self) -> Vec<Arc<dyn MetricSource>> {
        let sources = self.sources.read();
        sources.iter().filter_map(Weak::upgrade).collect()
    }

    /// How many metrics are not reported, since there were too many.
    pub fn unreported(&self) -> u64 {
        self.unreported.load(Ordering::Relaxed)
    }
}

impl Metric {
    fn is_held(&self) -> bool {
        let holders = match self {
            Self::Gauge(gauge) => gauge.strong_count(),
            Self::Meter(meter) => meter.strong_count(),
            Self::Histogram(histogram) => histogram.strong_count(),
            Self::Timer(timer) => timer.strong_count(),
        };
        holders > 0
    }

    /// Returns whether it is held by somebody.
    fn tick(&self, elapsed: Duration) -> bool {
        match self {
            Self::Gauge(_) => {},
            Self::Meter(meter) => {
                if let Some(meter) = meter.upgrade() {
                    meter.tick(elapsed);
                }
            },
            Self::Histogram(histogram) => {
                if let Some(histogram) = histogram.upgrade() {
                    histogram.tick(elapsed);
                }
            },
            Self::Timer(timer) => {
                if let Some(timer) = timer.upgrade() {
                    timer.tick(elapsed);
                }
            },
        }
        self.is_held()
    }

    fn value(&self) -> Option<MetricValue> {
        Some(match self {
            Self::Gauge(gauge) => MetricValue::Gauge(gauge.upgrade()?.value()),
            Self::Meter(meter) => {
                let meter = meter.upgrade()?;
                MetricValue::Meter {
                    count: meter.count(),
                    rates: meter.rates(),
                }
            },
            Self::Histogram(histogram) => {
                let histogram = histogram.upgrade()?;
                MetricValue::Histogram {
                    unit: histogram.unit(),
                    distribution: histogram.distribution(),
                }
            },
            Self::Timer(timer) => {
                let timer = timer.upgrade()?;
                MetricValue::Timer {
                    distribution: timer.distribution(),
                    rates: timer.rates(),
                }
            },
        })
    }
}

impl std::fmt::Debug for MetricRegistry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.metrics.lock().len();
        formatter
            .debug_struct("MetricRegistry")
            .field("metrics", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Queue;

    impl MetricSource for Queue {
        fn collect(&self, snapshot: &mut Snapshot) {
            snapshot.set_gauge(MetricName::plain("queue"), 7_usize);
        }
    }

    fn names(registry: &MetricRegistry) -> Vec<String> {
        let snapshot = registry.snapshot();
        snapshot.iter().map(|(name, _)| name.to_string()).collect()
    }

    #[test]
    fn metrics_last_as_long_as_their_handles() {
        let registry = MetricRegistry::default();
        let dropped = registry.meter(MetricName::of("link.dropped_msgs", "4f".into()));
        let open = registry.gauge(MetricName::plain("edge.connections"));
        let again = registry.gauge(MetricName::plain("edge.connections"));
        open.add(2);
        again.add(-1);
        assert_eq!(open.value(), 1);
        assert_eq!(
            names(&registry),
            ["edge.connections", "link.dropped_msgs:4f"]
        );
        drop((dropped, open));
        assert_eq!(names(&registry), ["edge.connections"]);
        registry.tick(TICK);
        assert_eq!(registry.metrics.lock().len(), 1);
    }

    #[test]
    fn a_histogram_of_others_is_reported_as_long_as_they_hold_it() {
        let registry = MetricRegistry::default();
        let name = || MetricName::of_link("4f".into(), "tx.msgsize");
        let before = registry.histogram(name(), Unit::Bytes);
        let sizes = Arc::new(Histogram::new(Unit::Bytes));
        registry.report(name(), &sizes);
        before.record(1);
        sizes.record(2);
        let snapshot = registry.snapshot();
        let Some(MetricValue::Histogram { distribution, .. }) = snapshot.get(&name()) else {
            panic!("{snapshot:?}");
        };
        assert_eq!((distribution.count, distribution.total), (1, 2));
        assert_eq!(sizes.totals(), (1, 2));
        drop(sizes);
        assert!(registry.snapshot().is_empty());
    }

    #[test]
    fn sources_are_asked_while_they_exist() {
        let registry = MetricRegistry::default();
        let queue = Arc::new(Queue);
        registry.add_source(&queue);
        assert_eq!(
            registry.snapshot().get(&MetricName::plain("queue")),
            Some(&MetricValue::Gauge(7))
        );
        drop(queue);
        assert!(registry.snapshot().is_empty());
    }

    #[test]
    fn too_many_metrics_are_measured_and_not_reported() {
        let registry = MetricRegistry::default();
        let held: Vec<_> = (0..=MAX_METRICS)
            .map(|number| registry.meter(MetricName::of("many", number.to_string().into())))
            .collect();
        assert_eq!(registry.snapshot().len(), MAX_METRICS);
        assert_eq!(registry.unreported(), 1);
        drop(held);
        let _one = registry.meter(MetricName::plain("one"));
        assert_eq!(names(&registry), ["one"]);
    }
}
