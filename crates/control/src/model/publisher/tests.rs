use super::*;
use http::Method;
use portcullis_channel::UnixNanos;
use portcullis_seeded_random::Random;
use portcullis_testkit::Harness;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    Action, Event as ModelEvent, PublicKey, RelatedEntity, Subject,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::mem::{Discriminant, discriminant};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

const PATIENCE: Duration = Duration::from_secs(20);

/// The queue of a channel that takes so many messages and bytes. An empty one takes any message.
struct Queue {
    messages: Mutex<VecDeque<(Message, oneshot::Sender<()>)>>,
    most: usize,
    most_bytes: usize,
    refused: Mutex<usize>,
    arrived: Notify,
}

impl Queue {
    fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            messages: Mutex::default(),
            most,
            most_bytes,
            refused: Mutex::default(),
            arrived: Notify::new(),
        }
    }
}

impl ModelOutlet for Queue {
    fn send(&self, message: Message) -> Result<Sent, SendErrorKind> {
        let mut messages = self.messages.lock();
        let bytes: usize = messages.iter().map(|(queued, _)| queued.body.len()).sum();
        let is_full = messages.len() >= self.most || bytes + message.body.len() > self.most_bytes;
        if is_full && !messages.is_empty() {
            *self.refused.lock() += 1;
            return Err(SendErrorKind::QueueFull);
        }
        let (written, sent) = oneshot::channel();
        messages.push_back((message, written));
        self.arrived.notify_one();
        Ok(Box::pin(async {
            let _ = sent.await;
        }))
    }
}

/// A router that does with the model what real ones do.
struct Router {
    subscriber: ModelSubscriber,
    queue: Arc<Queue>,
    id: String,
    subscriptions: u64,
    index: u64,
    timeline: String,
    entities: BTreeMap<(Kind, String), Subject>,
    relations: BTreeSet<(String, RelatedEntity, String)>,
    states: usize,
    change_sets: usize,
}

/// The kind of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind(Discriminant<Subject>, u8);

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.1.cmp(&other.1)
    }
}

fn key(subject: &Subject) -> (Kind, String) {
    let (number, id) = match subject {
        Subject::Identity(entity) => (0, &entity.id),
        Subject::Service(entity) => (1, &entity.id),
        Subject::ServicePolicy(entity) => (2, &entity.id),
        Subject::PostureCheck(entity) => (3, &entity.id),
        Subject::PublicKey(entity) => (4, &entity.key_id),
        Subject::Revocation(entity) => (5, &entity.id),
        Subject::ServicePolicyChange(entity) => (6, &entity.policy_id),
        Subject::ConfigType(entity) => (7, &entity.id),
        Subject::Config(entity) => (8, &entity.id),
        Subject::Router(entity) => (9, &entity.id),
    };
    (Kind(discriminant(subject), number), id.clone())
}

impl Router {
    fn connect(publisher: &Arc<ModelPublisher>, id: &str, most: usize) -> Self {
        Self::connect_through(publisher, id, Queue::new(most, usize::MAX))
    }

    fn connect_through(publisher: &Arc<ModelPublisher>, id: &str, queue: Queue) -> Self {
        let queue = Arc::new(queue);
        let outlet = Arc::clone(&queue) as Arc<dyn ModelOutlet>;
        let mut router = Self {
            subscriber: publisher.connect(RouterId::from_wire(id), outlet),
            queue,
            id: id.to_owned(),
            subscriptions: 0,
            index: 0,
            timeline: String::new(),
            entities: BTreeMap::new(),
            relations: BTreeSet::new(),
            states: 0,
            change_sets: 0,
        };
        router.subscribe();
        router
    }

    /// Connects again, with the model that it has.
    fn reconnect(&mut self, publisher: &Arc<ModelPublisher>) {
        let queue = Arc::new(Queue::new(100, usize::MAX));
        let outlet = Arc::clone(&queue) as Arc<dyn ModelOutlet>;
        self.subscriber = publisher.connect(RouterId::from_wire(&*self.id), outlet);
        self.queue = queue;
        self.subscribe();
    }

    fn subscription_id(&self) -> String {
        format!("{}-{}", self.id, self.subscriptions)
    }

    fn subscribe(&mut self) {
        self.subscriptions += 1;
        self.subscriber.subscribe(Subscription {
            current_index: self.index,
            duration_seconds: 300,
            is_renewal: false,
            timeline_id: self.timeline.clone(),
            subscription_id: self.subscription_id(),
        });
    }

