//! The life of the tunneler's terminators at controllers.

use crate::world::Seeded;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::identity::Precedence;
use portcullis_router::edge::{RequestId, TerminatorId};
use portcullis_router::tunnel::{TerminatorAction, TerminatorTerms, TunnelTerminators};
use portcullis_tunneler::TerminatorKey;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    CreateTerminatorResult, InvalidReason, TerminatorToValidate, ValidateTerminators,
    ValidateTerminatorsV1,
};
use portcullis_wire::control::tunnel::{CreateTunnelTerminator, CreateTunnelTerminatorAnswer};
use portcullis_wire::{Precedence as WirePrecedence, RetryHint};
use std::sync::Arc;

/// Creations at a time.
const MOST: usize = 2;

struct World {
    terminators: TunnelTerminators,
    now: Timestamp,
}

impl World {
    fn new() -> Self {
        Self {
            terminators: TunnelTerminators::new(Arc::new(Seeded::new(1)), MOST),
            now: Timestamp::from_second(1_900_000_000).unwrap(),
        }
    }

    fn add(&mut self, service: &str) -> TerminatorId {
        let terms = TerminatorTerms {
            instance: Some("name".to_owned()),
            precedence: Precedence::Required,
            cost: 3,
        };
        self.terminators
            .add(&key(service), terms, self.now)
            .unwrap()
    }

    fn actions(&mut self) -> Vec<TerminatorAction> {
        std::iter::from_fn(|| self.terminators.poll()).collect()
    }

    /// What controllers are to create; there is nothing else to do.
    fn created(&mut self) -> Vec<CreateTunnelTerminator> {
        let actions = self.actions().into_iter();
        let created = actions.map(|action| match action {
            TerminatorAction::Tell(message) => match *message {
                ControlMessage::CreateTunnelTerminator(create) => create,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        });
        created.collect()
    }

    /// What controllers are asked; there is nothing else to do.
    fn asked(&mut self) -> Vec<(RequestId, ControlMessage)> {
        let actions = self.actions().into_iter();
        let asked = actions.map(|action| match action {
            TerminatorAction::Ask { request, message } => (request, *message),
            other => panic!("{other:?}"),
        });
        asked.collect()
    }

    fn answer(&mut self, id: &TerminatorId, result: CreateTerminatorResult) {
        let answer = CreateTunnelTerminatorAnswer {
            terminator_id: id.as_str().to_owned(),
            result,
            reason: "no such service".to_owned(),
            ..CreateTunnelTerminatorAnswer::default()
        };
        self.terminators.create_answered(answer, self.now);
    }

    /// A terminator that a controller has created.
    fn established(&mut self, service: &str) -> TerminatorId {
        let id = self.add(service);
        assert_eq!(self.created().len(), 1);
        self.answer(&id, CreateTerminatorResult::Success);
        let created = TerminatorAction::Created(id.clone());
        assert_eq!(self.actions(), [created]);
        id
    }

    fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
        self.terminators.handle_timeout(self.now);
    }
}

fn key(service: &str) -> TerminatorKey {
    TerminatorKey {
        service: service.into(),
        index: 0,
    }
}

fn question(id: &str, binding: &str) -> ValidateTerminators {
    ValidateTerminators {
        terminators: vec![TerminatorToValidate {
            id: id.to_owned(),
            binding: binding.to_owned(),
            marker: 9,
            ..TerminatorToValidate::default()
        }],
        ..ValidateTerminators::default()
    }
}

#[test]
fn terminator_is_created_until_a_controller_answers() {
    let mut world = World::new();
    let id = world.add("wiki");
    let created = world.created();
    let [create] = &created[..] else {
        panic!("{created:?}");
    };
    assert_eq!(
        (&*create.service_id, &*create.address),
        ("wiki", id.as_str())
    );
    assert_eq!(
        (create.cost, create.precedence),
        (3, WirePrecedence::Required)
    );
    assert_eq!(create.instance_id, "name");
    assert_eq!(create.start_millis, 1_900_000_000_000);
    assert_eq!(
        world.terminators.find(id.as_str()).map(|(_, key)| key),
        Some(&key("wiki"))
    );
    world.pass(29);
    assert_eq!(world.created(), []);
    world.pass(1);
    let again = world.created();
    assert_eq!(again[0].address, create.address);
    world.answer(&id, CreateTerminatorResult::Success);
    assert_eq!(world.actions(), [TerminatorAction::Created(id)]);
    world.pass(3600);
    assert_eq!(world.actions(), []);
}

#[test]
fn few_are_created_at_a_time() {
    let mut world = World::new();
    let ids: Vec<_> = ["a", "b", "c"].map(|service| world.add(service)).into();
    assert_eq!(world.created().len(), MOST);
    world.answer(&ids[1], CreateTerminatorResult::Success);
    let actions = world.actions();
    assert_eq!(actions[0], TerminatorAction::Created(ids[1].clone()));
    assert_eq!(actions.len(), 2, "{actions:?}");
}

#[test]
fn refusal_ends_it_unless_the_controller_is_busy() {
    let mut world = World::new();
    let id = world.add("wiki");
    world.created();
    let busy = CreateTunnelTerminatorAnswer {
        terminator_id: id.as_str().to_owned(),
        result: CreateTerminatorResult::FailedBusy,
        retry_hint: RetryHint::Busy,
        ..CreateTunnelTerminatorAnswer::default()
    };
    world.terminators.create_answered(busy, world.now);
    assert_eq!(world.actions(), []);
    world.pass(1);
    assert_eq!(world.created().len(), 1);

    world.answer(&id, CreateTerminatorResult::Failed);
    let actions = world.actions();
    let ended = TerminatorAction::Ended {
        id: id.clone(),
        reason: "no such service".to_owned(),
    };
    assert_eq!(actions[0], ended);
    assert!(world.terminators.find(id.as_str()).is_none());
}

