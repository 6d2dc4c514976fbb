//! Reports of metrics to controllers.

mod links;
mod relay;

use std::sync::Arc;

use portcullis_domain::entropy::{self, Entropy};
use portcullis_metrics::{MetricRegistry, TICK};
use portcullis_router::edge::Recipient;
use portcullis_router::metrics::{MetricsOptions, ReportQueue};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::metrics::Metrics;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::relay::Relay;

pub(crate) use self::links::LinkMetrics;
pub(crate) use self::relay::RelayMetrics;

/// Keeps rates current, and tells all controllers what the router measures.
pub(crate) struct MetricsReporter {
    pub(crate) registry: Arc<MetricRegistry>,
    /// Knows what circuits carry.
    pub(crate) relay: Arc<Relay>,
    pub(crate) options: MetricsOptions,
    /// Id of the router.
    pub(crate) router: Arc<str>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) clock: RouterClock,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl MetricsReporter {
    /// Reports until `stop` is cancelled.
    pub(crate) async fn run(self, stop: CancellationToken) {
        stop.run_until_cancelled(self.report_forever()).await;
    }

    async fn report_forever(self) {
        let report_interval = self.options.report_interval;
        let mut ticks = interval_at(Instant::now() + TICK, TICK);
        let mut reports = interval_at(Instant::now() + report_interval, report_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut queue = ReportQueue::new(self.options.queue_size);
        let mut ticked = self.clock.moment();
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    let now = self.clock.moment();
                    self.registry.tick(now.since(ticked));
                    ticked = now;
                },
                _ = reports.tick() => {
                    // First those that have waited, for there may be a controller now.
                    queue.send(|report| self.send(report));
                    let dropped = queue.dropped();
                    self.queue_report(&mut queue);
                    if queue.dropped() > dropped {
                        tracing::debug!(
                            dropped = queue.dropped(),
                            "a report of metrics was dropped: no controller took it for long"
                        );
                    }
                    queue.send(|report| self.send(report));
                },
            }
        }
    }

    fn queue_report(&self, queue: &mut ReportQueue) {
        let event_id = match entropy::uuid(&*self.entropy) {
            Ok(event_id) => event_id,
            Err(error) => {
                tracing::warn!(%error, "metrics are not reported: the report has no id");
                return;
            },
        };
        let now = self.clock.timestamp();
        let usage = self.relay.usage();
        let usage = usage.end_interval(self.options.usage_age, now);
        let snapshot = self.registry.snapshot();
        if !snapshot.is_empty() || !usage.is_empty() {
            let router = self.router.as_ref().to_owned();
            queue.push(snapshot.into_message(event_id, router, now, usage));
        }
    }

    /// Sends a report to all controllers, of which the first makes events of it. Returns whether one has it.
    fn send(&self, report: &Metrics) -> bool {
        let mut is_sent = false;
        for controller in self.controllers.ids() {
            let mut report = report.clone();
            report.is_copy = is_sent;
            let message = ControlMessage::Metrics(report);
            let told = self
                .controllers
                .tell(&Recipient::Only(controller), &message);
            is_sent |= told.is_ok();
        }
        is_sent
    }
}

#[cfg(test)]
mod tests;