    /// Takes everything that has arrived.
    fn read(&mut self) {
        loop {
            let next = self.queue.messages.lock().pop_front();
            let Some((message, written)) = next else {
                return;
            };
            // The publisher may be gone.
            let _ = written.send(());
            self.take(ControlMessage::decode(&message).unwrap());
        }
    }

    fn take(&mut self, message: ControlMessage) {
        let own = Some(self.subscription_id());
        match message {
            ControlMessage::DataState(state) if state.subscription_id == own => {
                self.states += 1;
                self.entities.clear();
                self.relations.clear();
                self.index = state.state.end_index;
                self.timeline = state.state.timeline_id;
                state
                    .state
                    .events
                    .into_iter()
                    .for_each(|event| self.apply(event));
            },
            ControlMessage::ChangeSet(set) if set.changes.is_synthetic => {
                set.changes
                    .events
                    .into_iter()
                    .for_each(|event| self.apply(event));
            },
            ControlMessage::ChangeSet(set) if set.subscription_id == own => {
                self.change_sets += 1;
                if set.changes.previous_index == self.index {
                    self.index = set.changes.index;
                    set.changes
                        .events
                        .into_iter()
                        .for_each(|event| self.apply(event));
                } else {
                    self.subscribe();
                }
            },
            _ => {},
        }
    }

    fn apply(&mut self, event: ModelEvent) {
        let subject = event.subject.unwrap();
        if let Subject::ServicePolicyChange(change) = &subject {
            for id in &change.entity_ids {
                let relation = (change.policy_id.clone(), change.entity_type, id.clone());
                if change.adds {
                    self.relations.insert(relation);
                } else {
                    assert!(self.relations.remove(&relation));
                }
            }
            return;
        }
        let key = key(&subject);
        if event.action == Action::Delete {
            self.relations.retain(|(policy, ..)| *policy != key.1);
            self.entities.remove(&key);
        } else {
            self.entities.insert(key, subject);
        }
    }

    /// Reads until something is the case.
    async fn read_until(&mut self, is_done: impl Fn(&Self) -> bool + Send + Sync) {
        let reading = async {
            loop {
                self.read();
                if is_done(self) {
                    return;
                }
                self.queue.arrived.notified().await;
            }
        };
        timeout(PATIENCE, reading).await.unwrap();
    }

    fn has(&self, number: u8, id: &str) -> bool {
        let mut keys = self.entities.keys();
        keys.any(|(kind, of)| kind.1 == number && of == id)
    }
}

struct Stage {
    controller: Harness,
    admin: String,
    publisher: Arc<ModelPublisher>,
    tasks: JoinSet<()>,
}

impl Stage {
    async fn start() -> Self {
        Self::on(Harness::start().await).await
    }

    async fn on(controller: Harness) -> Self {
        let admin = controller.admin().await;
        let clock = Clock::start(UnixNanos(0));
        let publisher = Arc::new(ModelPublisher::new(Arc::clone(&controller.app), clock));
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&publisher).run());
        let keeper = Arc::clone(&publisher);
        tasks.spawn(async move { keeper.keep_positions().await });
        Self {
            controller,
            admin,
            publisher,
            tasks,
        }
    }

    /// Ends like a controller that stops; another one may start on its store.
    async fn stop(self) -> Harness {
        self.publisher.keep_position().await.unwrap();
        self.kill().await
    }

    async fn kill(mut self) -> Harness {
        self.tasks.shutdown().await;
        self.controller
    }

    /// Waits until there is a model.
    async fn model(&self) {
        let made = async {
            while self.publisher.state.lock().model.is_none() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, made).await.unwrap();
    }

    async fn service(&self, name: &str) -> String {
        let body = json!({"name": name, "encryptionRequired": true});
        self.create("/services", &body).await
    }

    async fn create(&self, path: &str, body: &Value) -> String {
        let request = self.controller.manage(Method::POST, path, &self.admin);
        request.json(body).send().await.id()
    }

    async fn change(&self, method: Method, path: &str, body: &Value) {
        let request = self.controller.manage(method, path, &self.admin);
        let reply = request.json(body).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }
}

fn subset(random: &mut Random) -> Vec<&'static str> {
    let all = ["a", "b", "c"];
    all.into_iter().filter(|_| random.one_in(2)).collect()
}

