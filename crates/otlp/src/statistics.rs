//! What became of the messages and spans, as metrics.

use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{Counter, Labels, Page, Point, PointValue};

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Metrics,
    Traces,
}

/// What became of messages and spans.
#[derive(Debug, Default)]
pub struct Statistics {
    metrics: Exports,
    traces: Exports,
    /// Spans for which the queue had no place.
    pub(crate) unqueued: Counter,
    /// Spans of messages that were given up.
    pub(crate) undelivered: Counter,
    /// Spans that the endpoint has not taken.
    pub(crate) rejected: Counter,
}

/// Messages of one signal.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    pub(crate) delivered: Counter,
    /// Attempts after which another one was made.
    pub(crate) repeated: Counter,
    pub(crate) failed: Counter,
}

impl Signal {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Traces => "traces",
        }
    }
}

impl Statistics {
    pub(crate) const fn of(&self, signal: Signal) -> &Exports {
        match signal {
            Signal::Metrics => &self.metrics,
            Signal::Traces => &self.traces,
        }
    }

    /// Adds the counts to a page.
    pub fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        let mut add = |name, help, labels, counter: &Counter| {
            let value = PointValue::Counter(counter.count());
            let point = Point {
                labels,
                value,
                time,
            };
            page.add(name, help, &point);
        };
        for signal in [Signal::Metrics, Signal::Traces] {
            let exports = self.of(signal);
            for (outcome, counter) in [
                ("success", &exports.delivered),
                ("repeated", &exports.repeated),
                ("failed", &exports.failed),
            ] {
                let labels = Labels::default()
                    .with("signal", signal.name())
                    .with("outcome", outcome);
                let help = "Messages to the OTLP endpoint, by what became of them; each attempt that is repeated counts.";
                add("portcullis.otlp.exports", help, labels, counter);
            }
        }
        for (reason, counter) in [
            ("queue_full", &self.unqueued),
            ("export_failed", &self.undelivered),
            ("rejected", &self.rejected),
        ] {
            let labels = Labels::default().with("reason", reason);
            let help = "Spans that were lost on their way to the OTLP endpoint, by the reason.";
            add("portcullis.otlp.spans.dropped", help, labels, counter);
        }
    }
}
