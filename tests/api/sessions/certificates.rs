//! Certificates of API sessions: issued, listed, deleted, and gone with their session.

use crate::support::credentials::{
    log_in_by_certificate, send, token_by, with_certificate, with_password,
};
use crate::support::{bad_request, disable_identity, log_in, modify_store, revision, text};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_pki::{SpiffeId, SpiffePath, certificates_from_pem};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{IDENTITY, RecordCounts};
use portcullis_testkit::{Harness, PASSWORD, Reply, client_key_and_csr};
use serde_json::{Value, json};
use std::ops::ControlFlow;

const ALL: &str = "/current-api-session/certificates";

async fn ask(controller: &Harness, token: &str, (method, path): (Method, &str)) -> Reply {
    controller.request(method, path).session(token).send().await
}

async fn issue(controller: &Harness, token: &str) -> Value {
    let (_key, csr) = client_key_and_csr();
    let request = controller.request(Method::POST, ALL).session(token);
    let reply = request.json(&json!({"csr": csr})).send().await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.data()
}

async fn list(controller: &Harness, token: &str) -> Vec<Value> {
    let data = ask(controller, token, (Method::GET, ALL)).await.data();
    data.as_array().unwrap().clone()
}

/// Number of records in the store, which has nothing that leads nowhere.
async fn stored(controller: &Harness) -> usize {
    assert_eq!(
        RecordCounts::verify(&*controller.engine.snapshot().unwrap()).unwrap(),
        []
    );
    modify_store(controller, |rows| {
        let mut count = 0;
        rows.rows()
            .for_each_in::<SessionCertificate>(&RecordKey::all(IDENTITY), &mut |_found| {
                count += 1;
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        count
    })
    .await
}

#[tokio::test]
async fn certificate_is_issued_for_the_session_alone() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (identity, _, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let session = crate::support::current_session(&controller, &token)
        .await
        .data();
    let made = issue(&controller, &token).await;
    let id = text(&made, "id");
    assert_eq!(
        made["_links"]["self"]["href"],
        format!("./current-api-session/certificates/{id}")
    );
    assert!(text(&made, "cas").starts_with("\n-----BEGIN"));
    let chain = certificates_from_pem(text(&made, "certificate")).unwrap();
    assert_eq!(chain.len(), 2);
    assert_eq!(chain[0].subject(), format!("CN={identity}"));
    let name = SpiffeId::from_certificate(&chain[0]).unwrap().unwrap();
    let SpiffePath::ApiSessionCertificate {
        identity: owner,
        session: of,
        certificate,
    } = name.path()
    else {
        panic!("{name:?}");
    };
    assert_eq!(
        (owner.as_str(), of.as_str(), certificate.as_str()),
        (identity.as_str(), text(&session, "id"), id)
    );

    let path = format!("{ALL}/{id}");
    let shown = ask(&controller, &token, (Method::GET, &path)).await;
    assert_eq!(shown.json()["meta"], json!(null));
    let shown = shown.data();
    for (member, value) in [
        ("fingerprint", json!(chain[0].fingerprint().to_string())),
        ("subject", json!(format!("CN={identity}"))),
        ("certificate", made["certificate"].clone()),
        ("validFrom", json!("2031-04-05T06:06:08.000Z")),
        ("validTo", json!("2031-04-05T18:06:08.000Z")),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    assert_eq!(list(&controller, &token).await, [shown]);
    // It is no authenticator.
    assert_eq!(log_in_by_certificate(&controller, &chain).await.status, 401);

    let other = controller.login("anna", PASSWORD).await;
    assert_eq!(
        list(&controller, &other).await,
        [] as [Value; 0],
        "another session"
    );
    let foreign = ask(&controller, &other, (Method::GET, &path)).await;
    assert_eq!(foreign.error(), (404, "NOT_FOUND".to_owned()));
    let foreign = ask(&controller, &other, (Method::DELETE, &path)).await;
    assert_eq!(foreign.error(), (404, "NOT_FOUND".to_owned()));
    ask(&controller, &token, (Method::DELETE, &path))
        .await
        .data();
    let again = ask(&controller, &token, (Method::DELETE, &path)).await;
    assert_eq!(again.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(stored(&controller).await, 0);
}

#[tokio::test]
async fn bad_requests_issue_nothing() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let at = revision(&controller);
    for (body, code) in [
        (json!({}), "COULD_NOT_VALIDATE"),
        (json!({"csr": ""}), "COULD_NOT_VALIDATE"),
        (json!({"csr": 1}), "COULD_NOT_PARSE_BODY"),
        (json!({"csr": "nope"}), "COULD_NOT_PROCESS_CSR"),
    ] {
        let request = controller.request(Method::POST, ALL).session(&token);
        let reply = request.json(&body).send().await;
        assert_eq!(reply.error(), bad_request(code), "{body}");
    }
    assert_eq!(revision(&controller), at);
    let path = format!("/edge/management/v1{ALL}");
    let reply = ask(&controller, &token, (Method::GET, &path)).await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn session_has_only_its_newest_certificates() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let mut made = Vec::new();
    for _ in 0..11 {
        made.push(issue(&controller, &token).await["id"].clone());
    }
    let listed = list(&controller, &token).await;
    let ids: std::collections::BTreeSet<_> =
        listed.iter().map(|one| one["id"].to_string()).collect();
    let newest: std::collections::BTreeSet<_> = made[3..].iter().map(Value::to_string).collect();
    assert_eq!(ids, newest);
    assert_eq!(stored(&controller).await, 8);
    let subject = format!("{ALL}?filter=id%3D%22{}%22", made[10].as_str().unwrap());
    let found = ask(&controller, &token, (Method::GET, &subject))
        .await
        .data();
    assert_eq!(found.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn certificate_that_opened_a_session_is_listed_with_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, chain) = with_certificate(&controller, &admin, "device").await;
    let token = token_by(&controller, &chain).await;
    let listed = list(&controller, &token).await;
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["fingerprint"], chain[0].fingerprint().to_string());
    assert_eq!(listed[0]["certificate"], chain[0].to_pem());
    assert_eq!(
        list(&controller, &token).await,
        listed,
        "under the same id each time"
    );
    let path = format!("{ALL}/{}", text(&listed[0], "id"));
    assert_eq!(
        ask(&controller, &token, (Method::GET, &path)).await.data(),
        listed[0]
    );
    let reply = ask(&controller, &token, (Method::DELETE, &path)).await;
    assert_eq!(reply.error(), bad_request("ENTITY_CAN_NOT_BE_DELETED"));
    let other = token_by(&controller, &chain).await;
    assert_ne!(list(&controller, &other).await[0]["id"], listed[0]["id"]);
    assert_eq!(stored(&controller).await, 0);
}

/// The ways in which a session ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Logout,
    Expiry,
    Disabling,
    Deletion,
    Authenticator,
    Password,
}

#[tokio::test]
async fn certificates_go_with_their_session_however_it_ends() {
    let controller = Harness::start().await;
    for end in [
        End::Logout,
        End::Expiry,
        End::Disabling,
        End::Deletion,
        End::Authenticator,
        End::Password,
    ] {
        let admin = controller.admin().await;
        let name = format!("{end:?}");
        let (id, authenticator, token) = with_password(&controller, &admin, &name, json!({})).await;
        issue(&controller, &token).await;
        issue(&controller, &token).await;
        assert_eq!(stored(&controller).await, 2, "{end:?}");
        let authenticator = format!("/authenticators/{authenticator}");
        let identity = format!("/identities/{id}");
        let ask_admin = async |method, path: &str, body| {
            send(&controller, &admin, (method, path), &body)
                .await
                .data();
        };
        match end {
            End::Logout => {
                let path = (Method::DELETE, "/current-api-session");
                ask(&controller, &token, path).await.data();
            },
            End::Expiry => {
                controller.clock.advance(SignedDuration::from_hours(1));
                sessions::sweep(&controller.app).await.unwrap();
            },
            End::Disabling => disable_identity(&controller, &admin, &id).await,
            End::Deletion => ask_admin(Method::DELETE, &identity, json!({})).await,
            End::Authenticator => ask_admin(Method::DELETE, &authenticator, json!({})).await,
            End::Password => {
                let change = json!({"password": "another-secret"});
                ask_admin(Method::PATCH, &authenticator, change).await;
            },
        }
        assert_eq!(stored(&controller).await, 0, "{end:?}");
    }
}

#[tokio::test]
async fn random_lives_leave_no_certificate_behind() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % 1_000_003).unwrap() % below
    };
    let (_, _, first) = with_password(&controller, &admin, "anna", json!({})).await;
    let mut live = vec![(first, 0_usize)];
    for step in 0..120 {
        match draw(6) {
            0 => {
                let token = text(&log_in(&controller, "anna").await.data(), "token").to_owned();
                live.push((token, 0));
            },
            1 if live.len() > 1 => {
                let (token, _) = live.remove(draw(live.len()));
                let path = (Method::DELETE, "/current-api-session");
                ask(&controller, &token, path).await.data();
            },
            2 if !live.is_empty() => {
                let chosen = draw(live.len());
                let (token, count) = &mut live[chosen];
                if let Some(one) = list(&controller, token).await.first() {
                    let path = format!("{ALL}/{}", text(one, "id"));
                    ask(&controller, token, (Method::DELETE, &path))
                        .await
                        .data();
                    *count -= 1;
                }
            },
            _ => {
                let chosen = draw(live.len());
                let (token, count) = &mut live[chosen];
                issue(&controller, token).await;
                *count = (*count + 1).min(8);
            },
        }
        let expected: usize = live.iter().map(|(_, count)| count).sum();
        assert_eq!(stored(&controller).await, expected, "step {step}");
    }
}

/// With the token of its session, and no other; and only while the session has it.
#[tokio::test]
async fn certificate_serves_connections_of_its_session() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, chain) = with_certificate(&controller, &admin, "device").await;
    let token = token_by(&controller, &chain).await;
    let other = token_by(&controller, &chain).await;
    let made = issue(&controller, &token).await;
    let issued = certificates_from_pem(text(&made, "certificate")).unwrap();
    let status = async |token: &str| {
        let request = controller.request(Method::GET, "/current-identity");
        let request = request.session(token).certificates(&issued);
        request.send().await.status
    };
    assert_eq!(status(&token).await, 200);
    assert_eq!(status(&other).await, 401);
    let path = format!("{ALL}/{}", text(&made, "id"));
    ask(&controller, &token, (Method::DELETE, &path))
        .await
        .data();
    assert_eq!(status(&token).await, 401);
}