#[test]
fn changes_are_told_one_after_the_other() {
    let mut world = World::new();
    let id = world.established("wiki");
    world.terminators.update(&id, Precedence::Required, 3);
    assert_eq!(world.actions(), [], "nothing has changed");
    world.terminators.update(&id, Precedence::Failed, 4);
    world.terminators.update(&id, Precedence::Failed, 5);
    let asked = world.asked();
    let [(first, ControlMessage::UpdateTunnelTerminator(update))] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(
        (update.cost, update.precedence),
        (4, WirePrecedence::Failed)
    );
    assert!(update.updates_cost && update.updates_precedence);
    world.terminators.request_answered(*first, true, world.now);
    let asked = world.asked();
    let [(second, ControlMessage::UpdateTunnelTerminator(update))] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(update.cost, 5);
    // A controller that cannot do it may not have the terminator.
    world
        .terminators
        .request_answered(*second, false, world.now);
    let created = world.created();
    assert_eq!(created[0].cost, 5);
    world.answer(&id, CreateTerminatorResult::Success);
    assert_eq!(world.actions(), [], "that it is there was told");
}

#[test]
fn change_before_the_answer_is_told_after_it() {
    let mut world = World::new();
    let id = world.add("wiki");
    world.created();
    world.terminators.update(&id, Precedence::Default, 8);
    assert_eq!(world.actions(), []);
    world.answer(&id, CreateTerminatorResult::Success);
    let actions = world.actions();
    assert!(
        matches!(&actions[1], TerminatorAction::Ask { message, .. }
            if matches!(&**message, ControlMessage::UpdateTunnelTerminator(update) if update.cost == 8)),
        "{actions:?}"
    );
}

#[test]
fn removed_terminator_is_removed_at_a_controller() {
    let mut world = World::new();
    let id = world.established("wiki");
    world.terminators.remove(&id, world.now);
    let asked = world.asked();
    let [(request, ControlMessage::RemoveTerminators(removed))] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(removed.terminator_ids, [id.as_str()]);
    world
        .terminators
        .request_answered(*request, false, world.now);
    world.pass(1);
    let [(request, _)] = world.asked()[..] else {
        panic!("it is repeated");
    };
    world.terminators.request_answered(request, true, world.now);
    assert_eq!(world.actions(), []);
    assert_eq!(world.terminators.deadline(), None);
}

#[test]
fn server_has_its_id_again_once_that_is_free() {
    let mut world = World::new();
    let first = world.established("wiki");
    let second = world.add("wiki");
    assert_ne!(first, second, "the first one is still there");
    world.created();
    world.terminators.remove(&second, world.now);
    let asked = world.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    // A controller may be about to remove it.
    let third = world.add("wiki");
    assert!(third != first && third != second);
    world.created();
    world.answer(&second, CreateTerminatorResult::Failed);
    world.answer(&third, CreateTerminatorResult::Success);
    world.terminators.remove(&third, world.now);
    world.actions();
    // The removal of the second one is on its way, and that of the third waits behind it.
    assert_eq!(world.add("wiki"), third);
}

#[test]
fn controller_that_connects_is_told_what_it_may_have_missed() {
    let mut world = World::new();
    let known = world.established("known");
    let unknown = world.established("unknown");
    let waiting = world.add("waiting");
    world.created();
    world.terminators.controller_connected(world.now);
    let again = world.created();
    assert_eq!(again.len(), 1, "what was not answered");
    assert_eq!(again[0].address, waiting.as_str());
    world.answer(&waiting, CreateTerminatorResult::Success);
    world.actions();

    let asked = question(known.as_str(), "tunnel");
    let states = world.terminators.validate(&asked, world.now);
    assert!(states[known.as_str()].is_valid);
    assert_eq!(states[known.as_str()].marker, 9);
    world.pass(10);
    let again = world.created();
    assert_eq!(again.len(), 1, "what it has not asked for");
    assert_eq!(again[0].address, unknown.as_str());
}

#[test]
fn validation_is_of_the_binding_alone() {
    let mut world = World::new();
    let states = world
        .terminators
        .validate(&question("unknown", "tunnel"), world.now);
    let state = &states["unknown"];
    assert!(!state.is_valid);
    assert_eq!(state.reason, InvalidReason::UnknownTerminator);
    let states = world
        .terminators
        .validate(&question("unknown", "edge"), world.now);
    assert!(states.is_empty());

    // A controller that asks for a terminator has it.
    let id = world.add("wiki");
    world.created();
    let asked = question(id.as_str(), "tunnel");
    world.terminators.validate(&asked, world.now);
    assert_eq!(world.actions(), [TerminatorAction::Created(id)]);

    let terminators = question("gone", "tunnel").terminators;
    let v1 = ValidateTerminatorsV1 { terminators };
    world.terminators.validate_v1(&v1, world.now);
    let asked = world.asked();
    assert!(
        matches!(&asked[..], [(_, ControlMessage::RemoveTerminators(removed))]
            if removed.terminator_ids == ["gone"]),
        "{asked:?}"
    );
}

#[test]
fn health_is_told_of_what_is_there() {
    let mut world = World::new();
    let id = world.add("wiki");
    world.created();
    world.terminators.report_health(&id, true);
    assert_eq!(world.actions(), []);
    world.answer(&id, CreateTerminatorResult::Success);
    world.actions();
    world.terminators.report_health(&id, false);
    let actions = world.actions();
    assert!(
        matches!(&actions[..], [TerminatorAction::Tell(message)]
            if matches!(&**message, ControlMessage::TunnelHealthEvent(event)
                if event.terminator_id == id.as_str() && !event.has_passed)),
        "{actions:?}"
    );
}
