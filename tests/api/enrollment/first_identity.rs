//! From nothing to an identity that holds a certificate and a session, and back to nothing.

use http::Method;
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::json;

#[tokio::test]
async fn identity_enrolls_logs_in_and_is_deleted() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = controller
        .manage(Method::POST, "/identities", &admin)
        .json(&json!({"name": "laptop", "isAdmin": false, "enrollment": {"ott": true}}))
        .send()
        .await
        .id();
    let path = format!("/identities/{id}");
    let detail = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    let token = detail["enrollment"]["ott"]["token"].as_str().unwrap();

    let (_key, csr) = client_key_and_csr();
    let enroll = format!("/edge/client/v1/enroll?method=ott&token={token}");
    let enrolled = controller
        .request(Method::POST, &enroll)
        .text("application/x-pem-file", &csr)
        .send()
        .await;
    assert_eq!(enrolled.headers["content-type"], "application/json");
    let chain = certificates_from_pem(enrolled.data()["cert"].as_str().unwrap()).unwrap();
    assert_eq!(
        chain.len(),
        2,
        "the leaf and the intermediate, not the root"
    );

    let again = controller
        .request(Method::POST, &enroll)
        .text("application/x-pem-file", &csr)
        .send()
        .await;
    assert_eq!(again.error(), (400, "INVALID_ENROLLMENT_TOKEN".to_owned()));

    let login = || {
        controller
            .request(Method::POST, "/edge/client/v1/authenticate?method=cert")
            .json(&json!({}))
            .certificates(&chain)
    };
    let session = login().send().await;
    assert_eq!(session.data()["identity"]["name"], "laptop");
    let laptop = session.headers["zt-session"].to_str().unwrap().to_owned();
    let current = || {
        controller
            .request(Method::GET, "/current-identity")
            .session(&laptop)
    };
    let own = current().send().await;
    assert_eq!(own.json()["meta"], json!(null));
    assert_eq!(own.data()["id"], id.as_str());
    assert_eq!(own.data()["hasApiSession"], true);

    controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await
        .data();
    assert_eq!(
        current().send().await.error(),
        (401, "UNAUTHORIZED".to_owned())
    );
    assert_eq!(
        login().send().await.error(),
        (401, "INVALID_AUTH".to_owned())
    );
    let gone = controller.manage(Method::GET, &path, &admin).send().await;
    assert_eq!(gone.error(), (404, "NOT_FOUND".to_owned()));
}