/// Changes entities at random.
struct Changes {
    random: Random,
    /// Paths of entities that may be changed and removed.
    entities: Vec<(&'static str, String)>,
    created: usize,
}

impl Changes {
    async fn make(&mut self, stage: &Stage) {
        let random = &mut self.random;
        let place = random.below(self.entities.len() as u64 + 1);
        let known = self.entities.get(usize::try_from(place).unwrap()).cloned();
        if let Some((path, id)) = known
            && random.one_in(2)
        {
            let path = format!("{path}/{id}");
            if random.one_in(3) {
                stage.change(Method::DELETE, &path, &json!({})).await;
                self.entities.retain(|(_, other)| *other != id);
            } else if path.starts_with("/service-policies") {
                let roles: Vec<_> = subset(random)
                    .iter()
                    .map(|role| format!("#{role}"))
                    .collect();
                let body = json!({"serviceRoles": roles});
                stage.change(Method::PATCH, &path, &body).await;
            } else {
                let mut body = json!({"roleAttributes": subset(random)});
                if path.starts_with("/posture-checks") {
                    body["typeId"] = json!("MFA");
                }
                stage.change(Method::PATCH, &path, &body).await;
            }
            return;
        }
        self.created += 1;
        let name = format!("entity {}", self.created);
        let (path, body) = match random.below(4) {
            0 => {
                let body = json!({
                    "name": name, "type": "Default", "isAdmin": false,
                    "roleAttributes": subset(random),
                });
                ("/identities", body)
            },
            1 => {
                let attributes = subset(random);
                let body =
                    json!({"name": name, "encryptionRequired": true, "roleAttributes": attributes});
                ("/services", body)
            },
            2 => {
                let body = json!({
                    "name": name, "typeId": "MFA", "timeoutSeconds": 60,
                    "roleAttributes": subset(random),
                });
                ("/posture-checks", body)
            },
            _ => {
                let roles: Vec<_> = subset(random)
                    .iter()
                    .map(|role| format!("#{role}"))
                    .collect();
                let body = json!({
                    "name": name, "type": "Dial", "semantic": "AnyOf", "serviceRoles": roles,
                    "identityRoles": ["#all"], "postureCheckRoles": ["#a"],
                });
                ("/service-policies", body)
            },
        };
        let id = stage.create(path, &body).await;
        self.entities.push((path, id));
    }
}

#[tokio::test]
async fn routers_end_with_what_a_new_one_gets() {
    let stage = Stage::start().await;
    // One that reads all the time, one that reads seldom, and one whose channel takes little.
    let mut quick = Router::connect(&stage.publisher, "quick", 100);
    let mut slow = Router::connect(&stage.publisher, "slow", 100);
    let mut narrow = Router::connect(&stage.publisher, "narrow", 2);
    let mut changes = Changes {
        random: Random::from_seed(7),
        entities: Vec::new(),
        created: 0,
    };
    for round in 0..80 {
        changes.make(&stage).await;
        quick.read();
        if round % 30 == 29 {
            slow.read();
            narrow.read();
        }
    }
    let mark = stage
        .create(
            "/services",
            &json!({"name": "mark", "encryptionRequired": true}),
        )
        .await;
    let mut fresh = Router::connect(&stage.publisher, "fresh", 100);
    fresh.read_until(|router| router.states > 0).await;
    for router in [&mut quick, &mut slow, &mut narrow] {
        router.read_until(|router| router.has(1, &mark)).await;
        assert_eq!(router.index, fresh.index, "{}", router.id);
        assert_eq!(router.entities, fresh.entities, "{}", router.id);
        assert_eq!(router.relations, fresh.relations, "{}", router.id);
    }
    assert!(!fresh.relations.is_empty());
    assert_eq!((quick.states, slow.states), (1, 1));
    assert!(narrow.states > 1 && *narrow.queue.refused.lock() > 0);
    assert!(quick.change_sets > 40);
}

#[tokio::test]
async fn policies_relate_what_their_roles_select_and_keys_are_there() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    router.read_until(|router| router.states == 1).await;
    let keys = router.entities.keys().filter(|(kind, _)| kind.1 == 4);
    assert!(keys.count() >= 2, "one for tokens, and a root");

    let service = json!({"name": "wiki", "encryptionRequired": true, "roleAttributes": ["wiki"]});
    let service = stage.create("/services", &service).await;
    let policy = json!({
        "name": "wiki", "type": "Dial", "semantic": "AnyOf",
        "serviceRoles": ["#wiki"], "identityRoles": ["#users"],
    });
    let policy = stage.create("/service-policies", &policy).await;
    let user =
        json!({"name": "u", "type": "Default", "isAdmin": false, "roleAttributes": ["users"]});
    let user = stage.create("/identities", &user).await;
    let relation = (policy, RelatedEntity::Identity, user.clone());
    router
        .read_until(|router| router.relations.contains(&relation))
        .await;
    let services: Vec<_> = router.relations.iter().map(|(.., id)| id.clone()).collect();
    assert!(services.contains(&service));
    let path = format!("/identities/{user}");
    stage.change(Method::DELETE, &path, &json!({})).await;
    router.read_until(|router| !router.has(0, &user)).await;
    assert!(!router.relations.contains(&relation));
    assert_eq!(router.states, 1);
}

