//! Keeps the router data model, and sends it to routers.
//!
//! Nobody is waited for: each router has so many updates on the way at a time, and one that takes none
//! gets the whole model later. One task does it all; routers are added and removed under its lock.

use super::encoding::Encoder;
use super::follower::Follower;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use parking_lot::Mutex;
use portcullis_app::model_position::{self, ModelPosition};
use portcullis_app::{App, AppError, run_blocking};
use portcullis_channel::{Message, SendErrorKind};
use portcullis_data_model::{
    Change as ModelChange, DataModel, Difference, DifferenceKind, FullState, Kind, Moment,
    Position, SubscriberId, Update,
};
use portcullis_domain::ids::RouterId;
use portcullis_transport::Clock;
use portcullis_wire::control::data_model::Subscription;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{sleep, sleep_until, timeout};

/// Pause after which a router that took nothing, or a store that could not be read, is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Time after which it is looked what has expired, without a commit.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);
/// Time after a change until the position is kept, for several changes together.
const KEEPING_DELAY: Duration = Duration::from_secs(1);
/// Pause after which a store that refused the position is tried again.
const KEEPING_PAUSE: Duration = Duration::from_secs(10);

/// Completes when a message was written, or never will be.
pub(crate) type Sent = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where updates for one router go.
pub(crate) trait ModelOutlet: Send + Sync {
    /// Queues a message. It does not wait.
    fn send(&self, message: Message) -> Result<Sent, SendErrorKind>;
}

/// Names the control channel of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ChannelId(u64);

/// The control channel of a router that follows the model, until this is dropped.
pub(crate) struct ModelSubscriber {
    publisher: Arc<ModelPublisher>,
    id: ChannelId,
}

/// The router data model, and the routers that follow it.
pub(crate) struct ModelPublisher {
    app: Arc<App>,
    clock: Clock,
    state: Mutex<State>,
    /// There may be something to send.
    changed: Notify,
    /// The position that the store has. Locked while it is written.
    kept: tokio::sync::Mutex<Option<Position>>,
    /// The position may be another.
    moved: Notify,
    /// Something has changed with time alone and waits for a commit.
    wants_commit: AtomicBool,
}

#[derive(Default)]
struct State {
    /// `None` until a router has connected and the records were read.
    model: Option<DataModel>,
    routers: BTreeMap<ChannelId, Connected>,
    by_subscriber: BTreeMap<SubscriberId, ChannelId>,
    last: u64,
}

struct Connected {
    router: RouterId,
    outlet: Arc<dyn ModelOutlet>,
    /// What it asked for last.
    subscription: Option<Subscription>,
    /// `None` while nothing is sent to it.
    subscriber: Option<SubscriberId>,
}

/// What happens to a router without its doing.
#[derive(Debug, Clone, Copy)]
enum Event {
    Written(SubscriberId),
    /// It is tried again.
    Resumed(ChannelId),
}

type Events = FuturesUnordered<Pin<Box<dyn Future<Output = Event> + Send>>>;

impl ModelPublisher {
    pub(crate) fn new(app: Arc<App>, clock: Clock) -> Self {
        Self {
            app,
            clock,
            state: Mutex::default(),
            changed: Notify::new(),
            kept: tokio::sync::Mutex::default(),
            moved: Notify::new(),
            wants_commit: AtomicBool::new(false),
        }
    }

    /// Timeline and index of the model, if there is one.
    pub(crate) fn index(&self) -> Option<(String, u64)> {
        self.read(|model| (model.timeline_id().to_owned(), model.index()))
    }

    /// The model as a router is to have it now, if it follows the model.
    pub(crate) fn state_for(&self, router: &RouterId) -> Option<FullState> {
        let mut state = self.state.lock();
        let mut channels = state.routers.values();
        let follows = channels.any(|each| each.router == *router && each.subscription.is_some());
        let model = state.model.as_mut().filter(|_| follows)?;
        Some(model.state_for(router.as_str()))
    }

