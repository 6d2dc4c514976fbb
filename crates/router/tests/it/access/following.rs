//! Routers that follow the model of a controller, over channels that fail and lose messages.

use super::network::{Truth, change, public_key};
use super::seeds::for_seeds;
use portcullis_data_model::{Change, DataModel, Moment, Options, SubscriberId, Update};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_router::access::{Reception, Replica};
use portcullis_router::edge::ControllerId;
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{ChangeSet, DataState};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

const SEEDS: u64 = 150;
const ROUTERS: usize = 3;
const OPTIONS: Options = Options {
    max_change_sets: 6,
    max_bytes: 2_000,
    credit: 3,
    state_interval: Duration::ZERO,
};

struct Receiver {
    replica: Replica,
    session: Option<SubscriberId>,
    /// On the way to the router.
    queue: VecDeque<Update>,
    runs: u64,
    gaps: u64,
}

struct World {
    random: Random,
    seconds: u64,
    sender: DataModel,
    truth: Truth,
    keys: BTreeSet<String>,
    revision: u64,
    timelines: u64,
    receivers: Vec<Receiver>,
}

fn controller() -> ControllerId {
    "controller".into()
}

impl World {
    fn new(seed: u64) -> Self {
        let receiver = |_| Receiver {
            replica: Replica::new("0"),
            session: None,
            queue: VecDeque::new(),
            runs: 0,
            gaps: 0,
        };
        Self {
            random: Random::from_seed(seed),
            seconds: 0,
            sender: DataModel::new(OPTIONS, ("0".to_owned(), 0), [], []),
            truth: Truth::new(),
            keys: BTreeSet::new(),
            revision: 0,
            timelines: 0,
            receivers: (0..ROUTERS).map(receiver).collect(),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(self.seconds.try_into().unwrap())
    }

    fn moment(&self) -> Moment {
        Moment::ZERO + Duration::from_secs(self.seconds)
    }

    fn commit(&mut self) {
        let before = self.truth.clone();
        change(&mut self.truth, &mut self.random);
        let removed = before.keys().filter(|key| !self.truth.contains_key(*key));
        let removed = removed.map(|key| Change::Removed(key.clone()));
        let written = self.truth.iter();
        let written = written
            .filter(|(key, entity)| before.get(*key) != Some(*entity))
            .map(|(_, entity)| Change::Set(entity.clone()));
        let changes: Vec<_> = removed.chain(written).collect();
        self.revision += 1 + self.random.below(3);
        self.sender.commit(self.revision, changes).unwrap();
    }

    /// The controller starts again, perhaps with another database.
    fn restart_controller(&mut self) {
        let kept = self.sender.position();
        if self.random.one_in(3) {
            change(&mut self.truth, &mut self.random);
        }
        self.timelines += 1;
        let start = (self.timelines.to_string(), self.revision / 2);
        let keys = self.keys.iter().map(|id| public_key(id));
        let entities = self.truth.values().cloned();
        self.sender = DataModel::new(OPTIONS, start, entities, keys);
        if !self.sender.resume(kept) {
            self.revision /= 2;
        }
        for number in 0..ROUTERS {
            self.lose_channel(number);
        }
    }

    /// A router starts again with its file, or without.
    fn restart_router(&mut self, number: usize) {
        self.lose_channel(number);
        let receiver = &mut self.receivers[number];
        receiver.runs += 1;
        let run = receiver.runs.to_string();
        receiver.replica = if self.random.one_in(3) {
            Replica::new(run)
        } else {
            let file = receiver.replica.to_file().unwrap();
            let replica = Replica::from_file(run, &file).unwrap();
            assert_eq!(replica.model(), receiver.replica.model());
            assert_eq!(replica.position(), receiver.replica.position());
            replica
        };
    }

    fn turn_key(&mut self) {
        let id = format!("k{}", self.random.below(4));
        if !self.keys.remove(&id) {
            self.keys.insert(id);
        }
        let keys: Vec<_> = self.keys.iter().map(|id| public_key(id)).collect();
        self.sender.set_public_keys(keys);
    }

    fn lose_channel(&mut self, number: usize) {
        let now = self.now();
        let receiver = &mut self.receivers[number];
        if let Some(session) = receiver.session.take() {
            receiver.queue.clear();
            receiver.replica.disconnect(&controller(), now);
            self.sender.disconnect(session);
        }
    }

    fn connect(&mut self, number: usize) {
        let (now, moment) = (self.now(), self.moment());
        let receiver = &mut self.receivers[number];
        if receiver.session.is_none() {
            receiver.session = Some(self.sender.connect(format!("r{number}"), moment));
            receiver.replica.connect(controller(), now);
        }
    }

    fn send(&mut self) {
        let (now, moment) = (self.now(), self.moment());
        for receiver in &mut self.receivers {
            while let Some((_, request)) = receiver.replica.poll(now) {
                self.sender
                    .subscribe(receiver.session.unwrap(), &request, moment);
            }
        }
        while let Some((session, update)) = self.sender.poll_update(moment) {
            let mut receivers = self.receivers.iter_mut();
            let receiver = receivers.find(|receiver| receiver.session == Some(session));
            receiver.unwrap().queue.push_back(update);
        }
    }

    /// The next update reaches a router, or, if it is a change set and so decided, is lost.
    fn deliver(&mut self, number: usize, is_lost: bool) {
        let now = self.now();
        let receiver = &mut self.receivers[number];
        let Some(update) = receiver.queue.pop_front() else {
            return;
        };
        self.sender.written(receiver.session.unwrap());
        let replica = &mut receiver.replica;
        let reception = match update {
            Update::State {
                state,
                subscription_id,
            } => replica.receive_state(
                &controller(),
                DataState {
                    state: state.to_message(),
                    subscription_id: Some(subscription_id),
                },
            ),
            Update::Changes { changes, .. } if is_lost && !changes.is_synthetic => return,
            Update::Changes {
                changes,
                subscription_id,
            } => replica.receive_changes(
                &controller(),
                ChangeSet {
                    changes: (*changes).clone(),
                    subscription_id,
                },
                now,
            ),
            Update::Index(index) => replica.receive_index(&controller(), &index, now),
        };
        receiver.gaps += u64::from(reception == Reception::Gap);
    }

    fn step(&mut self) {
        let number = self.random.index(ROUTERS);
        match self.random.below(40) {
            0 => self.lose_channel(number),
            1 if self.random.one_in(4) => self.restart_controller(),
            2 if self.random.one_in(4) => self.restart_router(number),
            3 => self.turn_key(),
            4 => self.seconds += self.random.below(200),
            5 | 6 => self.connect(number),
            7..=14 => self.commit(),
            15..=20 => self.send(),
            _ => {
                let is_lost = self.random.one_in(20);
                self.deliver(number, is_lost);
            },
        }
    }

    /// Nothing happens any more but what is due.
    fn quiet(&mut self) {
        for number in 0..ROUTERS {
            self.connect(number);
        }
        for _ in 0..30 {
            self.send();
            for number in 0..ROUTERS {
                while !self.receivers[number].queue.is_empty() {
                    self.deliver(number, false);
                }
            }
            self.seconds += 31;
        }
        for receiver in &self.receivers {
            let replica = &receiver.replica;
            assert_eq!(replica.position().0, self.sender.position().index);
            assert_eq!(replica.position().1, self.sender.position().timeline_id);
            let model = replica.model();
            assert_eq!(model.entities().collect::<Truth>(), self.truth);
            let keys = model.public_keys().map(|key| key.key_id.clone());
            assert_eq!(keys.collect::<BTreeSet<_>>(), self.keys);
            // However it came about, it is the model that its events make, indexes included.
            let mut anew = portcullis_router::access::DataModel::default();
            anew.apply(model.to_events());
            assert_eq!(&anew, model);
        }
    }
}

#[test]
fn routers_agree_with_their_controller_once_things_are_quiet() {
    let mut gaps = 0;
    let is_usual = for_seeds(SEEDS, |seed| {
        let mut world = World::new(seed);
        for _ in 0..400 {
            world.step();
        }
        world.quiet();
        let receivers = world.receivers.iter();
        gaps += receivers.map(|receiver| receiver.gaps).sum::<u64>();
    });
    assert!(
        !is_usual || gaps > SEEDS / 2,
        "losses happen, and leave {gaps} gaps"
    );
}