#[tokio::test]
async fn identities_are_enabled_again_in_time() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    let user = json!({"name": "u", "type": "Default", "isAdmin": false});
    let user = stage.create("/identities", &user).await;
    let path = format!("/identities/{user}/disable");
    stage
        .change(Method::POST, &path, &json!({"durationMinutes": 5}))
        .await;
    let is_disabled = |router: &Router, expected: bool| {
        router.entities.values().any(|subject| {
            matches!(subject, Subject::Identity(found) if found.id == user && found.is_disabled == expected)
        })
    };
    router.read_until(|router| is_disabled(router, true)).await;
    let minutes = portcullis_domain::clock::SignedDuration::from_mins(5);
    stage.controller.clock.advance(minutes);
    router.read_until(|router| is_disabled(router, false)).await;
    assert!(router.index <= stage.controller.revision());
    // What is committed next goes on from there.
    let service = json!({"name": "wiki", "encryptionRequired": true});
    let service = stage.create("/services", &service).await;
    router.read_until(|router| router.has(1, &service)).await;
    assert_eq!(router.states, 1);
}

#[tokio::test]
async fn routers_that_are_up_to_date_stay_so_over_restarts() {
    let mut stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    let mut away = Router::connect(&stage.publisher, "away", 100);
    away.read_until(|router| router.states == 1).await;
    for name in ["first", "second", "third"] {
        let service = stage.service(name).await;
        router.read_until(|router| router.has(1, &service)).await;
        let (timeline, index) = (router.timeline.clone(), router.index);
        stage = Stage::on(stage.stop().await).await;
        router.reconnect(&stage.publisher);
        // Nothing but the keys, which have no index.
        router.queue.arrived.notified().await;
        router.read();
        assert_eq!(router.index, index);
        assert_eq!(router.timeline, timeline);
    }
    let service = stage.service("last").await;
    router.read_until(|router| router.has(1, &service)).await;
    assert_eq!((router.states, router.change_sets), (1, 4));

    // A model that goes on does not wait for a router.
    let stage = Stage::on(stage.stop().await).await;
    stage.model().await;
    let service = stage.service("before").await;
    router.reconnect(&stage.publisher);
    router.read_until(|router| router.has(1, &service)).await;
    assert_eq!((router.states, router.change_sets), (1, 5));

    // What this one has missed was in the memory of the controllers before.
    away.reconnect(&stage.publisher);
    away.read_until(|router| router.states == 2).await;
    assert_eq!(away.entities, router.entities);
    assert_eq!(
        (away.index, &away.timeline),
        (router.index, &router.timeline)
    );
}

#[tokio::test]
async fn a_position_that_was_not_kept_is_not_gone_on_from() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    let first = stage.service("first").await;
    router.read_until(|router| router.has(1, &first)).await;
    stage.publisher.keep_position().await.unwrap();
    let second = stage.service("second").await;
    router.read_until(|router| router.has(1, &second)).await;
    let stage = Stage::on(stage.kill().await).await;
    let before = router.timeline.clone();
    router.reconnect(&stage.publisher);
    router.read_until(|router| router.states == 2).await;
    assert_ne!(router.timeline, before);
    assert!(router.has(1, &second));
}

#[tokio::test]
async fn keys_that_were_taken_away_before_a_restart_are_taken_from_routers_after_it() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    router.read_until(|router| router.states == 1).await;
    let mut position = stage.publisher.state.lock().position().unwrap();
    let harness = stage.stop().await;
    position.key_ids.insert("gone".to_owned());
    model_position::keep(&harness.app, stored(&position))
        .await
        .unwrap();
    let stage = Stage::on(harness).await;
    let gone = PublicKey {
        key_id: "gone".to_owned(),
        ..PublicKey::default()
    };
    let gone = Subject::PublicKey(Box::new(gone));
    router.entities.insert(key(&gone), gone);
    router.reconnect(&stage.publisher);
    router.read_until(|router| !router.has(4, "gone")).await;
    assert_eq!(router.states, 1);
    let again = stage.publisher.state.lock().position().unwrap();
    assert!(again.key_ids.contains("gone"));
}

