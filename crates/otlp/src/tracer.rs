//! Spans of requests, and the queue in which they wait.

use crate::attributes::{Service, integer, text, unix_nanos};
use crate::statistics::Statistics;
use crate::trace_context::{IdGenerator, Parent, state};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use portcullis_domain::clock::{Clock, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Spans that wait to be sent, at most; each takes about a kilobyte.
pub const QUEUED_SPANS: usize = 2048;

/// Spans of one message, at most.
pub const SPANS_PER_MESSAGE: usize = 512;

/// Flags of a span beside those of the W3C: it is known whether its parent is of another process, and it is.
const KNOWS_PARENT: u32 = 0x100;
const PARENT_IS_REMOTE: u32 = 0x200;
const SAMPLED: u32 = 1;

/// Which part of the traces that begin here is told of, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRatio(u32);

/// Begins spans. Whether a trace is told of is decided by who has begun it.
pub struct Tracer {
    ratio: SampleRatio,
    ids: IdGenerator,
    clock: Arc<dyn Clock>,
    queue: mpsc::Sender<Span>,
    statistics: Arc<Statistics>,
}

/// The span of a request that is not answered yet. It is told of when it ends.
pub struct OpenSpan {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    parent: Option<Parent>,
    state: String,
    begun_at: Timestamp,
    begun: Instant,
    queue: mpsc::Sender<Span>,
    statistics: Arc<Statistics>,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedRequest<'r> {
    pub id: &'r str,
    /// One of the known ones, or `_OTHER`.
    pub method: &'static str,
    /// Path of its operation with the names of its parameters; none for requests of no operation.
    pub route: Option<String>,
    pub status: u16,
    pub peer: IpAddr,
}

impl SampleRatio {
    /// A part in millionths; more than a million counts as all.
    pub const fn per_million(part: u32) -> Self {
        Self(part)
    }

    /// Whether a trace that begins here is told of. Depends on its id alone.
    fn contains(self, trace_id: [u8; 16]) -> bool {
        let number = u128::from_be_bytes(trace_id) % 1_000_000;
        number < u128::from(self.0)
    }
}

impl Tracer {
    /// A tracer, and what it has begun.
    pub(crate) fn new(
        ratio: SampleRatio,
        clock: Arc<dyn Clock>,
        statistics: Arc<Statistics>,
    ) -> (Self, mpsc::Receiver<Span>) {
        let (queue, spans) = mpsc::channel(QUEUED_SPANS);
        let tracer = Self {
            ratio,
            ids: IdGenerator::default(),
            clock,
            queue,
            statistics,
        };
        (tracer, spans)
    }

    /// Begins the span of a request with these headers (W3C Trace Context); `None` if its trace is not told of.
    pub fn begin(&self, traceparent: Option<&str>, tracestate: Option<&str>) -> Option<OpenSpan> {
        let parent = traceparent.and_then(Parent::parse);
        let trace_id = parent.map_or_else(|| self.ids.trace_id(), |parent| parent.trace_id);
        let is_sampled = match &parent {
            Some(parent) => parent.is_sampled,
            None => self.ratio.contains(trace_id),
        };
        is_sampled.then(|| OpenSpan {
            trace_id,
            span_id: self.ids.span_id(),
            state: parent.and(tracestate).and_then(state).unwrap_or_default(),
            parent,
            begun_at: self.clock.now(),
            begun: Instant::now(),
            queue: self.queue.clone(),
            statistics: Arc::clone(&self.statistics),
        })
    }
}

impl OpenSpan {
    /// Ends the span with the answer, and puts it into the queue. If that is full, the span is dropped and counted.
    pub fn end(self, request: &ServedRequest<'_>) {
        let begun = unix_nanos(self.begun_at);
        let duration = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let span = Span {
            trace_id: self.trace_id.to_vec(),
            span_id: self.span_id.to_vec(),
            trace_state: self.state,
            parent_span_id: (self.parent).map_or_else(Vec::new, |parent| parent.span_id.to_vec()),
            flags: SAMPLED | KNOWS_PARENT | self.parent.map_or(0, |_| PARENT_IS_REMOTE),
            name: request.name(),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: begun,
            end_time_unix_nano: begun.saturating_add(duration),
            attributes: request.attributes(),
            status: request.is_failed().then(|| Status {
                code: StatusCode::Error.into(),
                ..Status::default()
            }),
            ..Span::default()
        };
        if self.queue.try_send(span).is_err() {
            self.statistics.unqueued.increment();
        }
    }
}

impl ServedRequest<'_> {
    const fn is_failed(&self) -> bool {
        self.status >= 500
    }

    fn name(&self) -> String {
        let method = if self.method == "_OTHER" {
            "HTTP"
        } else {
            self.method
        };
        match &self.route {
            Some(route) => format!("{method} {route}"),
            None => method.to_owned(),
        }
    }

    /// By OpenTelemetry's conventions for HTTP. The path as it was sent is left out: it may hold a token.
    fn attributes(&self) -> Vec<KeyValue> {
        let mut attributes = vec![
            text("http.request.method", self.method),
            integer("http.response.status_code", self.status),
            text("url.scheme", "https"),
            text("network.peer.address", self.peer.to_string()),
            text("portcullis.request.id", self.id),
        ];
        attributes.extend(self.route.as_ref().map(|route| text("http.route", route)));
        if self.is_failed() {
            attributes.push(text("error.type", self.status.to_string()));
        }
        attributes
    }
}

