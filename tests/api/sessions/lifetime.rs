//! Sessions end after a time of their own, however much they are used.

use crate::support::credentials::with_password;
use crate::support::mfa::TestUser;
use crate::support::{
    current_session, log_in, log_in_by_certificate, modify_store, revision, send, text,
};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::api_session::{ApiSession, SessionLifetimes};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::ApiSessionId;
use portcullis_storage::tables::{API_SESSION, Found, UniqueIndex, UniqueValue};
use portcullis_testkit::{ADMIN, Harness, HarnessOptions};
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
            current_session(controller, token).await;
        }
    }
}

async fn statuses(controller: &Harness, tokens: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for token in tokens {
        statuses.push(current_session(controller, token).await.status.as_u16());
    }
    statuses
}

#[tokio::test]
async fn sessions_of_administrators_end_though_they_are_used() {
    let controller = start(None, Some(HOUR * 3)).await;
    let admin = controller.admin().await;
    let (_, _, plain) = with_password(&controller, &admin, "plain", json!({})).await;
    let person = TestUser::new(&controller, &admin, "by certificate").await;
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
    let person = TestUser::new(&controller, &admin, "by certificate").await;
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
    let shown = current_session(&controller, &token).await.data();
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

    let person = TestUser::new(&controller, &controller.admin().await, "by certificate").await;
    let login = log_in_by_certificate(&controller, &person.chain)
        .await
        .data();
    assert_eq!(login["expirationSeconds"], 1800);
}

/// Adds sessions like the one that an identity has, behind the controller's back.
async fn multiply(controller: &Harness, identity: &str, many: u8) {
    let numbers: Vec<_> = (0..many)
        .map(|_| controller.engine.allocate(API_SESSION))
        .collect();
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, identity);
    let prefix = identity.to_owned();
    modify_store(controller, move |rows| {
        let owner: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        let own: Vec<Found<ApiSession>> = rows.rows().dependents(&owner.key).unwrap();
        let like = own.into_iter().next().unwrap().entity;
        for (place, number) in (0..many).zip(&numbers) {
            let mut session = like.clone();
            session.id = ApiSessionId::from_wire(format!("{place:03}{prefix}"));
            session.token_hash.0[..2].copy_from_slice(&[place, 255 - place]);
            let key = owner.key.dependent(API_SESSION, *number);
            rows.insert(&key, &session).unwrap();
        }
    })
    .await;
}

/// Sessions that no limit holds for are old day after day, and there may be many of them.
#[tokio::test]
async fn old_sessions_of_others_keep_none_of_an_administrator() {
    let mut options = HarnessOptions::default();
    options.settings.session_timeout = HOUR * 24 * 365;
    options.settings.session_lifetimes.administrators = Some(HOUR);
    let controller = Harness::start_with(options).await;
    let admin = controller.admin().await;
    let (boss, _, _) = with_password(&controller, &admin, "boss", json!({"isAdmin": true})).await;
    multiply(&controller, &boss, 50).await;
    for number in 0..4 {
        let name = format!("plain {number}");
        let (plain, _, _) = with_password(&controller, &admin, &name, json!({})).await;
        multiply(&controller, &plain, 250).await;
    }
    controller.clock.advance(HOUR * 2);
    let of_administrators = 50 + 1 + 1;
    let swept = sessions::sweep(&controller.app).await.unwrap();
    assert_eq!(swept, of_administrators);
    let at = revision(&controller);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    assert_eq!(
        revision(&controller),
        at,
        "nothing is committed for nothing"
    );
}
