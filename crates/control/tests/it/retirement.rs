//! Routers whose operators take them out of use.

use crate::circuits::Network;
use portcullis_channel::ResultStatus;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::peer::PeerState;
use serde_json::json;

impl Network {
    async fn precedences(&self) -> Vec<String> {
        let terminators = self.stage.get("terminators").await;
        let terminators = terminators.as_array().unwrap().iter();
        let shown = terminators.map(|one| one["precedence"].as_str().unwrap().to_owned());
        shown.collect()
    }
}

#[tokio::test]
async fn terminators_of_a_quiesced_router_are_the_last_choice_until_it_is_dequiesced() {
    let mut network = Network::start().await;
    assert_eq!(network.precedences().await, ["default"]);
    // A router speaks for itself only.
    let other = network.first.request_result(&ControlMessage::QuiesceRouter);
    assert_eq!(other.await.status, ResultStatus::Success);
    assert_eq!(network.precedences().await, ["default"]);

    let quiesced = network
        .second
        .request_result(&ControlMessage::QuiesceRouter);
    let quiesced = quiesced.await;
    assert_eq!(quiesced.status, ResultStatus::Success);
    assert_eq!(quiesced.text, "router quiesced");
    assert_eq!(network.precedences().await, ["failed"]);
    // Where there is nothing else, it is still used.
    network.open().await;

    let dequiesced = network
        .second
        .request_result(&ControlMessage::DequiesceRouter);
    assert_eq!(dequiesced.await.text, "router dequiesced");
    assert_eq!(network.precedences().await, ["default"]);
    network.stage.stop().await;
}

#[tokio::test]
async fn decommissioned_router_is_deleted_and_let_go() {
    let mut network = Network::start().await;
    let id = network.second.id.clone();
    network.second.send(&ControlMessage::DecommissionRouter);
    network.second.has_connections(0).await;
    let removed = network.first.expect(|message| match message {
        ControlMessage::PeerStateChanges(told) => {
            let mut changes = told.changes.into_iter();
            changes.find(|change| change.id == id && change.state == PeerState::Removed)
        },
        _ => None,
    });
    removed.await;
    let routers = network.stage.get("edge-routers").await;
    let names: Vec<_> = routers.as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(network.precedences().await, [] as [&str; 0]);
    // The identity of its tunneler is gone, too.
    let identities = network.stage.get("identities").await;
    let identities = identities.as_array().unwrap();
    assert!(identities.iter().all(|one| one["id"] != json!(id)));
    network.stage.stop().await;
}
