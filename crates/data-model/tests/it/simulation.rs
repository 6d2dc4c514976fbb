//! Routers that connect, lag, miss messages and go, and a controller that restarts.

use crate::receiver::Receiver;
use crate::support::{Truth, change, key, public_key, seen_by};
use portcullis_data_model::{
    Change, DataModel, Entity, Kind, Moment, Options, Policy, Relation, Update,
};
use portcullis_seeded_random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const SEEDS: u64 = 2_000;
const OPTIONS: Options = Options {
    max_change_sets: 6,
    max_bytes: 600,
    credit: 3,
    state_interval: Duration::from_millis(300),
};

struct World {
    random: Random,
    now: Moment,
    model: DataModel,
    truth: Truth,
    keys: BTreeSet<String>,
    revision: u64,
    timelines: u64,
    /// Starts at which the model went on where it was.
    resumed: u64,
    receivers: Vec<Receiver>,
}

impl World {
    fn new(seed: u64) -> Self {
        let receivers = (0..4).map(|number| Receiver::new(format!("r{number}")));
        Self {
            random: Random::from_seed(seed),
            now: Moment::ZERO,
            model: DataModel::new(OPTIONS, ("0".to_owned(), 0), [], []),
            truth: Truth::new(),
            keys: BTreeSet::new(),
            revision: 0,
            timelines: 0,
            resumed: 0,
            receivers: receivers.collect(),
        }
    }

    fn commit(&mut self) {
        let before = self.truth.clone();
        change(&mut self.truth, &mut self.random);
        let removed = before.keys().filter(|key| !self.truth.contains_key(*key));
        let removed = removed.map(|key| Change::Removed(key.clone()));
        let written = self.truth.iter().filter(|(key, entity)| {
            before.get(*key) != Some(*entity) || key.id.ends_with('1') // Some are only written.
        });
        let by_relations = self.random.one_in(2);
        let written = written.flat_map(|(key, entity)| match (before.get(key), entity) {
            (Some(Entity::Policy(old)), Entity::Policy(new))
                if by_relations && old.name == new.name =>
            {
                relations(old, new)
            },
            _ => vec![Change::Set(entity.clone())],
        });
        let changes: Vec<_> = removed.chain(written).collect();
        self.revision += 1 + self.random.below(3);
        let is_changed = self.model.commit(self.revision, changes).unwrap();
        assert_eq!(is_changed, before != self.truth);
        let (change_sets, bytes) = self.model.log_size();
        assert!(change_sets <= OPTIONS.max_change_sets && bytes <= OPTIONS.max_bytes);
    }

    fn restart(&mut self) {
        let kept = self.model.position();
        let before = self.truth.clone();
        if self.random.one_in(4) {
            // What the position was kept of is not what the store has.
            change(&mut self.truth, &mut self.random);
        }
        self.timelines += 1;
        let start = (self.timelines.to_string(), self.revision / 2);
        let keys = self.keys.iter().map(|id| public_key(id));
        let entities = self.truth.values().cloned();
        self.model = DataModel::new(OPTIONS, start, entities, keys);
        if self.model.resume(kept.clone()) {
            assert_eq!(before, self.truth);
            assert_eq!(self.model.position(), kept);
            self.resumed += 1;
        } else {
            assert_ne!(before, self.truth);
            self.revision /= 2;
        }
        for receiver in &mut self.receivers {
            receiver.session = None;
            receiver.queue.clear();
        }
    }

    fn turn_key(&mut self) {
        let id = format!("k{}", self.random.below(4));
        if !self.keys.remove(&id) {
            self.keys.insert(id);
        }
        let keys: Vec<_> = self.keys.iter().map(|id| public_key(id)).collect();
        self.model.set_public_keys(keys);
    }

    fn flip_connection(&mut self, number: usize) {
        let receiver = &mut self.receivers[number];
        if let Some(session) = receiver.session.take() {
            receiver.queue.clear();
            self.model.disconnect(session);
        } else {
            let session = self.model.connect(receiver.id.clone(), self.now);
            receiver.session = Some(session);
            self.subscribe(number, false);
        }
    }

    fn subscribe(&mut self, number: usize, is_renewal: bool) {
        let receiver = &mut self.receivers[number];
        if let Some(session) = receiver.session {
            let request = receiver.subscription(is_renewal);
            self.model.subscribe(session, &request, self.now);
        }
    }

