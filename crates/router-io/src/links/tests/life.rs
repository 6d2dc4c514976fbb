//! Links come, lose connections, and come back.

use std::collections::BTreeMap;
use std::time::Duration;

use portcullis_channel::Role;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLinks};
use tokio::time::{sleep, timeout};

use super::controller::{CONTROLLER, Told};
use super::world::{World, wait_until};
use crate::testing::Proxy;

#[tokio::test]
async fn link_comes_up_with_all_its_connections() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    let dialed = first.linked(4).await;
    let accepted = second.linked(4).await;
    assert_eq!((&dialed.id, dialed.iteration), (&accepted.id, 1));
    let roles = BTreeMap::from([(Role::Default, 3), (Role::High, 1)]);
    assert_eq!(first.roles(), roles);
    assert_eq!(second.roles(), roles);

    // The one that dials reports the link, and its further connections.
    let (report, is_full) = reports(&first.told)[0].clone();
    assert!(!is_full);
    assert_eq!(report.destination, "r2");
    assert_eq!(report.protocol, "tls");
    assert_eq!(report.connections.unwrap().connections.len(), 1);
    wait_until(|| last_state(&first.told) == 4).await;
    assert!(reports(&second.told).is_empty());

    first.manager.controller_connected(&CONTROLLER.into());
    wait_until(|| reports(&first.told).len() == 2).await;
    let (report, is_full) = reports(&first.told)[1].clone();
    assert!(is_full);
    assert_eq!(report.connections.unwrap().connections.len(), 4);
}

#[tokio::test]
async fn connection_that_is_lost_is_dialed_again() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    first.linked(4).await;
    proxy.kill(1);
    first.linked(3).await;
    let link = first.linked(4).await;
    assert_eq!(link.iteration, 1);
    assert!(faults(&first.told).is_empty());
}

#[tokio::test]
async fn link_that_loses_all_connections_comes_back_under_its_id() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    let before = first.linked(4).await;
    sleep(Duration::from_millis(100)).await;
    proxy.kill(4);
    wait_until(|| first.used().iter().any(|link| link.iteration == 2)).await;
    let after = first.linked(4).await;
    assert_eq!(after.id, before.id);
    wait_until(|| second.used().iter().any(|link| link.iteration == 2)).await;
    assert_eq!(second.used().len(), 1);
    sleep(Duration::from_millis(1_100)).await;
    assert_eq!(faults(&first.told), [], "circuits stay where they are");
    let iterations: Vec<_> = reports(&first.told)
        .iter()
        .map(|it| it.0.iteration)
        .collect();
    assert_eq!(iterations, [1, 2]);
}

#[tokio::test]
async fn router_that_stops_dials_its_links_no_more() {
    let world = World::new();
    let (mut first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    first.linked(4).await;
    // Longer than the pause between attempts.
    sleep(Duration::from_millis(100)).await;
    first.stop.cancel();
    let stopped = timeout(Duration::from_secs(5), &mut first.running).await;
    stopped.expect("it stops").unwrap();
    wait_until(|| second.used().is_empty()).await;
}

#[tokio::test]
async fn link_that_does_not_come_back_is_reported_as_lost() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    let link = first.linked(4).await;
    proxy.end();
    wait_until(|| !faults(&first.told).is_empty()).await;
    let fault = Fault {
        subject: FaultSubject::Link,
        id: link.id,
        iteration: 1,
    };
    assert_eq!(faults(&first.told), [fault]);
    assert!(first.used().is_empty());
    wait_until(|| second.used().is_empty()).await;
    assert_eq!(faults(&second.told), []);
}

/// Brief double links end (data-plane, section 4.4).
#[tokio::test]
async fn routers_that_dial_each_other_agree_on_one_link() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    second.learn_of(&first);
    let agree = || {
        let (ours, theirs) = (first.used(), second.used());
        matches!((&*ours, &*theirs), ([one], [other]) if one.id == other.id)
    };
    wait_until(agree).await;
    sleep(Duration::from_millis(500)).await;
    assert!(agree());
    // The controller was told of both, if both were open, and which one is the duplicate.
    let reported = |told: &Told| -> Vec<String> {
        let reports = reports(told).into_iter();
        reports.map(|(link, _)| link.id).collect()
    };
    let mut known = [reported(&first.told), reported(&second.told)].concat();
    for fault in [faults(&first.told), faults(&second.told)].concat() {
        known.retain(|id| *id != fault.id);
    }
    assert_eq!(known, [first.used()[0].id.clone()]);
}

#[tokio::test]
async fn link_to_a_router_that_is_removed_is_closed() {
    use portcullis_wire::control::peer::{PeerState, PeerStateChange, PeerStateChanges};

    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    first.linked(4).await;
    first.manager.peers_changed(&PeerStateChanges {
        changes: vec![PeerStateChange {
            id: "r2".to_owned(),
            state: PeerState::Removed,
            ..PeerStateChange::default()
        }],
    });
    wait_until(|| first.manager.views().is_empty() && second.manager.views().is_empty()).await;
    wait_until(|| faults(&first.told).len() == 1).await;
}

type Report = (portcullis_wire::control::link::RouterLink, bool);

/// The links that a controller was told of, each with whether these were all.
fn reports(told: &Told) -> Vec<Report> {
    let messages = told.all().into_iter();
    let reports = messages.filter_map(|message| match message {
        ControlMessage::RouterLinks(RouterLinks { links, is_full }) => Some((links, is_full)),
        _ => None,
    });
    reports
        .flat_map(|(links, is_full)| links.into_iter().map(move |link| (link, is_full)))
        .collect()
}

fn faults(told: &Told) -> Vec<Fault> {
    let messages = told.all().into_iter();
    let faults = messages.filter_map(|message| match message {
        ControlMessage::Fault(fault) => Some(fault),
        _ => None,
    });
    faults.collect()
}

/// Number of connections in the last report of them.
fn last_state(told: &Told) -> usize {
    let messages = told.all().into_iter().rev();
    let mut states = messages.filter_map(|message| match message {
        ControlMessage::LinkState(state) => state.connections,
        _ => None,
    });
    states.next().map_or(0, |state| state.connections.len())
}
