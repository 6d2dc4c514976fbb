//! The tasks that export.

use crate::attributes::Service;
use crate::delivery::{Delivery, Endpoint, Outage};
use crate::metrics_message::{self, Period};
use crate::statistics::{Signal, Statistics};
use crate::tracer::{self, SPANS_PER_MESSAGE, SampleRatio, Tracer};
use bytes::Bytes;
use http::HeaderMap;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_proto::tonic::trace::v1::Span;
use portcullis_domain::clock::{Clock, Timestamp};
use portcullis_fetch::Poster;
use portcullis_metrics::PointFamily;
use prost::Message as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

/// How long spans wait for others before they are sent.
const GATHERING_TIME: Duration = Duration::from_secs(2);

/// How long the delivery of a message is tried.
const BUDGET: Duration = Duration::from_mins(1);

/// Tells what there is to measure. It may take a while, and is called on a thread where that is allowed.
pub type Measurements = Arc<dyn Fn() -> Vec<PointFamily> + Send + Sync>;

/// What is exported, and where to.
pub struct ExporterSettings {
    /// `v1/metrics` and `v1/traces` are below it.
    pub endpoint: Url,
    /// Headers of each message, which may be secrets.
    pub headers: HeaderMap,
    pub poster: Poster,
    pub service: Service,
    pub clock: Arc<dyn Clock>,
    pub metrics: Option<MetricSettings>,
    pub traces: Option<SampleRatio>,
}

/// Which metrics are exported, and how often.
pub struct MetricSettings {
    pub measurements: Measurements,
    /// From when on the service has counted.
    pub counting_since: Timestamp,
    pub interval: Duration,
}

/// What runs to export.
#[derive(Debug)]
pub struct Exporter {
    statistics: Arc<Statistics>,
    tracer: Option<Arc<Tracer>>,
    /// No more is to come.
    stop: CancellationToken,
    /// What is left is given up.
    abort: CancellationToken,
    tasks: TaskTracker,
}

impl Exporter {
    /// Starts to export, in tasks of the runtime that this is called in.
    pub fn start(settings: ExporterSettings) -> Self {
        let statistics = Arc::new(Statistics::default());
        let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
        let tasks = TaskTracker::new();
        let endpoint = Arc::new(Endpoint {
            url: settings.endpoint,
            headers: settings.headers,
            poster: settings.poster,
            clock: Arc::clone(&settings.clock),
            statistics: Arc::clone(&statistics),
            stop: stop.clone(),
            outage: Outage::default(),
        });
        if let Some(metrics) = settings.metrics {
            let exporting = MetricExport {
                delivery: Delivery::new(Arc::clone(&endpoint), Signal::Metrics),
                settings: metrics,
                service: settings.service.clone(),
                clock: Arc::clone(&settings.clock),
                stop: stop.clone(),
            };
            let abort = abort.clone();
            tasks.spawn(async move { abort.run_until_cancelled(exporting.run()).await });
        }
        let tracer = settings.traces.map(|ratio| {
            let (tracer, spans) = Tracer::new(ratio, settings.clock, Arc::clone(&statistics));
            let exporting = SpanExport {
                delivery: Delivery::new(endpoint, Signal::Traces),
                spans,
                service: settings.service,
                statistics: Arc::clone(&statistics),
                stop: stop.clone(),
            };
            let abort = abort.clone();
            tasks.spawn(async move { abort.run_until_cancelled(exporting.run()).await });
            Arc::new(tracer)
        });
        tasks.close();
        Self {
            statistics,
            tracer,
            stop,
            abort,
            tasks,
        }
    }

    /// Begins spans, if traces are exported.
    pub const fn tracer(&self) -> Option<&Arc<Tracer>> {
        self.tracer.as_ref()
    }

    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Exports what is left, and what is measured now, for `limit` at most; whether nothing was given up for lack of
    /// time.
    pub async fn stop(&self, limit: Duration) -> bool {
        self.stop.cancel();
        let is_done = timeout(limit, self.tasks.wait()).await.is_ok();
        self.abort.cancel();
        is_done
    }
}

struct MetricExport {
    delivery: Delivery,
    settings: MetricSettings,
    service: Service,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
}

impl MetricExport {
    async fn run(mut self) {
        let interval = self.settings.interval;
        let mut ticks = interval_at(Instant::now() + interval, interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let stop = self.stop.clone();
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            self.export().await;
        }
        self.export().await;
    }

    async fn export(&mut self) {
        let measurements = Arc::clone(&self.settings.measurements);
        let (service, period) = (
            self.service.clone(),
            Period {
                start: self.settings.counting_since,
                now: self.clock.now(),
            },
        );
        let measuring = tokio::task::spawn_blocking(move || {
            let messages = metrics_message::messages(&service, &measurements(), period);
            let encoded = messages
                .iter()
                .map(|message| Bytes::from(message.encode_to_vec()));
            encoded.collect::<Vec<_>>()
        });
        let messages = match measuring.await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::error!(%error, "metrics cannot be exported");
                return;
            },
        };
        // What is measured next makes up for what was not delivered.
        let budget = self.settings.interval.min(BUDGET);
        for message in messages {
            if self.delivery.deliver(message, budget).await.is_err() {
                return;
            }
        }
    }
}

struct SpanExport {
    delivery: Delivery,
    spans: mpsc::Receiver<Span>,
    service: Service,
    statistics: Arc<Statistics>,
    stop: CancellationToken,
}

impl SpanExport {
    async fn run(mut self) {
        let stop = self.stop.clone();
        let mut batch = Vec::new();
        while let Some(1..) = stop
            .run_until_cancelled(self.spans.recv_many(&mut batch, SPANS_PER_MESSAGE))
            .await
        {
            stop.run_until_cancelled(self.gather(&mut batch)).await;
            self.export(std::mem::take(&mut batch)).await;
        }
        self.spans.close();
        while self.spans.recv_many(&mut batch, SPANS_PER_MESSAGE).await > 0 {
            self.export(std::mem::take(&mut batch)).await;
        }
    }

    /// Waits for further spans, until there are enough for a message or some time has passed.
    async fn gather(&mut self, batch: &mut Vec<Span>) {
        let pause = sleep(GATHERING_TIME);
        tokio::pin!(pause);
        while let Some(room @ 1..) = SPANS_PER_MESSAGE.checked_sub(batch.len()) {
            tokio::select! {
                () = &mut pause => return,
                taken = self.spans.recv_many(batch, room) => if taken == 0 { return },
            }
        }
    }

    async fn export(&mut self, spans: Vec<Span>) {
        let number = u64::try_from(spans.len()).unwrap_or(u64::MAX);
        let message = tracer::message(&self.service, spans).encode_to_vec();
        match self.delivery.deliver(message.into(), BUDGET).await {
            Ok(answer) => self.statistics.rejected.add(rejected(&answer)),
            Err(_undelivered) => self.statistics.undelivered.add(number),
        }
    }
}

/// Number of spans that an endpoint has not taken, as its answer says.
fn rejected(answer: &[u8]) -> u64 {
    let answer = ExportTraceServiceResponse::decode(answer).unwrap_or_default();
    let partial = answer.partial_success.unwrap_or_default();
    partial.rejected_spans.try_into().unwrap_or(0)
}

impl std::fmt::Debug for ExporterSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ExporterSettings")
            .field("endpoint", &self.endpoint.as_str())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for MetricSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MetricSettings")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
