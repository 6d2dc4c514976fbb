//! Meeting a controller of which nothing is known.

use crate::certificates::Authority;
use crate::server::{Say, Server};
use portcullis_client::first_contact;
use std::time::Duration;

#[tokio::test]
async fn claims_are_collected_without_belief() {
    let authority = Authority::new();
    let leaf = authority.issue("other.example.test");
    let server = Server::start(&leaf, &authority, Say::Answer(200, "MIIB\nAAAA")).await;
    let timeout = Duration::from_secs(30);
    let probe = first_contact::probe(&server.url(), timeout).await.unwrap();
    assert_eq!(probe.chain, std::slice::from_ref(&leaf.certificate));
    assert_eq!(probe.ca_bundle, "MIIB\nAAAA");
    let request = &server.seen().requests[0];
    assert!(request.starts_with("GET /edge/client/v1/.well-known/est/cacerts HTTP/1.1\r\n"));
    let chain = first_contact::peer_chain(&server.url(), timeout)
        .await
        .unwrap();
    assert_eq!(chain, [leaf.certificate]);
}
