//! Rotation of refresh tokens.

use crate::support::mfa::advance_clock;
use crate::support::modify_policy;
use crate::support::oidc::{
    Flow, Tokens, claims, exchange, logged_in, oauth_error, refresh, request, session_of,
    with_alice, with_form,
};
use http::Method;
use portcullis_app::Settings;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, HarnessOptions, Reply};
use serde_json::json;

const REFUSED: u16 = 400;

#[tokio::test]
async fn refresh_token_is_spent_by_its_successor() {
    let (controller, first) = logged_in().await;
    advance_clock(&controller, 1_000);
    let second = Tokens::of(&refresh(&controller, &first.refresh).await);
    let (before, after) = (claims(&first.access), claims(&second.access));
    for kept in ["z_asid", "sub", "auth_time", "amr", "scopes"] {
        assert_eq!(before[kept], after[kept], "{kept}");
    }
    assert_ne!(before["jti"], after["jti"]);
    // Both access tokens count until they expire.
    assert_eq!(session_of(&controller, &first.access).await.status, 200);
    assert_eq!(session_of(&controller, &second.access).await.status, 200);
    advance_clock(&controller, 900);
    assert_eq!(session_of(&controller, &first.access).await.status, 401);
    assert_eq!(session_of(&controller, &second.access).await.status, 200);
}

