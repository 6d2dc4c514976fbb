//! What the file of a controller says about routers and links.

use super::site::{Site, until};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{RouterLink, RouterLinks};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn section_network_of_the_file_counts() {
    let section = "network: {initialLinkLatency: 100ms, routerConnectChurnLimit: 0s}\n";
    let Some(site) = Site::start_with(section) else {
        return;
    };
    let (identity, other) = (site.enroll("r1").await, site.enroll("r2").await);
    let first = site.connect(&identity).await;
    let second = site.connect(&identity).await;
    first.has_connections(0).await;
    drop(first);
    second.has_connections(1).await;
    let _other = site.connect(&other).await;
    second.send(&ControlMessage::RouterLinks(RouterLinks {
        links: vec![RouterLink {
            id: "l1".to_owned(),
            destination: other.id.clone(),
            protocol: "tls".to_owned(),
            iteration: 1,
            ..RouterLink::default()
        }],
        is_full: true,
    }));
    let links = || -> Value { site.admin.curl("/fabric/v1/links").send().data() };
    until(Duration::from_secs(20), || links() != json!([])).await;
    assert_eq!(links()[0]["cost"], 201);
    assert_eq!(links()[0]["sourceLatency"], 100_000_000);
}
