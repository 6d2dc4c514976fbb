//! Routers made of the project's own parts, over sockets and TLS.

mod hostile;
mod options;
mod site;

use portcullis_channel::CloseReason;
use portcullis_channel::group::DialFailure;
use portcullis_simulated_router::RouterOptions;
use serde_json::Value;
use site::{Site, until};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn router_comes_online_and_outlives_its_controller() {
    let Some(mut site) = Site::start() else {
        return;
    };
    let identity = site.enroll("r1").await;
    assert!(!site.is_online(&identity.id));

    let options = RouterOptions::default()
        .with_two_connections()
        .with_quick_redials();
    let router = site.dial(&identity, options).await.unwrap();
    assert!(site.controller().printed().contains("Routers"));
    router.has_connections(2).await;
    site.until_online(&identity.id, true).await;

    // The same port again: its connections are gone, and it founds its group anew.
    site.terminate();
    router.has_connections(0).await;
    site.restart();
    site.until_online(&identity.id, true).await;
    assert_eq!(router.channel.close_reason(), None);
    drop(router);
    site.until_online(&identity.id, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_told_that_they_are_refused() {
    let Some(site) = Site::start() else {
        return;
    };
    let (identity, other) = (site.enroll("r1").await, site.enroll("r2").await);
    let liar = identity.posing_as(&other.id);
    let refused = site.dial(&liar, RouterOptions::default()).await;
    assert_eq!(refused.unwrap_err().failure, DialFailure::Rejected);

    let router = site.connect(&identity).await;
    let path = format!("/edge-routers/{}", identity.id);
    site.admin.delete(&path).expect_status(200);
    router.has_connections(0).await;
    assert_ne!(router.channel.close_reason(), Some(CloseReason::Requested));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_routers_are_back_soon_after_their_controller() {
    let Some(mut site) = Site::start() else {
        return;
    };
    let mut routers = Vec::new();
    for number in 0..100 {
        let identity = site.enroll(&format!("r{number}")).await;
        routers.push(site.connect(&identity).await);
    }
    let online = |site: &Site| {
        let shown = site.admin.get("/edge-routers?limit=500").data();
        let routers = shown.as_array().unwrap().iter();
        routers
            .filter(|router| router["isOnline"] == Value::Bool(true))
            .count()
    };
    assert_eq!(online(&site), 100);
    site.kill();
    for router in &routers {
        router.has_connections(0).await;
    }
    site.restart();
    // They dial again after two seconds, or four.
    let time = until(Duration::from_mins(1), || online(&site) == 100).await;
    println!("all are online after {time:?}");
    for router in &routers {
        assert_eq!(router.channel.close_reason(), None);
        router.settle().await;
    }
}

/// All of them are the same to TLS; only one is known to the controller.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_strangers_keep_nobody_out() {
    let Some(site) = Site::start() else {
        return;
    };
    let identity = site.enroll("r0").await;
    let strangers = (0..100).map(|number| {
        let (site, stranger) = (&site, identity.posing_as(&format!("stranger-{number}")));
        async move { site.dial(&stranger, RouterOptions::default()).await }
    });
    let strangers = futures_util::future::join_all(strangers);
    let (refused, known) = tokio::join!(strangers, site.connect(&identity));
    for result in refused {
        assert_eq!(result.unwrap_err().failure, DialFailure::Rejected);
    }
    assert_eq!(known.channel.connections(), 1);
}