#[tokio::test]
async fn spent_token_ends_its_session() {
    let (controller, first) = logged_in().await;
    let second = Tokens::of(&refresh(&controller, &first.refresh).await);
    let replayed = refresh(&controller, &first.refresh).await;
    assert_eq!(
        oauth_error(&replayed),
        (REFUSED, "invalid_grant".to_owned())
    );
    for token in [&first.access, &second.access] {
        assert_eq!(session_of(&controller, token).await.status, 401);
    }
    let ended = refresh(&controller, &second.refresh).await;
    assert_eq!(oauth_error(&ended), (REFUSED, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn one_of_sixty_four_at_a_time_wins() {
    let (controller, first) = logged_in().await;
    let attempts = (0..64).map(|_attempt| refresh(&controller, &first.refresh));
    let replies = futures_util::future::join_all(attempts).await;
    let served = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(served, 1);
    assert!(
        replies
            .iter()
            .all(|reply| [200, REFUSED].contains(&reply.status.as_u16()))
    );
    // The others were replays.
    assert_eq!(session_of(&controller, &first.access).await.status, 401);
}

/// Renews tokens as a page of `origin` does.
async fn refresh_in(controller: &Harness, token: &str, origin: &str) -> Reply {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", "native"),
        ("refresh_token", token),
    ];
    let request = request(controller, Method::POST, "/oauth/token");
    with_form(request.header("origin", origin), &form)
        .send()
        .await
}

#[tokio::test]
async fn tabs_of_the_console_end_no_session() {
    const OWN: &str = "https://ctrl.example.test:1280";
    // Who presents the spent token, after how many seconds, and whether the session goes on.
    for (serves_console, origin, seconds, goes_on) in [
        (true, OWN, 0, true),
        (true, OWN, 10, true),
        (true, OWN, 11, false),
        (true, "https://other.example.test", 0, false),
        (false, OWN, 0, false),
    ] {
        let case = format!("{serves_console}, {origin}, {seconds}");
        let options = HarnessOptions {
            serves_console,
            ..HarnessOptions::default()
        };
        let controller = Harness::start_with(options).await;
        let admin = controller.admin().await;
        controller.create_user(&admin, "alice", json!({})).await;
        let first = Tokens::by_password(&controller, "alice").await;
        let second = Tokens::of(&refresh_in(&controller, &first.refresh, OWN).await);
        advance_clock(&controller, seconds);
        let again = refresh_in(&controller, &first.refresh, origin).await;
        if goes_on {
            // Whoever sends it gets nothing, and is told to look again.
            assert_eq!(again.status, 503, "{case}");
            assert_eq!(again.json()["error"], "temporarily_unavailable", "{case}");
            assert!(again.headers.contains_key("retry-after"), "{case}");
            Tokens::of(&refresh_in(&controller, &second.refresh, OWN).await);
        } else {
            let refused = (REFUSED, "invalid_grant".to_owned());
            assert_eq!(oauth_error(&again), refused, "{case}");
        }
        let status = session_of(&controller, &second.access).await.status;
        assert_eq!(status, if goes_on { 200 } else { 401 }, "{case}");
    }
}

#[tokio::test]
async fn renewal_of_the_go_sdk_works() {
    let (controller, first) = logged_in().await;
    let subject = (first.refresh.as_str(), "refresh_token");
    let exchanged = exchange(&controller, subject, "refresh_token").await;
    let second = Tokens::of(&exchanged);
    assert!(!second.refresh.is_empty());
    let id_token = exchange(&controller, subject, "id_token").await;
    assert_eq!(id_token.json()["token_type"], "N_A");
    let told = claims(id_token.json()["access_token"].as_str().unwrap());
    assert_eq!(
        (&told["amr"], &told["z_t"]),
        (&json!(["password"]), &json!(null))
    );
    assert_eq!(told["sub"], claims(&first.access)["sub"]);
    // Once, and then the session is over.
    let again = exchange(&controller, subject, "id_token").await;
    assert_eq!(oauth_error(&again), (REFUSED, "invalid_grant".to_owned()));
    assert_eq!(session_of(&controller, &second.access).await.status, 401);
}

#[tokio::test]
async fn current_token_yields_id_tokens_and_stays_what_it_is() {
    let (controller, first) = logged_in().await;
    for _time in 0..2 {
        let subject = (first.refresh.as_str(), "refresh_token");
        assert_eq!(exchange(&controller, subject, "id_token").await.status, 200);
    }
    Tokens::of(&refresh(&controller, &first.refresh).await);
}

#[tokio::test]
async fn id_tokens_take_the_scope_of_openid() {
    let controller = with_alice().await;
    let flow = Flow::begin_with(&controller, &[("scope", "offline_access")], &[]).await;
    flow.password("alice").await;
    let tokens = flow.tokens().await;
    assert_eq!(tokens.id_token, "");
    for subject in [
        (&*tokens.access, "access_token"),
        (&*tokens.refresh, "refresh_token"),
    ] {
        let refused = exchange(&controller, subject, "id_token").await;
        assert_eq!(oauth_error(&refused), (REFUSED, "invalid_scope".to_owned()));
    }
}

#[tokio::test]
async fn exchanged_token_ends_with_the_one_that_was_exchanged() {
    let (controller, first) = logged_in().await;
    let subject = (first.access.as_str(), "access_token");
    let second = Tokens::of(&exchange(&controller, subject, "access_token").await);
    let form = [("client_id", "native"), ("token", &*first.access)];
    let revoked = crate::support::oidc::post(&controller, "/revoke", &form).await;
    assert_eq!(revoked.status, 200);
    assert_eq!(session_of(&controller, &second.access).await.status, 401);
    // The refresh token is another one.
    Tokens::of(&refresh(&controller, &first.refresh).await);
}

#[tokio::test]
async fn factor_that_a_policy_demands_by_now_takes_a_new_login() {
    let (controller, first) = logged_in().await;
    modify_policy(&controller, "default", |policy| {
        policy.spec.secondary.require_totp = true;
    })
    .await;
    let refused = refresh(&controller, &first.refresh).await;
    assert_eq!(oauth_error(&refused), (REFUSED, "invalid_grant".to_owned()));
    // Nothing was spent by that.
    modify_policy(&controller, "default", |policy| {
        policy.spec.secondary.require_totp = false;
    })
    .await;
    Tokens::of(&refresh(&controller, &first.refresh).await);
}

#[tokio::test]
async fn no_token_outlives_its_session() {
    let options = HarnessOptions {
        settings: Settings {
            session_lifetimes: SessionLifetimes {
                all: Some(SignedDuration::from_mins(10)),
                administrators: None,
            },
            ..Settings::default()
        },
        ..HarnessOptions::default()
    };
    let controller = Harness::start_with(options).await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "alice", json!({})).await;
    let tokens = Tokens::by_password(&controller, "alice").await;
    for token in [&tokens.access, &tokens.refresh] {
        let told = claims(token);
        let life = told["exp"].as_i64().unwrap() - told["auth_time"].as_i64().unwrap();
        assert!((590..=600).contains(&life), "{life}");
    }
}

#[tokio::test]
async fn exception_of_the_go_sdk_lasts_a_minute() {
    let (controller, first) = logged_in().await;
    Tokens::of(&refresh(&controller, &first.refresh).await);
    advance_clock(&controller, 61);
    let late = exchange(&controller, (&first.refresh, "refresh_token"), "id_token").await;
    assert_eq!(oauth_error(&late), (REFUSED, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn access_token_yields_nothing_that_lasts_longer() {
    let (controller, first) = logged_in().await;
    advance_clock(&controller, 600);
    let subject = (first.access.as_str(), "access_token");
    let exchanged = exchange(&controller, subject, "access_token").await;
    let second = Tokens::of(&exchanged);
    assert_eq!(claims(&second.access)["exp"], claims(&first.access)["exp"]);
    let refused = exchange(&controller, subject, "refresh_token").await;
    assert_eq!(
        oauth_error(&refused),
        (REFUSED, "invalid_request".to_owned())
    );
}

#[tokio::test]
async fn refresh_token_expires_and_so_does_its_session() {
    let (controller, first) = logged_in().await;
    advance_clock(&controller, 24 * 3600);
    let late = refresh(&controller, &first.refresh).await;
    assert_eq!(oauth_error(&late), (REFUSED, "invalid_grant".to_owned()));
    assert!(
        late.json()["error_description"]
            .as_str()
            .unwrap()
            .contains("expired")
    );
    portcullis_app::sessions::sweep(&controller.app)
        .await
        .unwrap();
    let id = claims(&first.access)["z_asid"].as_str().unwrap().to_owned();
    let admin = controller.admin().await;
    let path = format!("/api-sessions/{id}");
    let gone = controller.manage(Method::GET, &path, &admin).send().await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn scopes_are_only_reduced() {
    let (controller, first) = logged_in().await;
    let form = |scope| {
        [
            ("grant_type", "refresh_token"),
            ("client_id", "native"),
            ("refresh_token", first.refresh.as_str()),
            ("scope", scope),
        ]
    };
    let beyond = form("openid profile");
    let refused = crate::support::oidc::post(&controller, "/oauth/token", &beyond).await;
    assert_eq!(oauth_error(&refused), (REFUSED, "invalid_scope".to_owned()));
    let less = form("openid");
    let reply = crate::support::oidc::post(&controller, "/oauth/token", &less).await;
    assert_eq!(reply.json()["scope"], "openid");
    assert_eq!(
        claims(&Tokens::of(&reply).refresh)["scopes"],
        json!(["openid", "offline_access"])
    );
}