#[tokio::test]
async fn a_backup_begins_a_timeline() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    let first = stage.service("first").await;
    router.read_until(|router| router.has(1, &first)).await;
    let harness = stage.stop().await;
    let stage = Stage::on(Harness::restore(harness.back_up()).await).await;
    let before = router.timeline.clone();
    router.reconnect(&stage.publisher);
    router.read_until(|router| router.states == 2).await;
    assert_ne!(router.timeline, before);
    assert!(router.has(1, &first));
}

#[tokio::test]
async fn what_routers_know_of_a_store_that_was_put_back_counts_for_nothing() {
    let stage = Stage::start().await;
    let mut router = Router::connect(&stage.publisher, "router", 100);
    let first = stage.service("first").await;
    router.read_until(|router| router.has(1, &first)).await;
    // The file, copied without a word.
    let harness = stage.stop().await;
    let copy = harness.remains().with_entropy(7);
    let mut current = router;
    let mut ahead = Vec::new();
    let stage = Stage::on(harness).await;
    stage.model().await;
    current.reconnect(&stage.publisher);
    for number in 0..5 {
        let lost = stage.service(&format!("lost {number}")).await;
        current.read_until(|router| router.has(1, &lost)).await;
        ahead.push((current.index, current.timeline.clone()));
    }
    assert_eq!(current.states, 1);
    drop(stage);

    let stage = Stage::on(Harness::restart(copy).await).await;
    let mut fresh = Router::connect(&stage.publisher, "fresh", 100);
    fresh.read_until(|router| router.states == 1).await;
    assert_eq!(fresh.timeline, ahead[0].1, "the file has said so");
    for number in 0..10 {
        let other = stage.service(&format!("other {number}")).await;
        fresh.read_until(|router| router.has(1, &other)).await;
    }
    for (number, (index, timeline)) in ahead.into_iter().enumerate() {
        let mut router = Router::connect(&stage.publisher, &format!("ahead {number}"), 100);
        (router.index, router.timeline) = (index, timeline);
        router.subscribe();
        router.read_until(|router| router.states == 1).await;
        assert_eq!(router.entities, fresh.entities);
    }
}

#[tokio::test]
async fn a_flood_of_subscriptions_costs_one_state() {
    let stage = Stage::start().await;
    let mut quiet = Router::connect(&stage.publisher, "quiet", 100);
    quiet.read_until(|router| router.states == 1).await;
    let flood = Router::connect(&stage.publisher, "flood", 100);
    let mut bodies = Vec::new();
    let flooding = async {
        for number in 0_u32.. {
            flood.subscriber.subscribe(Subscription {
                duration_seconds: 300,
                subscription_id: number.to_string(),
                ..Subscription::default()
            });
            let arrived = std::mem::take(&mut *flood.queue.messages.lock());
            for (message, written) in arrived {
                if let Ok(ControlMessage::DataState(_)) = ControlMessage::decode(&message) {
                    bodies.push(message.body);
                }
                let _ = written.send(());
            }
            tokio::task::yield_now().await;
        }
    };
    let flooded = timeout(Duration::from_millis(4500), flooding).await;
    assert!(flooded.is_err());
    assert!((2..=3).contains(&bodies.len()), "{}", bodies.len());
    let first = bodies[0].as_ptr();
    assert!(bodies.iter().all(|body| body.as_ptr() == first));
    // Others have not waited for it.
    let service = stage.service("wiki").await;
    quiet.read_until(|router| router.has(1, &service)).await;
    assert_eq!(quiet.states, 1);
}

#[tokio::test]
async fn a_state_that_fills_the_queue_waits_for_an_empty_one() {
    let stage = Stage::start().await;
    let queue = Queue::new(100, 600);
    let mut router = Router::connect_through(&stage.publisher, "router", queue);
    router.read_until(|router| router.states == 1).await;
    let first = stage.service("first").await;
    router.queue.arrived.notified().await;
    // It has not read that yet.
    router.index = 0;
    router.subscribe();
    router.read_until(|router| router.states == 2).await;
    assert!(router.has(1, &first));
    assert_eq!(*router.queue.refused.lock(), 0);
}

#[tokio::test]
async fn others_run_while_the_store_is_read() {
    let harness = Harness::start().await;
    let (sender, receiver) = std::sync::mpsc::channel();
    let receiver = Arc::new(Mutex::new(receiver));
    tokio::spawn(async move { sender.send(()) });
    // Read on the only thread, it would wait for a task that cannot run.
    let work = move |_: &mut Follower| {
        let waited = receiver.lock().recv_timeout(PATIENCE);
        waited.map_err(|_timeout| AppError::NotReady)
    };
    let reading = read(Follower::new(Arc::clone(&harness.app)), work);
    timeout(PATIENCE, reading).await.unwrap();
}
