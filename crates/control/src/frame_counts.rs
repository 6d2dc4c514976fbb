//! How many frames control channels carry.

use portcullis_app::metrics::ControllerMetrics;
use portcullis_metrics::{Counter, Figure, Labels, Point, Series as _};
use portcullis_transport::Direction;
use std::sync::Arc;

const FIGURE: Figure = Figure {
    name: "portcullis.channel.frames",
    help: "Frames on the control channels of routers, heartbeats among them.",
};

/// Counts the frames on all channels together.
#[derive(Debug, Default)]
pub(crate) struct FrameCounts {
    sent: Counter,
    received: Counter,
}

impl FrameCounts {
    /// Begins to count, and has pages show the counts.
    pub(crate) fn register(metrics: &ControllerMetrics) -> Arc<Self> {
        let counts = Arc::new(Self::default());
        let shown = Arc::clone(&counts);
        metrics.add_further(Box::new(move |page, time| {
            // As OpenTelemetry calls the directions.
            for (direction, counter) in [("transmit", &shown.sent), ("receive", &shown.received)] {
                let point = Point {
                    labels: Labels::default().with("network.io.direction", direction),
                    value: counter.value(),
                    time,
                };
                page.add(FIGURE.name, FIGURE.help, &point);
            }
        }));
        counts
    }

    pub(crate) fn count(&self, direction: Direction) {
        let counter = match direction {
            Direction::Sent => &self.sent,
            Direction::Received => &self.received,
        };
        counter.increment();
    }
}