    /// Looks at the model, if there is one.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&DataModel) -> T) -> Option<T> {
        self.state.lock().model.as_ref().map(look)
    }

    /// How the model differs from the records, if there is one. It reads the whole store.
    ///
    /// Revocations of sessions that ended with their identities are no records.
    pub(crate) fn differences(&self) -> Result<Vec<Difference>, AppError> {
        let expected = Follower::new(Arc::clone(&self.app)).begin()?;
        let state = self.state.lock();
        let Some(model) = &state.model else {
            return Ok(Vec::new());
        };
        let mut differences = model.differences(&expected);
        drop(state);
        let is_own = |found: &Difference| {
            found.key.kind == Kind::Revocation && found.kind == DifferenceKind::Extra
        };
        differences.retain(|found| !is_own(found));
        Ok(differences)
    }

    /// A router may subscribe over its control channel.
    pub(crate) fn connect(
        self: &Arc<Self>,
        router: RouterId,
        outlet: Arc<dyn ModelOutlet>,
    ) -> ModelSubscriber {
        let mut state = self.state.lock();
        state.last += 1;
        let id = ChannelId(state.last);
        let connected = Connected {
            router,
            outlet,
            subscription: None,
            subscriber: None,
        };
        state.routers.insert(id, connected);
        state.resume(id, self.now());
        drop(state);
        self.changed.notify_one();
        ModelSubscriber {
            publisher: Arc::clone(self),
            id,
        }
    }

    fn subscribe(&self, id: ChannelId, subscription: Subscription) {
        let now = self.now();
        let mut state = self.state.lock();
        let State { model, routers, .. } = &mut *state;
        let Some(router) = routers.get_mut(&id) else {
            return;
        };
        if let (Some(model), Some(subscriber)) = (model, router.subscriber) {
            model.subscribe(subscriber, &subscription, now);
        }
        router.subscription = Some(subscription);
        drop(state);
        self.changed.notify_one();
    }

    fn now(&self) -> Moment {
        self.clock.now().mono
    }

    /// Runs until it is dropped.
    pub(crate) async fn run(self: Arc<Self>) {
        while self.state.lock().routers.is_empty() && !self.goes_on() {
            self.changed.notified().await;
        }
        let mut key_changes = self.app.network().key_changes();
        let mut events = Events::new();
        let mut upkeep = tokio::time::interval(UPKEEP_INTERVAL);
        let mut encoder = Encoder::default();
        let mut follower = self.begin().await;
        loop {
            self.send(&mut encoder, &mut events);
            let deadline = self.state.lock().deadline(self.now());
            tokio::select! {
                () = follower.committed() => follower = self.follow(follower).await,
                Some(event) = events.next() => {
                    self.handle(event);
                    // All that have come: what is to be sent is looked for among all routers.
                    while let Some(Some(event)) = events.next().now_or_never() {
                        self.handle(event);
                    }
                },
                () = self.changed.notified() => {},
                Ok(()) = key_changes.changed() => self.renew_keys(&mut follower).await,
                _ = upkeep.tick() => {
                    self.keep_time(&follower);
                    self.renew_keys(&mut follower).await;
                    encoder.forget_unused();
                },
                () = async {
                    match deadline {
                        Some(deadline) => sleep_until(self.clock.instant(deadline)).await,
                        None => std::future::pending().await,
                    }
                } => {},
            }
        }
    }

    /// Whether there was a model before, which may go on. It misses nothing if it does so at once.
    fn goes_on(&self) -> bool {
        matches!(model_position::kept(&self.app), Ok(Some(_)))
    }

    /// Makes the model of all records.
    async fn begin(&self) -> Follower {
        let follower = Follower::new(Arc::clone(&self.app));
        let (follower, model) = read(follower, Follower::begin).await;
        self.state.lock().begin(model, self.now());
        self.keep_new_keys().await;
        follower
    }

    /// Takes over what was committed.
    async fn follow(self: &Arc<Self>, mut follower: Follower) -> Follower {
        let Ok(commits) = follower.take() else {
            tracing::warn!("the router data model is read anew");
            let publisher = Arc::clone(self);
            let renewing = read(follower, move |follower| {
                let commit = follower.renew()?;
                publisher.commit(commit.index, commit.changes);
                Ok(())
            });
            let (mut follower, ()) = renewing.await;
            self.renew_keys(&mut follower).await;
            return follower;
        };
        let mut has_new_keys = false;
        for commit in commits {
            has_new_keys |= commit.concerns_keys;
            self.commit(commit.index, commit.changes);
        }
        if has_new_keys {
            self.renew_keys(&mut follower).await;
        }
        follower
    }

    fn commit(&self, index: u64, changes: Vec<ModelChange>) {
        if changes.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        let committed = state
            .model
            .as_mut()
            .map(|model| model.commit(index, changes));
        drop(state);
        match committed {
            Some(Ok(true)) => self.moved.notify_one(),
            Some(Ok(false)) | None => {},
            Some(Err(error)) => tracing::error!(%error, "the router data model is behind"),
        }
    }

    async fn renew_keys(&self, follower: &mut Follower) {
        match follower.new_keys() {
            Ok(Some(keys)) => {
                if let Some(model) = &mut self.state.lock().model {
                    model.set_public_keys(keys);
                }
                self.keep_new_keys().await;
            },
            Ok(None) => {},
            Err(error) => {
                tracing::error!(%error, "routers are not told of new keys yet");
            },
        }
    }

    /// Keeps which keys there are before routers have them, so that they are told after the next start
    /// which are gone. A store that takes long is not waited for.
    async fn keep_new_keys(&self) {
        if !matches!(timeout(PAUSE, self.keep_position()).await, Ok(Ok(()))) {
            self.moved.notify_one();
        }
    }

    /// Looks for what has changed with time alone. It is carried by the next commit, since an index belongs
    /// to a revision; keeping the position is one.
    fn keep_time(&self, follower: &Follower) {
        if follower.has_aged() {
            self.wants_commit.store(true, Ordering::Relaxed);
            self.moved.notify_one();
        }
    }

    /// Keeps the position whenever it has changed, until this is dropped.
    pub(crate) async fn keep_positions(&self) {
        loop {
            self.moved.notified().await;
            sleep(KEEPING_DELAY).await;
            if let Err(error) = self.keep_position().await {
                tracing::warn!(%error, "the position of the router data model is not kept yet");
                sleep(KEEPING_PAUSE).await;
                self.moved.notify_one();
            }
        }
    }

    /// Keeps the position for the next start.
    pub(crate) async fn keep_position(&self) -> Result<(), AppError> {
        let mut kept = self.kept.lock().await;
        let Some(position) = self.state.lock().position() else {
            return Ok(());
        };
        let wants_commit = self.wants_commit.swap(false, Ordering::Relaxed);
        if kept.as_ref() == Some(&position) && !wants_commit {
            return Ok(());
        }
        model_position::keep(&self.app, stored(&position)).await?;
        *kept = Some(position);
        Ok(())
    }

    fn handle(&self, event: Event) {
        let mut state = self.state.lock();
        match event {
            Event::Written(subscriber) => {
                if let Some(model) = &mut state.model {
                    model.written(subscriber);
                }
            },
            Event::Resumed(router) => state.resume(router, self.now()),
        }
    }

    /// Sends whatever routers are to get and take.
    fn send(&self, encoder: &mut Encoder, events: &mut Events) {
        loop {
            let mut state = self.state.lock();
            let Some((subscriber, update)) = state.next_update(self.now()) else {
                return;
            };
            let Some(id) = state.by_subscriber.get(&subscriber).copied() else {
                continue;
            };
            let Some(router) = state.routers.get(&id) else {
                continue;
            };
            let (name, outlet) = (router.router.clone(), Arc::clone(&router.outlet));
            drop(state);
            let message = match encoder.encode(update) {
                Ok(message) => message,
                Err(error) => {
                    tracing::error!(router = %name, %error, "the data model cannot be encoded");
                    self.state.lock().pause(id);
                    continue;
                },
            };
            let sent = outlet.send(message);
            match sent {
                Ok(sent) => events.push(Box::pin(async move {
                    sent.await;
                    Event::Written(subscriber)
                })),
                Err(SendErrorKind::QueueFull) => {
                    tracing::debug!(router = %name, "a router does not take the data model");
                    self.state.lock().pause(id);
                    events.push(Box::pin(async move {
                        sleep(PAUSE).await;
                        Event::Resumed(id)
                    }));
                },
                // Its session ends.
                Err(SendErrorKind::Closed) => self.state.lock().pause(id),
                Err(error) => {
                    tracing::error!(router = %name, %error, "the data model cannot be sent");
                    self.state.lock().pause(id);
                },
            }
        }
    }
}

