//! Rights that depend on the machines of SDKs.

use std::time::Duration;

use portcullis_router::edge::EdgeLimits;
use portcullis_simulated_sdk::{Sdk, dial_through, dial_v2};
use portcullis_wire::ErrorCode;
use portcullis_wire::control::data_model::{
    Event, OperatingSystem as Permitted, OperatingSystems, PostureCheck, PostureCheckKind,
    RelatedEntity, Subject,
};
use portcullis_wire::edge::{
    ConnectionId, EdgeMessage, OperatingSystem, Posture, PostureResponse, PostureResponses,
    ServiceSubscription,
};
use tokio::time::Instant;

use super::network::{SERVICE, creation, relation};
use super::rights::{closed, greet};
use super::world::World;

const BETWEEN_REVIEWS: Duration = Duration::from_mins(2);
/// Much shorter than the time between two reviews of all rights.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Whoever dials needs a machine with Linux 5 or newer.
fn check_of_systems() -> Vec<Event> {
    let linux = Permitted {
        kind: "Linux".to_owned(),
        versions: vec![">=5.0.0".to_owned()],
    };
    let systems = OperatingSystems {
        systems: vec![linux],
    };
    let check = PostureCheck {
        id: "system".to_owned(),
        name: "system".to_owned(),
        type_id: "OS".to_owned(),
        kind: Some(PostureCheckKind::OperatingSystem(Box::new(systems))),
    };
    let needed = relation("dial", RelatedEntity::PostureCheck, &["system"], true);
    let all = [Subject::PostureCheck(Box::new(check)), needed];
    all.map(creation).into()
}

/// What a client says of its machine.
fn runs_linux(version: &str) -> EdgeMessage {
    let system = OperatingSystem {
        kind: "Linux".to_owned(),
        version: version.to_owned(),
        build: String::new(),
    };
    let posture = Some(Posture::OperatingSystem(Box::new(system)));
    EdgeMessage::PostureResponses(PostureResponses {
        responses: vec![PostureResponse { posture }],
    })
}

#[tokio::test]
async fn client_dials_as_long_as_its_machine_passes_the_checks() {
    let world = World::with(EdgeLimits {
        review_interval: BETWEEN_REVIEWS,
        ..EdgeLimits::default()
    });
    let controller = world.connect(&["alice", "bob"]).await;
    world.model_has_arrived().await;
    let mut host = world.host("bob", false).await;
    let mut client = world.sdk("alice").await;
    let subscription = ServiceSubscription::default();
    client
        .says(EdgeMessage::ServiceSubscription(subscription))
        .await;
    controller.change(check_of_systems());
    client
        .finds(|message, _| match message {
            EdgeMessage::ServiceChangeSet(set) => (!set.posture_checks.is_empty()).then_some(()),
            _ => None,
        })
        .await;
    let is_refused = async |client: &Sdk| {
        let refused = client.dials(dial_v2(1, SERVICE, false)).await.unwrap_err();
        assert_eq!(refused.code.map(ErrorCode::code), Some(15));
        let structured = refused.structured_error.unwrap();
        let failing = r#""failingPostureCheckIds":["system"]"#;
        assert!(structured.contains(failing), "{structured}");
    };
    is_refused(&client).await;
    client.says(runs_linux("4.19.0")).await;
    is_refused(&client).await;

    client.says(runs_linux("6.1.0")).await;
    let (dial, connected) = dial_through(&client, &mut host, dial_v2(2, SERVICE, false)).await;
    connected.unwrap();
    greet(&mut client, &mut host, ConnectionId(2), &dial).await;
    client.says(runs_linux("6.2.0")).await;
    greet(&mut client, &mut host, ConnectionId(2), &dial).await;

    let start = Instant::now();
    client.says(runs_linux("4.19.0")).await;
    let (ended, _, reason) = closed(&mut client).await;
    assert_eq!(ended, Some(ConnectionId(2)));
    assert_eq!(reason, "dial access lost");
    assert_eq!(closed(&mut host).await.0, dial.new_connection);
    assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
    is_refused(&client).await;
    // The channel itself goes on.
    client.says(runs_linux("6.1.0")).await;
    let (_, connected) = dial_through(&client, &mut host, dial_v2(3, SERVICE, false)).await;
    connected.unwrap();
}
