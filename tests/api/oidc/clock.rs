//! A clock that is set back or forward while somebody logs in, or after.

use crate::support::mfa::advance_clock;
use crate::support::oidc::{
    Flow, Tokens, claims, logged_in, oauth_error, refresh, session_of, with_alice,
};
use portcullis_app::sessions;

const HOUR: i64 = 3600;

#[tokio::test]
async fn login_during_which_the_clock_is_set_begins_again() {
    for step in [-HOUR, HOUR] {
        let controller = with_alice().await;
        let flow = Flow::begin(&controller).await;
        advance_clock(&controller, step);
        assert_eq!(flow.password("alice").await.status, 401);

        let flow = Flow::by_password(&controller, "alice").await;
        advance_clock(&controller, step);
        assert_eq!(flow.callback().await.status, 400);

        let flow = Flow::by_password(&controller, "alice").await;
        let code = flow.code().await;
        advance_clock(&controller, step);
        let refused = flow.redeem(&code).await;
        assert_eq!(oauth_error(&refused), (400, "invalid_grant".to_owned()));

        let tokens = Tokens::by_password(&controller, "alice").await;
        assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    }
}

#[tokio::test]
async fn tokens_from_the_future_do_not_count_until_then() {
    let (controller, tokens) = logged_in().await;
    advance_clock(&controller, -HOUR);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
    let refused = refresh(&controller, &tokens.refresh).await;
    assert_eq!(oauth_error(&refused), (400, "invalid_grant".to_owned()));
    sessions::sweep(&controller.app).await.unwrap();
    // Nothing was lost by that, and nothing lasts longer than it said.
    advance_clock(&controller, HOUR);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    let next = Tokens::of(&refresh(&controller, &tokens.refresh).await);
    advance_clock(&controller, HOUR / 2);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
    assert_eq!(session_of(&controller, &next.access).await.status, 401);
}

#[tokio::test]
async fn token_that_was_spent_in_the_future_yields_nothing() {
    let (controller, first) = logged_in().await;
    advance_clock(&controller, HOUR / 4);
    let second = Tokens::of(&refresh(&controller, &first.refresh).await);
    advance_clock(&controller, -HOUR / 4);
    let subject = (first.refresh.as_str(), "refresh_token");
    let late = crate::support::oidc::exchange(&controller, subject, "id_token").await;
    assert_eq!(oauth_error(&late), (400, "invalid_grant".to_owned()));
    advance_clock(&controller, HOUR / 4);
    assert_eq!(session_of(&controller, &second.access).await.status, 401);
}

#[tokio::test]
async fn what_was_issued_under_a_clock_that_was_fast_outlives_nothing() {
    const YEAR: i64 = 365 * 24 * HOUR;
    let controller = with_alice().await;
    advance_clock(&controller, YEAR);
    let early = Tokens::by_password(&controller, "alice").await;
    advance_clock(&controller, -YEAR);
    for token in [&early.access, &early.refresh] {
        assert_eq!(session_of(&controller, token).await.status, 401);
    }
    let tokens = Tokens::by_password(&controller, "alice").await;
    let told = claims(&tokens.access);
    let life = told["exp"].as_i64().unwrap() - told["iat"].as_i64().unwrap();
    assert_eq!(life, HOUR / 2);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    sessions::flush_activity(&controller.app).await.unwrap();
    sessions::sweep(&controller.app).await.unwrap();
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
}
