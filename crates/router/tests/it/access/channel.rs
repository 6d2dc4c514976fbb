//! An SDK's channel that asks the data model.

use super::network::{Truth, identity, insert, service};
use super::world::{World, certificates, circuit, used};
use portcullis_channel::{Frame, FrameLimits, Sequence};
use portcullis_data_model::{Entity, Policy};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{Action, ChannelId, Client, EdgeLimits, SdkChannel};
use portcullis_wire::ErrorCode;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::control::data_model::{
    Action as Change, Event, PolicyType, ServicePolicy, Subject,
};
use portcullis_wire::edge::{ConnectV2, ConnectionId, EdgeMessage, ServiceIdentifier};

fn network() -> Truth {
    let mut truth = Truth::new();
    insert(&mut truth, Entity::Identity(Box::new(identity("alice"))));
    insert(&mut truth, Entity::Service(service("wiki")));
    let policy = Policy {
        id: "policy".to_owned(),
        name: "policy".to_owned(),
        policy_type: PolicyType::Dial,
        services: ["wiki".to_owned()].into(),
        posture_checks: [].into(),
        identities: ["alice".to_owned()].into(),
    };
    insert(&mut truth, Entity::Policy(policy));
    truth
}

/// A dial of the service with this name.
fn dial(connection: u32, name: &str) -> Frame {
    let message = EdgeMessage::ConnectV2(ConnectV2 {
        connection: ConnectionId(connection),
        service: name.to_owned(),
        service_identifier: Some(ServiceIdentifier::Name),
        uses_xgress: true,
        ..ConnectV2::default()
    });
    let sequence = Sequence(connection.cast_signed());
    Frame::new(message.encode().unwrap(), sequence, &FrameLimits::LARGE).unwrap()
}

/// Lets a controller answer all dials, and returns what the SDK is sent.
fn sent(channel: &mut SdkChannel, world: &World) -> Vec<EdgeMessage> {
    let mut sent = Vec::new();
    while let Some(action) = channel.poll() {
        match action {
            Action::Request { request, .. } => {
                let answer = ControlMessage::CreateCircuitAnswerV3(CreateCircuitAnswer {
                    circuit_id: "circuit".to_owned(),
                    address: "address".to_owned(),
                    ..CreateCircuitAnswer::default()
                });
                let now = world.time();
                channel.controller_answered(request, "c1".into(), answer, &world.control, now);
            },
            Action::Send(outgoing) => sent.push(outgoing.message),
            _ => {},
        }
    }
    sent
}

#[test]
fn a_lost_right_ends_what_the_sdk_has_dialed() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 1000);
    let client = Client {
        session,
        certificates: certificates("alice"),
    };
    let limits = EdgeLimits::default();
    let now = world.time();
    let mut channel = SdkChannel::new(ChannelId(1), client, "router".into(), limits, now);

    channel.handle_frame(dial(1, "no such name"), &world.control, now);
    let refused = sent(&mut channel, &world);
    assert!(matches!(
        &refused[..],
        [EdgeMessage::StateClosed(closed)] if closed.code == Some(ErrorCode::InvalidService)
    ));
    channel.handle_frame(dial(2, "name of wiki"), &world.control, now);
    let connected = sent(&mut channel, &world);
    assert!(matches!(&connected[..], [EdgeMessage::StateConnected(_)]));
    let usage = circuit(1, ServiceGrant::Dial, "circuit");
    let now = world.time();
    world
        .control
        .begin(usage.clone(), used("wiki"), now)
        .unwrap();
    channel.review(&world.control, now);
    assert_eq!(sent(&mut channel, &world), []);

    let gone = Subject::ServicePolicy(Box::new(ServicePolicy {
        id: "policy".to_owned(),
        ..ServicePolicy::default()
    }));
    let consequences = world.change(vec![Event {
        action: Change::Delete,
        is_synthetic: false,
        subject: Some(gone),
    }]);
    let lost: Vec<_> = consequences.lost.keys().collect();
    assert_eq!(lost, [&usage]);
    channel.review(&world.control, now);
    let closed = sent(&mut channel, &world);
    let reasons = closed.iter().filter_map(|message| match message {
        EdgeMessage::StateClosed(closed) => Some(closed.reason.as_str()),
        _ => None,
    });
    assert_eq!(reasons.collect::<Vec<_>>(), ["dial access lost"]);
}