    fn send(&mut self) {
        while let Some((session, update)) = self.model.poll_update(self.now) {
            let receiver = self.receivers.iter_mut();
            let mut receiver = receiver.filter(|receiver| receiver.session == Some(session));
            let queue = &mut receiver.next().unwrap().queue;
            queue.push_back(update);
            assert!(queue.len() <= OPTIONS.credit, "nobody gets more than fits");
            let mut queued = queue.iter();
            let has_state = queued.any(|update| matches!(update, Update::State { .. }));
            assert!(!has_state || queue.len() == 1, "a state goes alone");
        }
    }

    /// The next update reaches a router, or, if it is a change set and so decided, is lost.
    fn deliver(&mut self, number: usize, is_lost: bool) {
        let receiver = &mut self.receivers[number];
        let Some(update) = receiver.queue.pop_front() else {
            return;
        };
        self.model.written(receiver.session.unwrap());
        let is_chained =
            matches!(&update, Update::Changes { changes, .. } if !changes.is_synthetic);
        if !(is_lost && is_chained) && receiver.receive(update) {
            self.subscribe(number, false);
        }
    }

    fn step(&mut self, may_lose: bool) {
        self.now = self.now + Duration::from_millis(100);
        let number = usize::try_from(self.random.below(4)).unwrap();
        match self.random.below(40) {
            0 => self.flip_connection(number),
            1 if self.random.one_in(4) => self.restart(),
            2 => self.turn_key(),
            3 => self.subscribe(number, true),
            4 => self.now = self.now + Duration::from_secs(self.random.below(200)),
            5..=12 => self.commit(),
            13..=18 => self.send(),
            _ => {
                let is_lost = may_lose && self.random.one_in(20);
                self.deliver(number, is_lost);
            },
        }
    }

    /// Nothing happens any more but what is due.
    fn quiet(&mut self) {
        for number in 0..self.receivers.len() {
            if self.receivers[number].session.is_none() {
                self.flip_connection(number);
            }
        }
        for round in 0..30 {
            if round % 9 == 0 {
                for number in 0..self.receivers.len() {
                    self.subscribe(number, true);
                }
            }
            self.send();
            for number in 0..self.receivers.len() {
                while !self.receivers[number].queue.is_empty() {
                    self.deliver(number, false);
                }
            }
            self.now = self.now + Duration::from_secs(31);
        }
        let keys = self.keys.iter().map(|id| (id.clone(), public_key(id)));
        let keys: BTreeMap<_, _> = keys.collect();
        for receiver in &self.receivers {
            assert_eq!(receiver.index, self.model.position().index);
            assert_eq!(receiver.model, seen_by(&receiver.id, &self.truth));
            assert_eq!(receiver.keys, keys);
        }
    }
}

/// The changes that lead from one policy to another with the same name.
fn relations(old: &Policy, new: &Policy) -> Vec<Change> {
    let kinds = [
        (Kind::Service, &old.services, &new.services),
        (Kind::PostureCheck, &old.posture_checks, &new.posture_checks),
        (Kind::Identity, &old.identities, &new.identities),
    ];
    let changes = kinds.into_iter().flat_map(|(kind, old, new)| {
        let changed = old.symmetric_difference(new);
        changed.map(move |id| (key(kind, id), new.contains(id)))
    });
    changes
        .map(|(entity, is_related)| Change::Related {
            relation: Relation {
                policy: new.id.clone(),
                entity,
            },
            is_related,
        })
        .collect()
}

#[test]
fn routers_agree_with_the_records_once_things_are_quiet() {
    let (mut gaps, mut states, mut change_sets, mut resumed) = (0, 0, 0, 0);
    for seed in 0..SEEDS {
        let may_lose = seed % 2 == 1;
        let run = AssertUnwindSafe(|| {
            let mut world = World::new(seed);
            for _ in 0..300 {
                world.step(may_lose);
            }
            world.quiet();
            (world.receivers, world.resumed)
        });
        let Ok((receivers, resumptions)) = catch_unwind(run) else {
            panic!("seed {seed}");
        };
        resumed += resumptions;
        for receiver in receivers {
            assert!(
                may_lose || receiver.gaps == 0,
                "seed {seed}: only losses leave gaps"
            );
            gaps += receiver.gaps;
            states += receiver.states;
            change_sets += receiver.change_sets;
        }
    }
    println!("{gaps} gaps, {states} states, {change_sets} change sets, {resumed} resumptions");
    assert!(resumed > SEEDS, "models go on after restarts");
    assert!(gaps > SEEDS / 10, "losses happen");
    assert!(states > SEEDS * 4, "routers fall behind");
    assert!(change_sets > SEEDS * 15, "routers keep up");
}
