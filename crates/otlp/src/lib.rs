//! Metrics and traces for OpenTelemetry, by OTLP over HTTP with protobuf.
//!
//! An [`Exporter`] sends what a source has measured every so often, and the [spans](Tracer) of requests in
//! batches, to the paths `v1/metrics` and `v1/traces` below an endpoint. The messages are those of the crate
//! `opentelemetry-proto`; nothing of OpenTelemetry's SDK runs.
//!
//! ```text
//! PointFamily ----------------> message --+
//!                                         +-> delivery -> endpoint
//! Tracer -> OpenSpan -> queue -> message -+
//! ```
//!
//! # What it guarantees
//!
//! - Nobody waits for it: a span for which the queue has no place is dropped, and counted.
//! - What it holds is bounded: [`QUEUED_SPANS`] in the queue, [`SPANS_PER_MESSAGE`] on their way.
//! - A message is repeated after 429, 502, 503, 504 and lost connections, no earlier than the endpoint says and ever
//!   more seldom, and given up after a minute.
//! - The log says once that an endpoint is away, and once that it is back. Headers are never in it.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `attributes`, `trace_context`, `verdict`; `statistics`;
//! `metrics_message`, `tracer`; `delivery`; `exporter`.

mod attributes;
mod delivery;
mod exporter;
mod metrics_message;
mod statistics;
mod trace_context;
mod tracer;
mod verdict;

pub use crate::attributes::Service;
pub use crate::exporter::{Exporter, ExporterSettings, Measurements, MetricSettings};
pub use crate::statistics::Statistics;
pub use crate::tracer::{
    OpenSpan, QUEUED_SPANS, SPANS_PER_MESSAGE, SampleRatio, ServedRequest, Tracer,
};
