use super::*;
use crate::fixture::{Fixture, PASSWORD, named};
use portcullis_domain::ids::AuthenticatorId;

async fn rebind_to_successor(fixture: &Fixture, caller: &Arc<Caller>, old: &'static str) {
    let caller = Arc::clone(caller);
    let successor = || ("successor".to_owned(), Timestamp::UNIX_EPOCH);
    let rebound = fixture.app.commit_unaudited(move |rows| {
        rebind(rows, &caller, old, successor(), Timestamp::UNIX_EPOCH)
    });
    rebound.await.unwrap();
}

/// The fingerprints that a session is bound to: the current one, and that before it.
fn fingerprints(fixture: &Fixture, caller: &Caller) -> Option<(String, Option<String>)> {
    let session: Option<ApiSession> =
        fixture.read(|rows| rows.get(&own_session_key(caller)).unwrap());
    let certificate = session?.certificate?;
    Some((certificate.fingerprint, certificate.previous))
}

#[tokio::test]
async fn only_sessions_of_the_old_certificate_follow_to_its_successor() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    rebind_to_successor(&fixture, &caller, "old").await;
    assert_eq!(
        fingerprints(&fixture, &caller),
        None,
        "opened by a password"
    );
    let bind = |mut session: ApiSession| {
        session.certificate = Some(LoginCertificate {
            fingerprint: "old".to_owned(),
            previous: None,
            replaced_at: None,
            not_after: Timestamp::UNIX_EPOCH,
            ca: None,
        });
        session
    };
    fixture.change(own_session_key(&caller), bind).await;
    rebind_to_successor(&fixture, &caller, "another").await;
    let unchanged = Some(("old".to_owned(), None));
    assert_eq!(fingerprints(&fixture, &caller), unchanged);
    rebind_to_successor(&fixture, &caller, "old").await;
    let followed = Some(("successor".to_owned(), Some("old".to_owned())));
    assert_eq!(fingerprints(&fixture, &caller), followed);
}

#[tokio::test]
async fn session_that_ended_in_the_meantime_stays_ended() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let key = own_session_key(&caller);
    fixture.remove::<ApiSession>(key).await;
    rebind_to_successor(&fixture, &caller, "old").await;
    let session: Option<ApiSession> = fixture.read(|rows| rows.get(&key).unwrap());
    assert!(session.is_none());
}

#[tokio::test]
async fn ending_other_sessions_spares_the_own_one_and_those_of_other_authenticators() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let caller = fixture.caller("alice").await;
    let other = fixture.log_in("alice", PASSWORD).await.unwrap();
    let end_those_of = |authenticator: Found<Authenticator>| {
        let caller = Arc::clone(&caller);
        let revocation = SessionRevocation::new(&fixture.app);
        fixture.app.commit_unaudited(move |rows| {
            end_other_sessions(rows, &caller, &authenticator, &revocation)
        })
    };
    let own = fixture.authenticator(&caller);
    let mut foreign = own.clone();
    foreign.entity.id = AuthenticatorId::from_wire("foreign");
    end_those_of(foreign).await.unwrap();
    assert!(fixture.resolve(&other).await.is_some());
    end_those_of(own).await.unwrap();
    assert!(fixture.resolve(&other).await.is_none());
    let kept: Option<ApiSession> =
        fixture.read(|rows| rows.get(&own_session_key(&caller)).unwrap());
    assert!(kept.is_some());
}
