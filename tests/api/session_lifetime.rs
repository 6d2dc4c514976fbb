//! Sessions end after a time of their own, however much they are used; what gives power over the
//! network asks for a fresh factor.

use crate::credentials::with_password;
use crate::mfa_support::{Person, answer, enroll, pass};
use crate::support::{create, current, log_in, log_in_by_certificate, send, text};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, Reply};
use serde_json::{Value, json};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

async fn start(all: Option<SignedDuration>, administrators: Option<SignedDuration>) -> Harness {
    let mut options = HarnessOptions::default();
    options.settings.session_lifetimes = SessionLifetimes {
        all,
        administrators,
    };
    Harness::start_with(options).await
}

/// Uses sessions every ten minutes for a time.
async fn use_for(controller: &Harness, tokens: &[&str], time: SignedDuration) {
    let end = controller.app.env().now() + time;
    while controller.app.env().now() < end {
        controller.clock.advance(MINUTE * 10);
        for token in tokens {
            current(controller, token).await;
        }
    }
}

async fn statuses(controller: &Harness, tokens: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for token in tokens {
        statuses.push(current(controller, token).await.status.as_u16());
    }
    statuses
}

#[tokio::test]
async fn sessions_of_administrators_end_though_they_are_used() {
    let controller = start(None, Some(HOUR * 3)).await;
    let admin = controller.admin().await;
    let (_, _, plain) = with_password(&controller, &admin, "plain", json!({})).await;
    let person = Person::new(&controller, &admin, "by certificate").await;
    let more = json!({"isAdmin": true});
    let path = format!("/identities/{}", person.id);
    let promoted = send(&controller, &admin, (Method::PATCH, &path), &more).await;
    assert_eq!(promoted.status, 200);
    let all = [&*admin, &*plain, &*person.session];

    use_for(&controller, &all, HOUR * 3 - MINUTE * 10).await;
    assert_eq!(statuses(&controller, &all).await, [200, 200, 200]);
    controller.clock.advance(MINUTE * 10);
    assert_eq!(statuses(&controller, &all).await, [401, 200, 200]);
    controller.clock.advance(-MINUTE);
    assert_eq!(
        statuses(&controller, &all).await,
        [200, 200, 200],
        "the clock decides"
    );
    controller.clock.advance(MINUTE);

    let before = controller.app.projections().sessions().len();
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 1);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    assert_eq!(controller.app.projections().sessions().len(), before - 1);
    assert_eq!(statuses(&controller, &all).await, [401, 200, 200]);
}

#[tokio::test]
async fn who_becomes_an_administrator_has_the_life_of_one_from_then_on() {
    let controller = start(Some(HOUR * 8), Some(HOUR)).await;
    let admin = controller.admin().await;
    let (id, _, token) = with_password(&controller, &admin, "riser", json!({})).await;
    use_for(&controller, &[&token], HOUR * 2).await;
    assert_eq!(statuses(&controller, &[&token]).await, [200]);
    let admin = controller.admin().await;
    let path = format!("/identities/{id}");
    let more = json!({"isAdmin": true});
    let promoted = send(&controller, &admin, (Method::PATCH, &path), &more).await;
    assert_eq!(promoted.status, 200);
    assert_eq!(statuses(&controller, &[&token]).await, [401]);
    let token = controller
        .login("riser", portcullis_testkit::PASSWORD)
        .await;
    assert_eq!(statuses(&controller, &[&token]).await, [200]);
}

#[tokio::test]
async fn everybody_has_a_life_where_the_file_says_so() {
    let controller = start(Some(HOUR), None).await;
    let admin = controller.admin().await;
    let (_, _, plain) = with_password(&controller, &admin, "plain", json!({})).await;
    let person = Person::new(&controller, &admin, "by certificate").await;
    let all = [&*admin, &*plain, &*person.session];
    use_for(&controller, &all, HOUR).await;
    assert_eq!(statuses(&controller, &all).await, [401, 401, 200]);
}

#[tokio::test]
async fn the_end_is_shown_as_it_comes_near() {
    let controller = start(None, Some(HOUR)).await;
    let login = log_in(&controller, ADMIN).await.data();
    let token = text(&login, "token").to_owned();
    let (created, end) = (login["createdAt"].clone(), login["expiresAt"].clone());
    assert_eq!(login["expirationSeconds"], 1800, "{created} {end}");
    use_for(&controller, &[&token], MINUTE * 40).await;
    let shown = current(&controller, &token).await.data();
    assert_eq!(shown["expirationSeconds"], 20 * 60);
    let parse = |value: &Value| {
        value
            .as_str()
            .unwrap()
            .parse::<portcullis_domain::clock::Timestamp>()
    };
    assert_eq!(
        parse(&shown["expiresAt"]).unwrap(),
        parse(&created).unwrap() + HOUR
    );

    let person = Person::new(&controller, &controller.admin().await, "by certificate").await;
    let login = log_in_by_certificate(&controller, &person.chain)
        .await
        .data();
    assert_eq!(login["expirationSeconds"], 1800);
}

/// What gives power over the network: each is refused or done.
async fn powerful(controller: &Harness, token: &str, round: usize) -> Vec<Reply> {
    let victim = create(controller, token, &format!("victim {round}"), json!({})).await;
    let signer = json!({
        "name": format!("signer {round}"), "issuer": format!("https://{round}.example.test"),
        "audience": "a", "enabled": false,
        "jwksEndpoint": format!("https://{round}.example.test/keys"),
    });
    let mut enabled = signer.clone();
    enabled["enabled"] = json!(true);
    enabled["name"] = json!(format!("enabled {round}"));
    enabled["issuer"] = json!(format!("https://enabled-{round}.example.test"));
    let prepared = send(
        controller,
        token,
        (Method::POST, "/external-jwt-signers"),
        &signer,
    )
    .await;
    let mut replies = Vec::new();
    for (method, path, body) in [
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": format!("admin {round}"), "isAdmin": true}),
        ),
        (
            Method::PATCH,
            format!("/identities/{victim}"),
            json!({"isAdmin": true}),
        ),
        (
            Method::DELETE,
            format!("/identities/{victim}/mfa"),
            json!({}),
        ),
        (Method::POST, "/external-jwt-signers".to_owned(), enabled),
        (
            Method::PATCH,
            format!("/external-jwt-signers/{}", prepared.id()),
            json!({"enabled": true}),
        ),
        (Method::POST, "/database/snapshot".to_owned(), json!({})),
    ] {
        replies.push(send(controller, token, (method, &path), &body).await);
    }
    replies
}

#[tokio::test]
async fn power_over_the_network_asks_for_a_fresh_factor() {
    let mut options = HarnessOptions::default();
    options.settings.fresh_factor = Some(MINUTE * 5);
    let controller = Harness::start_with(options).await;
    let token = controller.admin().await;
    for reply in powerful(&controller, &token, 1).await {
        assert_ne!(reply.status, 401, "{}", reply.text());
    }
    controller.clock.advance(MINUTE * 6);
    for reply in powerful(&controller, &token, 2).await {
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
        assert!(reply.text().contains("log in again"), "{}", reply.text());
    }
    // Other changes are as before.
    create(&controller, &token, "harmless", json!({})).await;

    let (device, _) = enroll(&controller, &token).await;
    pass(&controller, 6 * 60);
    for reply in powerful(&controller, &token, 3).await {
        assert_eq!(reply.status, 401);
    }
    let code = device.code(&controller, 0);
    assert_eq!(answer(&controller, &token, &code).await.status, 200);
    for reply in powerful(&controller, &token, 4).await {
        assert_ne!(reply.status, 401, "{}", reply.text());
    }
}