/// The message of some spans.
pub(crate) fn message(service: &Service, spans: Vec<Span>) -> ExportTraceServiceRequest {
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(service.resource()),
            scope_spans: vec![ScopeSpans {
                scope: Some(service.scope()),
                spans,
                ..ScopeSpans::default()
            }],
            ..ResourceSpans::default()
        }],
    }
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Tracer")
            .field("ratio", &self.ratio)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OpenSpan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OpenSpan")
            .field("parent", &self.parent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_system::SystemClock;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

    fn tracer(per_million: u32) -> (Tracer, mpsc::Receiver<Span>, Arc<Statistics>) {
        let statistics = Arc::new(Statistics::default());
        let ratio = SampleRatio::per_million(per_million);
        let (tracer, spans) = Tracer::new(ratio, Arc::new(SystemClock), Arc::clone(&statistics));
        (tracer, spans, statistics)
    }

    fn request(status: u16) -> ServedRequest<'static> {
        ServedRequest {
            id: "r1",
            method: "GET",
            route: Some("/edge/client/v1/version".to_owned()),
            status,
            peer: [127, 0, 0, 1].into(),
        }
    }

    #[test]
    fn span_continues_the_trace_of_the_client() {
        let (tracer, mut spans, _) = tracer(0);
        tracer
            .begin(Some(PARENT), Some("a=1"))
            .unwrap()
            .end(&request(200));
        let span = spans.try_recv().unwrap();
        assert_eq!(span.trace_id[..2], [0x4b, 0xf9]);
        assert_eq!(span.parent_span_id[..2], [0, 0xf0]);
        assert_ne!(span.span_id, span.parent_span_id);
        assert_eq!(span.trace_state, "a=1");
        assert_eq!(span.flags, 0x301);
        assert_eq!(span.name, "GET /edge/client/v1/version");
        assert_eq!(span.kind, i32::from(SpanKind::Server));
        assert_eq!(span.status, None);
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
        let attribute = text("portcullis.request.id", "r1");
        assert!(span.attributes.contains(&attribute), "{span:?}");
    }

    #[test]
    fn who_has_begun_a_trace_decides_whether_it_is_told_of() {
        let (all, mut spans, _) = tracer(1_000_000);
        assert!(all.begin(Some(UNSAMPLED), None).is_none());
        all.begin(Some("00-wrong"), Some("a=1"))
            .unwrap()
            .end(&request(503));
        let span = spans.try_recv().unwrap();
        assert_eq!((span.parent_span_id.len(), span.flags), (0, 0x101));
        assert_eq!(span.trace_state, "");
        assert_eq!(span.status.unwrap().code, i32::from(StatusCode::Error));
        assert!(span.attributes.contains(&text("error.type", "503")));
        let (none, ..) = tracer(0);
        assert!((0..1000).all(|_| none.begin(None, None).is_none()));
        let (half, ..) = tracer(500_000);
        let told = (0..2000)
            .filter(|_| half.begin(None, None).is_some())
            .count();
        assert!((800..1200).contains(&told), "{told}");
    }

    #[test]
    fn what_has_no_place_is_dropped_and_counted() {
        let (tracer, mut spans, statistics) = tracer(1_000_000);
        for _ in 0..QUEUED_SPANS + 3 {
            tracer.begin(None, None).unwrap().end(&request(200));
        }
        assert_eq!(statistics.unqueued.count(), 3);
        assert_eq!(spans.len(), QUEUED_SPANS);
        spans.close();
        tracer.begin(None, None).unwrap().end(&request(200));
        assert_eq!(statistics.unqueued.count(), 4);
    }
}
