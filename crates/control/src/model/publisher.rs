//! Keeps the router data model, and sends it to routers.
//!
//! Nobody is waited for: each router has so many updates on the way at a time, and one that takes none
//! gets the whole model later. One task does it all; routers are added and removed under its lock.

use super::encoding::Encoder;
use super::mirror::{Mirror, is_relevant};
use super::public_key::public_key;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use parking_lot::Mutex;
use portcullis_app::App;
use portcullis_app::change_feed::{ChangeFeed, TooOldError};
use portcullis_app::router_keys::router_keys;
use portcullis_channel::{Message, SendErrorKind};
use portcullis_data_model::{
    Change as ModelChange, DataModel, Moment, Options, Position, SubscriberId, Update,
};
use portcullis_domain::change::Change;
use portcullis_domain::entropy;
use portcullis_domain::ids::RouterId;
use portcullis_transport::Clock;
use portcullis_wire::control::data_model::{PublicKey, Subscription};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{sleep, sleep_until};

/// Pause after which a router that took nothing, or a store that could not be read, is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Time after which it is looked what has expired, without a commit.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);

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
        }
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
        while self.state.lock().routers.is_empty() {
            self.changed.notified().await;
        }
        let mut follower = Follower::new(Arc::clone(&self.app));
        let mut key_changes = self.app.network().key_changes();
        let mut events = Events::new();
        let mut upkeep = tokio::time::interval(UPKEEP_INTERVAL);
        let mut encoder = Encoder::default();
        self.load(&mut follower).await;
        loop {
            self.send(&mut encoder, &mut events);
            let deadline = self.state.lock().deadline(self.now());
            tokio::select! {
                () = follower.feed.committed() => self.follow(&mut follower).await,
                Some(event) = events.next() => {
                    self.handle(event);
                    // All that have come: what is to be sent is looked for among all routers.
                    while let Some(Some(event)) = events.next().now_or_never() {
                        self.handle(event);
                    }
                },
                () = self.changed.notified() => {},
                Ok(()) = key_changes.changed() => self.renew_keys(&mut follower),
                _ = upkeep.tick() => {
                    self.keep_time(&mut follower);
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

    /// Takes all records over.
    async fn load(&self, follower: &mut Follower) {
        loop {
            match follower.load() {
                Ok(changes) => return self.take_over(follower, changes),
                Err(error) => {
                    tracing::error!(%error, "the router data model cannot be read");
                    sleep(PAUSE).await;
                },
            }
        }
    }

    /// Makes the model what the changes lead to.
    fn take_over(&self, follower: &mut Follower, changes: Vec<ModelChange>) {
        let now = self.now();
        let mut state = self.state.lock();
        if state.model.is_some() {
            state.commit(follower.feed.revision(), changes);
            drop(state);
        } else {
            let position = Position {
                index: follower.feed.revision(),
                ..Position::start(follower.timeline.clone())
            };
            let entities = changes.into_iter().filter_map(|change| match change {
                ModelChange::Set(entity) => Some(entity),
                ModelChange::Removed(_) | ModelChange::Related { .. } => None,
            });
            state.model = Some(DataModel::new(Options::default(), position, entities, []));
            let waiting: Vec<_> = state.routers.keys().copied().collect();
            for router in waiting {
                state.resume(router, now);
            }
            drop(state);
        }
        self.renew_keys(follower);
    }

    /// Takes over what was committed.
    async fn follow(&self, follower: &mut Follower) {
        let Ok(commits) = follower.take() else {
            tracing::warn!("the router data model is read anew");
            return self.load(follower).await;
        };
        let mut has_new_keys = false;
        {
            let mut state = self.state.lock();
            for commit in commits {
                has_new_keys |= commit.concerns_keys;
                state.commit(commit.revision, commit.changes);
            }
        }
        if has_new_keys {
            self.renew_keys(follower);
        }
    }

    fn renew_keys(&self, follower: &mut Follower) {
        match follower.new_keys() {
            Ok(Some(keys)) => {
                if let Some(model) = &mut self.state.lock().model {
                    model.set_public_keys(keys);
                }
            },
            Ok(None) => {},
            Err(error) => {
                tracing::error!(%error, "routers are not told of new keys yet");
            },
        }
    }

    /// Takes over what has expired.
    fn keep_time(&self, follower: &mut Follower) {
        let changes = follower.mirror.keep_time(self.app.env().now());
        if !changes.is_empty() {
            self.state.lock().commit(follower.feed.revision(), changes);
        }
        self.renew_keys(follower);
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

    /// Changes the model. Time passes without commits as well, so its index may be ahead of the store.
    fn commit(&mut self, revision: u64, changes: Vec<ModelChange>) {
        let Some(model) = &mut self.model else {
            return;
        };
        if changes.is_empty() {
            return;
        }
        let index = revision.max(model.index() + 1);
        if let Err(error) = model.commit(index, changes) {
            tracing::error!(%error, "the router data model is behind");
        }
    }

    fn next_update(&mut self, now: Moment) -> Option<(SubscriberId, Update)> {
        self.model.as_mut()?.poll_update(now)
    }

    fn deadline(&self, now: Moment) -> Option<Moment> {
        self.model.as_ref()?.poll_timeout(now)
    }
}

/// Follows the records.
struct Follower {
    app: Arc<App>,
    feed: ChangeFeed,
    mirror: Mirror,
    keys: Vec<PublicKey>,
    /// Random, since the model is made anew with each start.
    timeline: String,
}

/// What one commit has changed.
struct Commit {
    revision: u64,
    changes: Vec<ModelChange>,
    concerns_keys: bool,
}

impl Follower {
    fn new(app: Arc<App>) -> Self {
        let drawn = entropy::uuid(&*app.env().entropy);
        let started = app.network().serving_state().controller.started_at;
        Self {
            feed: ChangeFeed::new(&app),
            mirror: Mirror::default(),
            keys: Vec::new(),
            // Without randomness, the time of the start tells timelines apart.
            timeline: drawn.unwrap_or_else(|_| started.to_string()),
            app,
        }
    }

    /// Reads all records; returns what that changes.
    fn load(&mut self) -> Result<Vec<ModelChange>, portcullis_app::AppError> {
        let mut records = Vec::new();
        self.feed.scan(&mut |change| {
            if is_relevant(&change) {
                records.push(change);
            }
        })?;
        Ok(self.mirror.renew(&records, self.app.env().now()))
    }

    fn take(&mut self) -> Result<Vec<Commit>, TooOldError> {
        let now = self.app.env().now();
        let groups = self.feed.take()?;
        let commits = groups.iter().map(|group| Commit {
            revision: group.revision,
            changes: self.mirror.follow(&group.changes, now),
            concerns_keys: group
                .changes
                .iter()
                .any(|change| matches!(change, Change::Ca(_))),
        });
        Ok(commits.collect())
    }

    /// The keys that count now, if they are others than before.
    fn new_keys(&mut self) -> Result<Option<Vec<PublicKey>>, portcullis_app::AppError> {
        let keys: Vec<_> = router_keys(&self.app)?
            .into_iter()
            .map(public_key)
            .collect();
        if keys == self.keys {
            return Ok(None);
        }
        self.keys.clone_from(&keys);
        Ok(Some(keys))
    }
}

#[cfg(test)]
mod tests;
