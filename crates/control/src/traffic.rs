//! What the control channels of routers carry, and how long that takes.

use parking_lot::{Mutex, RwLock};
use portcullis_channel::group::GroupId;
use portcullis_channel::{Frame, Priority};
use portcullis_domain::ids::RouterId;
use portcullis_metrics::{
    Histogram, Meter, MetricName, MetricRegistry, MetricSource, Snapshot, Unit,
};
use portcullis_transport::{ChannelHandle, Direction, Observer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Figures of all channels, under the names of OpenZiti's controllers: `ctrl.latency:<router>` and others.
pub(crate) struct ChannelTraffic {
    registry: Arc<MetricRegistry>,
    channels: RwLock<BTreeMap<GroupId, Arc<Figures>>>,
}

/// The figures of one channel are reported as long as this exists.
pub(crate) struct Measured {
    traffic: Arc<ChannelTraffic>,
    channel: GroupId,
}

struct Figures {
    channel: ChannelHandle,
    sent: Carried,
    received: Carried,
    latency: Arc<Histogram>,
    queue_time: Arc<Histogram>,
    /// The last latency that was recorded.
    recorded: Mutex<Option<Duration>>,
}

/// What is carried in one direction.
struct Carried {
    sizes: Arc<Histogram>,
    messages: Arc<Meter>,
    bytes: Arc<Meter>,
}

impl ChannelTraffic {
    pub(crate) fn register(registry: &Arc<MetricRegistry>) -> Arc<Self> {
        let traffic = Arc::new(Self {
            registry: Arc::clone(registry),
            channels: RwLock::default(),
        });
        registry.add_source(&traffic);
        traffic
    }

    /// Begins to measure the channel of a router.
    pub(crate) fn measure(
        self: &Arc<Self>,
        router: &RouterId,
        channel: &ChannelHandle,
    ) -> Measured {
        let id = channel.id();
        let figures = Arc::new(Figures::new(&self.registry, router, channel.clone()));
        self.channels.write().insert(id.clone(), figures);
        Measured {
            traffic: Arc::clone(self),
            channel: id,
        }
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.traffic.channels.write().remove(&self.channel);
    }
}

impl Observer for ChannelTraffic {
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        if let Some(figures) = self.channels.read().get(channel) {
            let carried = match direction {
                Direction::Sent => &figures.sent,
                Direction::Received => &figures.received,
            };
            let size = frame.wire_len();
            carried
                .sizes
                .record(u64::try_from(size).unwrap_or(u64::MAX));
        }
    }
}

impl MetricSource for ChannelTraffic {
    fn collect(&self, _snapshot: &mut Snapshot) {}

    fn update(&self) {
        for figures in self.channels.read().values() {
            figures.update();
        }
    }
}

impl Figures {
    fn new(registry: &MetricRegistry, router: &RouterId, channel: ChannelHandle) -> Self {
        let router: Arc<str> = router.as_str().into();
        let name = |name| MetricName::of(name, Arc::clone(&router));
        let meter = |of| registry.meter(name(of));
        let histogram = |of, unit| registry.histogram(name(of), unit);
        Self {
            channel,
            sent: Carried {
                sizes: histogram("ctrl.tx.msgsize", Unit::Bytes),
                messages: meter("ctrl.tx.msgrate"),
                bytes: meter("ctrl.tx.bytesrate"),
            },
            received: Carried {
                sizes: histogram("ctrl.rx.msgsize", Unit::Bytes),
                messages: meter("ctrl.rx.msgrate"),
                bytes: meter("ctrl.rx.bytesrate"),
            },
            latency: histogram("ctrl.latency", Unit::Nanoseconds),
            queue_time: histogram("ctrl.queue_time", Unit::Nanoseconds),
            recorded: Mutex::new(None),
        }
    }

    fn update(&self) {
        self.sent.update();
        self.received.update();
        self.queue_time
            .record_time(self.channel.queue_delay(Priority::Default));
        let latency = self
            .channel
            .liveness()
            .and_then(|liveness| liveness.latency);
        let mut recorded = self.recorded.lock();
        // An answer counts once, though it is looked at more often than there are answers.
        if let Some(latency) = latency
            && *recorded != Some(latency)
        {
            *recorded = Some(latency);
            self.latency.record_time(latency);
        }
    }
}

impl Carried {
    fn update(&self) {
        let (messages, bytes) = self.sizes.totals();
        self.messages.advance_to(messages);
        self.bytes.advance_to(bytes);
    }
}

impl std::fmt::Debug for ChannelTraffic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ChannelTraffic")
            .field("channels", &self.channels.read().len())
            .finish_non_exhaustive()
    }
}