impl ModelSubscriber {
    /// The router wants to follow the model, or to go on doing so.
    pub(crate) fn subscribe(&self, subscription: Subscription) {
        self.publisher.subscribe(self.id, subscription);
    }
}

impl Drop for ModelSubscriber {
    fn drop(&mut self) {
        let mut state = self.publisher.state.lock();
        state.pause(self.id);
        state.routers.remove(&self.id);
    }
}

impl std::fmt::Debug for ModelPublisher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ModelPublisher")
            .finish_non_exhaustive()
    }
}

impl State {
    /// Has the model for the routers that have connected by now.
    fn begin(&mut self, model: DataModel, now: Moment) {
        self.model = Some(model);
        let waiting: Vec<_> = self.routers.keys().copied().collect();
        for router in waiting {
            self.resume(router, now);
        }
    }

    /// Sends updates to a router from now on. One that has a subscription gets the whole model, unless
    /// this is the first time.
    fn resume(&mut self, id: ChannelId, now: Moment) {
        let Self {
            model: Some(model),
            routers,
            by_subscriber,
            ..
        } = self
        else {
            return;
        };
        let Some(router) = routers.get_mut(&id) else {
            return;
        };
        if router.subscriber.is_some() {
            return;
        }
        let subscriber = model.connect(router.router.to_string(), now);
        if let Some(subscription) = &router.subscription {
            model.subscribe(subscriber, subscription, now);
        }
        router.subscriber = Some(subscriber);
        by_subscriber.insert(subscriber, id);
    }

