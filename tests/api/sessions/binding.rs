//! Sessions and the certificates of the connections that they are used over.

use crate::support::credentials::{
    client_of, foreign_authority, send, token_by, updb, with_certificate,
};
use http::Method;
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_testkit::{Harness, PASSWORD, client_key_and_csr};
use serde_json::json;

async fn status(controller: &Harness, token: &str, chain: &[Certificate]) -> u16 {
    let request = controller.request(Method::GET, "/current-api-session");
    let request = request.session(token).certificates(chain);
    request.send().await.status.as_u16()
}

#[tokio::test]
async fn session_of_a_certificate_is_not_for_the_holder_of_another_one() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, own) = with_certificate(&controller, &admin, "own").await;
    let (_, other) = with_certificate(&controller, &admin, "other").await;
    let stranger = client_of(&controller, &foreign_authority(&controller, "stranger"));
    let post = (Method::POST, "/authenticators");
    send(&controller, &admin, post, &updb(&id, "own-name"))
        .await
        .id();
    let by_certificate = token_by(&controller, &own).await;
    let by_password = controller.login("own-name", PASSWORD).await;

    // A certificate that the identity obtained for its session is its own, too.
    let (_key, csr) = client_key_and_csr();
    let request = controller.request(Method::POST, "/current-api-session/certificates");
    let request = request.session(&by_certificate).certificates(&own);
    let issued = request.json(&json!({"csr": csr})).send().await.data();
    let issued = certificates_from_pem(issued["certificate"].as_str().unwrap()).unwrap();

    let with_filler = [&other[..], &own[..]].concat();
    let first_own = [&own[..], &other[..]].concat();
    for (chain, bound) in [
        (&own[..], 200),
        (&first_own, 200),
        (&issued, 200),
        (&[], 200),
        (&other, 401),
        (&with_filler, 401),
        (&[stranger], 401),
    ] {
        assert_eq!(status(&controller, &by_certificate, chain).await, bound);
        // A password says nothing about the connection.
        assert_eq!(status(&controller, &by_password, chain).await, 200);
    }
}
