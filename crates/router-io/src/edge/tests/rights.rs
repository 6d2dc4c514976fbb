//! Rights that are lost while they are used, and tokens that are renewed.

use portcullis_simulated_sdk::{Sdk, data, dial_through, dial_v2};
use portcullis_wire::control::data_model::RelatedEntity;
use portcullis_wire::edge::{
    ConnectionId, DataFlags, Dial, EdgeMessage, ServiceSubscription, UpdateToken,
};
use portcullis_wire::{ErrorCode, Token};

use super::network::{SERVICE, creation, relation};
use super::sdk::enter;
use super::world::World;

/// A client and a host that data flows between, and the connection of the host.
async fn connected(world: &World) -> (Sdk, Sdk, Dial) {
    let mut host = world.host("bob", false).await;
    let mut client = world.sdk("alice").await;
    let (dial, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, false)).await;
    connected.unwrap();
    greet(&mut client, &mut host, ConnectionId(1), &dial).await;
    (client, host, dial)
}

/// Data flows both ways.
pub(super) async fn greet(client: &mut Sdk, host: &mut Sdk, near: ConnectionId, dial: &Dial) {
    let hi = |connection| data(connection, "hi", DataFlags::default());
    client.says(hi(near)).await;
    host.finds(|message, _| matches!(message, EdgeMessage::Data(_)).then_some(()))
        .await;
    host.says(hi(dial.new_connection.unwrap())).await;
    client
        .finds(|message, _| matches!(message, EdgeMessage::Data(_)).then_some(()))
        .await;
}

pub(super) async fn closed(sdk: &mut Sdk) -> (Option<ConnectionId>, Option<ErrorCode>, String) {
    sdk.finds(|message, _| match message {
        EdgeMessage::StateClosed(closed) => {
            Some((closed.connection, closed.code, closed.reason.clone()))
        },
        _ => None,
    })
    .await
}

#[tokio::test]
async fn dial_right_that_is_lost_ends_the_circuit() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let (mut client, mut host, dial) = connected(&world).await;
    let lost = relation("dial", RelatedEntity::Identity, &["alice"], false);
    controller.change(vec![creation(lost)]);
    let (id, _, reason) = closed(&mut client).await;
    assert_eq!(id, Some(ConnectionId(1)));
    assert_eq!(reason, "dial access lost");
    assert_eq!(closed(&mut host).await.0, dial.new_connection);
    let refused = client.dials(dial_v2(2, SERVICE, false)).await;
    assert_eq!(refused.unwrap_err().code, Some(ErrorCode::AccessDenied));
}

#[tokio::test]
async fn bind_right_that_is_lost_ends_terminator_and_circuits_of_that_identity_only() {
    let (world, controller) = World::connected(&["alice", "bob", "carol"]).await;
    let (mut client, mut host, dial) = connected(&world).await;
    let mut other = world.host("carol", false).await;
    assert_eq!(controller.terminators().len(), 2);
    let lost = relation("bind", RelatedEntity::Identity, &["bob"], false);
    controller.change(vec![creation(lost)]);
    let mut ended = [closed(&mut host).await, closed(&mut host).await];
    ended.sort_by_key(|(id, ..)| id.map(|id| id.0));
    assert_eq!(ended[0].0, Some(dial.connection));
    assert_eq!(ended[0].1, Some(ErrorCode::AccessDenied));
    assert_eq!(ended[1].0, dial.new_connection);
    closed(&mut client).await;
    controller
        .until(|controller| controller.terminators().len() == 1)
        .await;
    assert!(other.hears_nothing().await);
}

#[tokio::test]
async fn deleted_identity_loses_its_channel() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let (alice, mut bob) = (world.sdk("alice").await, world.sdk("bob").await);
    let mut deletion = world.network.model(&["alice"]);
    let mut deletion = deletion
        .extract_if(.., |event| {
            matches!(
                &event.subject,
                Some(portcullis_wire::control::data_model::Subject::Identity(_))
            )
        })
        .collect::<Vec<_>>();
    deletion[0].action = portcullis_wire::control::data_model::Action::Delete;
    controller.change(deletion);
    alice.is_put_off().await;
    assert!(bob.hears_nothing().await);
    assert_eq!(world.edge.clients(), 1);
}

#[tokio::test]
async fn token_is_renewed_for_all_channels_of_its_session() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let pair = world.network.identity("alice");
    let short = world.network.access_token("alice", &pair, 3);
    let connect = || enter(world.address, &world.network, &pair, Some(&short));
    let (mut first, second) = (connect().await.unwrap(), connect().await.unwrap());
    let update = |token: &str| {
        EdgeMessage::UpdateToken(UpdateToken {
            access_token: Token::new(token.to_owned()),
        })
    };
    let long = world.network.access_token("alice", &pair, 1000);
    let answer = first.asks(update(&long)).await;
    assert_eq!(answer, EdgeMessage::UpdateTokenSuccess);
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    assert_eq!(first.channel.close_reason(), None);
    assert_eq!(second.channel.close_reason(), None);

    // Whoever cannot show a good one loses the channel.
    let EdgeMessage::UpdateTokenFailure(failure) = first.asks(update("garbage")).await else {
        panic!("it is taken");
    };
    assert_eq!(failure.code, Some(ErrorCode::InvalidApiSession));
    first.is_put_off().await;
    assert_eq!(second.channel.close_reason(), None);
    assert!(first.hears().await.is_none());
}

#[tokio::test]
async fn token_that_expires_ends_the_channel() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let pair = world.network.identity("alice");
    let short = world.network.access_token("alice", &pair, 2);
    let sdk = enter(world.address, &world.network, &pair, Some(&short)).await;
    sdk.unwrap().is_put_off().await;
}

#[tokio::test]
async fn subscriber_is_told_of_its_services_and_of_changes() {
    let (world, controller) = World::connected(&["alice"]).await;
    let mut sdk = world.sdk("alice").await;
    let subscription = ServiceSubscription::default();
    sdk.says(EdgeMessage::ServiceSubscription(subscription))
        .await;
    let services = async |sdk: &mut Sdk| {
        sdk.finds(|message, _| match message {
            EdgeMessage::ServiceChangeSet(set) => Some(set.clone()),
            _ => None,
        })
        .await
    };
    let snapshot = services(&mut sdk).await;
    assert_eq!(snapshot.previous_index, -1);
    assert_eq!(snapshot.services.len(), 2);
    sdk.finds(|message, _| matches!(message, EdgeMessage::PostureStateChange(_)).then_some(()))
        .await;
    let lost = [
        relation("dial", RelatedEntity::Service, &[SERVICE], false),
        relation("bind", RelatedEntity::Service, &[SERVICE], false),
    ];
    controller.change(lost.map(creation).into());
    let changes = services(&mut sdk).await;
    assert_eq!(changes.previous_index, snapshot.index);
    assert!(changes.services.iter().any(|service| service.id == SERVICE));
}

#[tokio::test]
async fn clients_are_told_that_the_router_stops() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let mut sdk = world.sdk("alice").await;
    world.stop.cancel();
    sdk.is_put_off().await;
    assert!(sdk.hears().await.is_none());
    world.tasks.close();
    world.tasks.wait().await;
}
