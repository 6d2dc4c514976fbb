//! Hands events to all who want them.

use crate::count_schedule::CountSchedule;
use crate::log_interval::LOG_INTERVAL;
use crate::queue::{Delivery, Queue};
use parking_lot::{Mutex, RwLock};
use portcullis_domain::log_interval::LogInterval;
use portcullis_events::{Event, EventPublisher, Line, Namespace, Subscription};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Hands events to all who want them. Clones are handles of the same bus.
#[derive(Debug, Clone, Default)]
pub struct EventBus(Arc<BusState>);

impl EventPublisher for EventBus {
    fn wants(&self, namespace: Namespace) -> bool {
        self.0.wanted.load(Ordering::Acquire) & bit(namespace) != 0
    }

    fn wants_entities(&self, entity_type: &str, is_parent: bool) -> bool {
        self.wants(Namespace::EntityChange)
            && self.0.subscribers.read().iter().any(|subscriber| {
                let mut subscriptions = subscriber.subscriptions.iter();
                subscriptions.any(|wanted| wanted.wants_entities(entity_type, is_parent))
            })
    }

    fn publish(&self, event: Event) {
        let namespace = event.body.namespace();
        if !self.wants(namespace) {
            return;
        }
        let size = event.size();
        let event = Arc::new(event);
        for subscriber in self.0.subscribers.read().iter() {
            if subscriber.namespaces & bit(namespace) != 0 {
                let lost = subscriber.offer(&event, size);
                if subscriber.name.is_none() {
                    self.0.lost_by_streams.fetch_add(lost, Ordering::Relaxed);
                }
            }
        }
    }
}

#[derive(Debug, Default)]
struct BusState {
    /// The namespaces that somebody wants events of.
    wanted: AtomicU32,
    subscribers: RwLock<Vec<Arc<Subscriber>>>,
    /// Number of events that streams have lost, those that are gone among them.
    lost_by_streams: AtomicU64,
    /// Tells of new subscribers, who may want counts of entities.
    subscribed: Notify,
}

/// Somebody who wants events.
#[derive(Debug)]
pub(crate) struct Subscriber {
    /// Name for the log; those without one tell of their losses themselves.
    name: Option<String>,
    subscriptions: Vec<Subscription>,
    pub(crate) queue: Queue,
    namespaces: u32,
    counts: Mutex<CountSchedule>,
    drops_logged: Mutex<LogInterval>,
}

/// The bit of a namespace in a set.
const fn bit(namespace: Namespace) -> u32 {
    1 << namespace as u32
}

impl EventBus {
    /// Waits until a subscriber wants entities to be counted. Until the count is published, each call
    /// returns at once.
    pub async fn entity_count_due(&self) {
        loop {
            let subscribed = self.0.subscribed.notified();
            match self.next_count() {
                Some(due) if due <= Instant::now() => return,
                Some(due) => tokio::select! {
                    () = sleep_until(due) => {},
                    () = subscribed => {},
                },
                None => subscribed.await,
            }
        }
    }

    /// Number of events that streams have lost so far because too many waited, also those that have ended since.
    pub fn lost_by_streams(&self) -> u64 {
        self.0.lost_by_streams.load(Ordering::Relaxed)
    }

    /// Takes no more events, as before a shutdown. Streams end after what they have not received yet.
    pub fn close(&self) {
        let mut subscribers = self.0.subscribers.write();
        self.0.wanted.store(0, Ordering::Release);
        for subscriber in subscribers.drain(..) {
            subscriber.queue.close();
        }
    }

    pub(crate) fn add(
        &self,
        name: Option<String>,
        subscriptions: Vec<Subscription>,
        capacity: usize,
    ) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber::new(name, subscriptions, capacity));
        let mut subscribers = self.0.subscribers.write();
        subscribers.push(Arc::clone(&subscriber));
        self.update_wanted(&subscribers);
        drop(subscribers);
        self.0.subscribed.notify_one();
        subscriber
    }

    pub(crate) fn remove(&self, subscriber: &Arc<Subscriber>) {
        let mut subscribers = self.0.subscribers.write();
        subscribers.retain(|other| !Arc::ptr_eq(other, subscriber));
        self.update_wanted(&subscribers);
        drop(subscribers);
        subscriber.queue.close();
    }

    fn update_wanted(&self, subscribers: &[Arc<Subscriber>]) {
        let all = subscribers.iter().map(|subscriber| subscriber.namespaces);
        let wanted = all.fold(0, |wanted, namespaces| wanted | namespaces);
        self.0.wanted.store(wanted, Ordering::Release);
    }

    fn next_count(&self) -> Option<Instant> {
        let subscribers = self.0.subscribers.read();
        let times = subscribers
            .iter()
            .filter_map(|subscriber| subscriber.counts.lock().next());
        times.min()
    }
}

impl Subscriber {
    fn new(name: Option<String>, subscriptions: Vec<Subscription>, capacity: usize) -> Self {
        let all = subscriptions
            .iter()
            .map(|subscription| bit(subscription.namespace()));
        let namespaces = all.fold(0, |namespaces, bit| namespaces | bit);
        Self {
            name,
            queue: Queue::new(capacity),
            namespaces,
            counts: Mutex::new(CountSchedule::new(&subscriptions, Instant::now())),
            drops_logged: Mutex::new(LogInterval::new(LOG_INTERVAL)),
            subscriptions,
        }
    }

    /// The lines of an event for the subscription that wants it.
    pub(crate) fn lines(&self, delivery: &Delivery) -> Vec<Line> {
        let subscription = self.subscriptions.get(delivery.subscription);
        let lines = subscription.map(|subscription| subscription.lines(&delivery.event));
        lines.unwrap_or_default()
    }

    /// Adds the same lines to a text.
    pub(crate) fn write_lines(&self, delivery: &Delivery, text: &mut Vec<u8>) {
        if let Some(subscription) = self.subscriptions.get(delivery.subscription) {
            subscription.write_lines(&delivery.event, text);
        }
    }

    /// Queues an event once for each subscription that wants it; returns for how many there was no room.
    fn offer(&self, event: &Arc<Event>, size: usize) -> u64 {
        let mut lost = 0;
        for (position, subscription) in self.subscriptions.iter().enumerate() {
            let is_wanted = subscription.wants(event) && self.is_in_time(position, subscription);
            let delivery = || Delivery {
                event: Arc::clone(event),
                size,
                subscription: position,
            };
            if is_wanted && self.queue.push(delivery()) {
                lost += 1;
                self.log_drop();
            }
        }
        lost
    }

    /// Whether the subscription wants an event now: counts of entities come at intervals.
    fn is_in_time(&self, position: usize, subscription: &Subscription) -> bool {
        subscription.count_interval().is_none()
            || self.counts.lock().take_due(position, Instant::now())
    }

    fn may_log_drop(&self) -> bool {
        let now = Instant::now().into_std();
        self.drops_logged.lock().try_acquire(now).is_some()
    }

    fn log_drop(&self) {
        if let Some(sink) = &self.name
            && self.may_log_drop()
        {
            tracing::warn!(
                sink,
                dropped = self.queue.dropped(),
                "events are dropped, because what they are written to does not take them fast enough"
            );
        }
    }
}
