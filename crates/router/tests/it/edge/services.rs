//! Subscriptions to services and posture.

use super::world::World;
use portcullis_router::edge::{Action, ChannelId};
use portcullis_wire::edge::{
    ChangedPostureCheck, EdgeMessage, PostureResponse, PostureResponses, PostureStateChange,
    ServiceChangeSet, ServiceSubscription,
};

fn subscribe(world: &mut World, channel: ChannelId) {
    let message = ServiceSubscription { index: -1 };
    world.says(channel, EdgeMessage::ServiceSubscription(message));
}

fn set(index: i64) -> ServiceChangeSet {
    ServiceChangeSet {
        index,
        previous_index: 999,
        ..ServiceChangeSet::default()
    }
}

/// Index and previous index of what was sent, or the sequence of a posture.
fn sent(world: &mut World) -> Vec<(i64, i64)> {
    world.settle();
    let messages = world.done.sent.drain(..).map(|(_, one)| one.message);
    messages
        .map(|message| match message {
            EdgeMessage::ServiceChangeSet(set) => (set.index, set.previous_index),
            EdgeMessage::PostureStateChange(posture) => (0, posture.sequence.try_into().unwrap()),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn asked(world: &mut World) -> Vec<Action> {
    world.settle();
    world.done.others.drain(..).collect()
}

#[test]
fn changes_follow_the_snapshot_and_name_the_one_before() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.channel(alice).send_changes(set(5));
    assert_eq!(sent(&mut world), [], "not subscribed");
    subscribe(&mut world, alice);
    assert_eq!(asked(&mut world), [Action::SendServices]);
    // These two race with the snapshot, which has the first.
    world.channel(alice).send_changes(set(10));
    world.channel(alice).send_changes(set(12));
    assert_eq!(sent(&mut world), []);
    world.channel(alice).send_snapshot(set(10));
    assert_eq!(sent(&mut world), [(10, -1), (12, 10)]);
    assert_eq!(asked(&mut world), [Action::SendPosture]);
    world.channel(alice).send_changes(set(12));
    world.channel(alice).send_changes(set(11));
    assert_eq!(sent(&mut world), [], "they are not newer");
    world.channel(alice).send_changes(set(20));
    assert_eq!(sent(&mut world), [(20, 12)]);
    assert_eq!(asked(&mut world), []);
}

#[test]
fn posture_is_numbered_and_follows_changed_checks() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world
        .channel(alice)
        .send_posture(PostureStateChange::default());
    assert_eq!(sent(&mut world), [], "not subscribed");
    subscribe(&mut world, alice);
    world.channel(alice).send_snapshot(set(1));
    sent(&mut world);
    asked(&mut world);
    for sequence in 1..4 {
        world
            .channel(alice)
            .send_posture(PostureStateChange::default());
        assert_eq!(sent(&mut world), [(0, sequence)]);
    }
    world.channel(alice).send_changes(ServiceChangeSet {
        posture_checks: vec![ChangedPostureCheck::default()],
        ..set(2)
    });
    assert_eq!(asked(&mut world), [Action::SendPosture]);
    world.says(alice, EdgeMessage::ResyncPostureState);
    assert_eq!(asked(&mut world), [Action::SendPosture]);
}

#[test]
fn unsubscribed_sdk_is_told_nothing() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    subscribe(&mut world, alice);
    world.says(alice, EdgeMessage::ServiceUnsubscription);
    world.channel(alice).send_snapshot(set(1));
    world.channel(alice).send_changes(set(2));
    assert_eq!(sent(&mut world), []);
    let stopped = [Action::SendServices, Action::StopServices];
    assert_eq!(asked(&mut world), stopped);
    // Go SDKs say so on all their channels, whether they had subscribed there or not.
    world.says(alice, EdgeMessage::ServiceUnsubscription);
    assert_eq!(asked(&mut world), []);
}

#[test]
fn sdk_that_subscribes_again_and_again_has_one_snapshot_made() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    for _ in 0..10 {
        subscribe(&mut world, alice);
    }
    assert_eq!(asked(&mut world), [Action::SendServices]);
    world.channel(alice).send_snapshot(set(1));
    sent(&mut world);
    asked(&mut world);
    subscribe(&mut world, alice);
    assert_eq!(asked(&mut world), [Action::SendServices], "it was dropped");
    world.channel(alice).send_snapshot(set(1));
    assert_eq!(sent(&mut world), [(1, -1)]);
}

#[test]
fn too_many_changes_before_a_snapshot_lead_to_another() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    subscribe(&mut world, alice);
    for index in 1..200 {
        world.channel(alice).send_changes(set(index));
    }
    asked(&mut world);
    world.channel(alice).send_snapshot(set(1));
    assert_eq!(sent(&mut world), []);
    assert_eq!(asked(&mut world), [Action::SendServices]);
    world.channel(alice).send_snapshot(set(200));
    assert_eq!(sent(&mut world), [(200, -1)]);
}

#[test]
fn posture_of_the_sdk_is_passed_on_unjudged() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let responses = vec![PostureResponse::default()];
    let message = PostureResponses {
        responses: responses.clone(),
    };
    world.says(alice, EdgeMessage::PostureResponses(message));
    assert_eq!(asked(&mut world), [Action::Posture(responses)]);
    world.nothing_sent();
}
