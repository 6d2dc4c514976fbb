use super::*;
use crate::fixture::dialing::Dialing;
use portcullis_domain::clock::SignedDuration;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

fn beat(dialing: &Dialing, tokens: &[&str]) -> Vec<usize> {
    heartbeat(&dialing.fixture.app, &dialing.router, tokens).unwrap()
}

#[tokio::test]
async fn sessions_in_use_go_on_and_nothing_is_written() {
    let dialing = Dialing::start().await;
    let (fixture, token) = (&dialing.fixture, dialing.token());
    let timeout = fixture.app.settings().session_timeout;
    let revision = fixture.revision();
    assert_eq!(beat(&dialing, &["unknown", token, ""]), [0, 2]);
    for _ in 0..3 {
        fixture.clock.advance(timeout - MINUTE);
        assert!(beat(&dialing, &[token]).is_empty());
    }
    assert_eq!(fixture.revision(), revision);
    assert!(fixture.resolve(&dialing.session).await.is_some());
}

#[tokio::test]
async fn session_that_is_over_is_not_brought_back() {
    let dialing = Dialing::start().await;
    let (fixture, token) = (&dialing.fixture, dialing.token());
    fixture
        .clock
        .advance(fixture.app.settings().session_timeout);
    assert_eq!(beat(&dialing, &[token]), [0]);
    assert!(fixture.resolve(&dialing.session).await.is_none());
}
