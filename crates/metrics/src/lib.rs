//! What a router or a controller counts and measures, and how it is told to controllers and to Prometheus.
//!
//! Whoever measures something gets a handle from the [`MetricRegistry`], and keeps it as long as there is
//! something to measure: a metric is gone when its last handle is. Recording is a few additions of atomics;
//! no lock is taken. What is known anyway, such as the length of a queue, is asked for by a [`MetricSource`]
//! when it is reported.
//!
//! ```text
//! Meter, Histogram, Timer, Gauge, MetricSource -> MetricRegistry -> Snapshot -> message to controllers
//!                                                                            -> exposition for Prometheus
//! ```
//!
//! Rates and quantiles are those of go-metrics, which controllers expect: rates decay exponentially over 1, 5
//! and 15 minutes; the last minutes weigh most in quantiles. Somebody has to call
//! [`tick`](MetricRegistry::tick) every [`TICK`].
//!
//! Beside these, which have the names that OpenZiti gives them, there are families with labels of our own
//! ([`Labelled`]), for Prometheus alone: counters, and times in buckets, which can be added up over processes. A
//! [`Page`] describes each family once, whoever its metrics come from.
//!
//! A name has one variable part at most, the id of what it is about ([`MetricName`]), and there are at most
//! [`MAX_METRICS`] metrics: what exceeds them is measured, but not reported.
//!
//! # Examples
//!
//! ```
//! use portcullis_metrics::{Exposition, MetricName, MetricRegistry, TICK, expose};
//!
//! let registry = MetricRegistry::default();
//! let failures = registry.meter(MetricName::plain("edge.connect.failures"));
//! failures.mark(1);
//! registry.tick(TICK);
//!
//! let text = expose(&registry.snapshot(), "router-id", Exposition::Prometheus);
//! assert!(text.contains("ziti_edge_connect_failures_total{source_id=\"router-id\"} 1\n"));
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `float`, `name`, `labels`; `histogram`,
//! `bucket_histogram`, `meter`; `timer`; `snapshot`; `message`, `json`, `page`; `exposition`, `labelled`; `registry`.

mod bucket_histogram;
mod exposition;
mod float;
mod histogram;
mod json;
mod labelled;
mod labels;
mod message;
mod meter;
mod name;
mod page;
mod registry;
mod snapshot;
mod timer;

pub use crate::bucket_histogram::{BucketHistogram, Buckets};
pub use crate::exposition::{Reported, expose};
pub use crate::histogram::{Distribution, Histogram, QUANTILES, Unit};
pub use crate::labelled::{Counter, Figure, LabelSet, Labelled, MAX_SERIES, Series};
pub use crate::labels::Labels;
pub use crate::meter::{Meter, Rates};
pub use crate::name::MetricName;
pub use crate::page::{Exposition, Page, Point, PointFamily, PointValue};
pub use crate::registry::{Gauge, MAX_METRICS, MetricRegistry, MetricSource, TICK};
pub use crate::snapshot::{MetricValue, Snapshot};
pub use crate::timer::Timer;
