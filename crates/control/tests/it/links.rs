//! Routers learn of each other, and tell of their links.

use crate::stage::Stage;
use portcullis_channel::ResultStatus;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLink, RouterLinks, VerifyRouter};
use portcullis_wire::control::peer::{PeerState, PeerStateChange};

/// The next news of another router.
async fn peer_news(router: &mut SimulatedRouter, of: &str) -> PeerStateChange {
    let news = router.expect(|message| match message {
        ControlMessage::PeerStateChanges(changes) => {
            changes.changes.into_iter().find(|change| change.id == of)
        },
        _ => None,
    });
    news.await.1
}

fn link(id: &str, to: &SimulatedRouter, iteration: u32) -> ControlMessage {
    ControlMessage::RouterLinks(RouterLinks {
        links: vec![RouterLink {
            id: id.to_owned(),
            destination: to.id.clone(),
            protocol: "tls".to_owned(),
            iteration,
            ..RouterLink::default()
        }],
        is_full: false,
    })
}

#[tokio::test]
async fn routers_are_told_of_each_other() {
    let stage = Stage::start().await;
    let mut first = stage.connect("r1").await;
    let mut second = stage.connect("r2").await;
    let (a, b) = (first.id.clone(), second.id.clone());
    let seen = peer_news(&mut second, &a).await;
    assert_eq!(seen.state, PeerState::Healthy);
    assert_eq!(seen.listeners.len(), 1);
    assert_eq!(seen.version, "v2.1.0");
    assert_eq!(peer_news(&mut first, &b).await.state, PeerState::Healthy);
    second.channel.close();
    assert_eq!(peer_news(&mut first, &b).await.state, PeerState::Unhealthy);
    stage.delete(&format!("edge-routers/{b}")).await;
    assert_eq!(peer_news(&mut first, &b).await.state, PeerState::Removed);
    stage.stop().await;
}

#[tokio::test]
async fn peer_is_verified_by_its_certificate() {
    let stage = Stage::start().await;
    let first = stage.connect("r1").await;
    let second = stage.connect("r2").await;
    let path = format!("edge-routers/{}", second.id);
    let fingerprint = stage.get(&path).await["fingerprint"].clone();
    let ask = |fingerprints: &[&str]| {
        ControlMessage::VerifyRouter(VerifyRouter {
            router_id: second.id.clone(),
            fingerprints: fingerprints.iter().map(|text| (*text).to_owned()).collect(),
        })
    };
    let right = fingerprint.as_str().unwrap();
    let verdict = first.request_result(&ask(&[right])).await;
    assert_eq!(verdict.status, ResultStatus::Success);
    // Whoever has the first key may have collected the certificates of others.
    let verdict = first.request_result(&ask(&["0000", right])).await;
    assert_eq!(verdict.status, ResultStatus::Failure);
    stage.stop().await;
}

#[tokio::test]
async fn links_are_those_that_their_dialers_report() {
    let stage = Stage::start().await;
    let first = stage.connect("r1").await;
    let mut second = stage.connect("r2").await;
    first.send(&link("l1", &second, 1));
    first.settle().await;
    // Not its own: it is the destination.
    second.send(&link("l1", &first, 7));
    second.settle().await;
    let fault = Fault {
        subject: FaultSubject::LinkDuplicate,
        id: "l1".to_owned(),
        iteration: 1,
    };
    first.send(&ControlMessage::Fault(fault));
    let (_, closed) = second
        .expect(|message| match message {
            ControlMessage::Fault(fault) => Some(fault),
            _ => None,
        })
        .await;
    assert_eq!((&*closed.id, closed.iteration), ("l1", 1));
    assert_eq!(closed.subject, FaultSubject::Link);
    stage.stop().await;
}
