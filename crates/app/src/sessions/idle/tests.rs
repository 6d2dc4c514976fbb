use super::*;
use crate::fixture::dialing::Dialing;
use crate::fixture::{Fixture, PASSWORD};
use crate::sessions::for_routers::heartbeat;
use crate::sessions::sweep;
use crate::settings::Settings;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A router and a client, whose controller was away for two hours.
async fn after_two_hours() -> Dialing {
    let dialing = Dialing::start().await;
    dialing.fixture.clock.advance(HOUR * 2);
    Dialing {
        fixture: dialing.fixture.restart(),
        ..dialing
    }
}

/// Whether the router is told that the session which it reports is over.
fn is_over(dialing: &Dialing) -> bool {
    let over = heartbeat(&dialing.fixture.app, &dialing.router, &[dialing.token()]);
    !over.unwrap().is_empty()
}

#[tokio::test]
async fn session_that_a_router_reports_after_an_absence_goes_on() {
    let dialing = after_two_hours().await;
    let (app, clock) = (&dialing.fixture.app, &dialing.fixture.clock);
    assert_eq!(sweep(app).await.unwrap(), 0);
    clock.advance(GRACE - MINUTE);
    assert!(!is_over(&dialing));
    clock.advance(app.settings().session_timeout - MINUTE);
    assert_eq!(sweep(app).await.unwrap(), 1, "the administrator's");
    assert!(!is_over(&dialing));
}

#[tokio::test]
async fn session_that_nobody_reports_after_an_absence_ends() {
    let dialing = after_two_hours().await;
    let fixture = &dialing.fixture;
    fixture.clock.advance(GRACE);
    assert!(is_over(&dialing));
    assert!(fixture.resolve(&dialing.session).await.is_none());
    assert_eq!(sweep(&fixture.app).await.unwrap(), 2);
}

#[tokio::test]
async fn grace_is_no_longer_than_the_timeout() {
    let settings = Settings {
        session_timeout: MINUTE,
        ..Settings::default()
    };
    let fixture = Fixture::start_with(settings).await;
    fixture.admin().await;
    fixture.clock.advance(HOUR);
    let fixture = fixture.restart();
    let later = fixture.log_in("admin", PASSWORD).await.unwrap();
    fixture.clock.advance(MINUTE - SignedDuration::from_secs(1));
    assert_eq!(sweep(&fixture.app).await.unwrap(), 0);
    fixture.clock.advance(SignedDuration::from_secs(1));
    assert!(fixture.resolve(&later).await.is_none());
    assert_eq!(sweep(&fixture.app).await.unwrap(), 2);
}
