use super::*;
use crate::fixture::{Fixture, origin};
use crate::records::own_session_key;
use portcullis_domain::access::Caller;
use portcullis_storage::tables::identity_key;

/// A login with the right password of the administrator.
fn login(fixture: &Fixture, admin: &Caller) -> PasswordLogin {
    PasswordLogin {
        authenticator: fixture.authenticator(admin),
        attempt: PasswordAttempt::new(&fixture.app, &origin()),
        rehashed: None,
    }
}

fn recheck(fixture: &Fixture, login: &PasswordLogin) -> Result<(), LoginError> {
    fixture.read(|rows| {
        let identity: Identity = rows.get(&identity_key(login.identity())).unwrap().unwrap();
        login.recheck(rows, &identity)
    })
}

#[tokio::test]
async fn authenticator_that_is_gone_refuses_the_password_and_is_not_written_again() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let login = login(&fixture, &admin);
    assert!(recheck(&fixture, &login).is_ok());
    let key = login.authenticator.key;
    fixture.remove::<Authenticator>(key).await;
    assert!(recheck(&fixture, &login).is_err());
    let (owner, session) = (identity_key(login.identity()), own_session_key(&admin));
    let applied = fixture.app.commit_unaudited(move |rows| {
        let mut identity: Identity = rows.rows().get(&owner)?.unwrap();
        let mut session: ApiSession = rows.rows().get(&session)?.unwrap();
        Ok::<_, AppError>(login.apply(rows, &mut identity, &mut session)?)
    });
    assert_eq!(applied.await.unwrap(), None);
    let authenticator: Option<Authenticator> = fixture.read(|rows| rows.get(&key).unwrap());
    assert_eq!(authenticator, None);
}