    /// Sends a router nothing until it is resumed. What it does not get until then is made up for by the
    /// whole model.
    fn pause(&mut self, id: ChannelId) {
        let Some(router) = self.routers.get_mut(&id) else {
            return;
        };
        if let Some(subscription) = &mut router.subscription {
            subscription.current_index = 0;
        }
        if let Some(subscriber) = router.subscriber.take() {
            self.by_subscriber.remove(&subscriber);
            if let Some(model) = &mut self.model {
                model.disconnect(subscriber);
            }
        }
    }

    fn next_update(&mut self, now: Moment) -> Option<(SubscriberId, Update)> {
        self.model.as_mut()?.poll_update(now)
    }

    fn deadline(&self, now: Moment) -> Option<Moment> {
        self.model.as_ref()?.poll_timeout(now)
    }

    fn position(&self) -> Option<Position> {
        Some(self.model.as_ref()?.position())
    }
}

/// Reads the store, whatever it takes, where that keeps nobody from running.
async fn read<T: Send + 'static>(
    mut follower: Follower,
    work: impl Fn(&mut Follower) -> Result<T, AppError> + Send + Clone + 'static,
) -> (Follower, T) {
    loop {
        let work = work.clone();
        let reading = run_blocking(move || {
            let outcome = work(&mut follower);
            Ok::<_, AppError>((follower, outcome))
        });
        let Ok((returned, outcome)) = reading.await else {
            // The runtime shuts down.
            return std::future::pending().await;
        };
        follower = returned;
        match outcome {
            Ok(read) => return (follower, read),
            Err(error) => {
                tracing::error!(%error, "the router data model cannot be read");
                sleep(PAUSE).await;
            },
        }
    }
}

/// A position as the store keeps it.
fn stored(position: &Position) -> ModelPosition {
    ModelPosition {
        timeline: position.timeline_id.clone(),
        index: position.index,
        digest: position.digest.clone(),
        key_ids: position.key_ids.clone(),
    }
}

#[cfg(test)]
mod tests;
