//! Links that are closed from outside.

use std::time::Duration;

use portcullis_wire::control::link::{Fault, FaultSubject};
use tokio::time::sleep;

use super::world::{World, settings, wait_until};
use crate::testing::Proxy;

#[tokio::test]
async fn controllers_close_a_link_unless_it_is_newer() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    first.linked(4).await;
    proxy.kill(proxy.open());
    wait_until(|| second.used().iter().any(|link| link.iteration == 2)).await;
    let link = second.linked(4).await;
    let fault = |subject, iteration| Fault {
        subject,
        id: link.id.clone(),
        iteration,
    };
    second.manager.faulted(&fault(FaultSubject::Link, 1));
    second.manager.faulted(&fault(FaultSubject::Forward, 2));
    sleep(Duration::from_millis(200)).await;
    assert_eq!(second.linked(4).await.iteration, 2);
    second.manager.faulted(&fault(FaultSubject::Link, 2));
    wait_until(|| second.used().iter().any(|link| link.iteration == 3)).await;
}

#[tokio::test]
async fn router_that_is_silent_loses_its_link() {
    let world = World::new();
    let mut quick = settings();
    quick.heartbeats.send_interval = Duration::from_millis(50);
    quick.heartbeats.check_interval = Duration::from_millis(10);
    quick.heartbeats.close_after = Duration::from_millis(500);
    quick.heartbeats.grace = Duration::from_millis(500);
    let first = world.router_with("r1", quick).await;
    let second = world.router("r2").await;
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    first.linked(4).await;
    wait_until(|| {
        first
            .used()
            .iter()
            .all(|link| link.liveness.latency.is_some())
    })
    .await;
    proxy.stall();
    wait_until(|| first.used().is_empty()).await;
}
