use super::*;
use crate::error::AppError;
use crate::fixture::Fixture;
use crate::records::own_session_key;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::MAX_TIMESTAMP;
use portcullis_storage::tables::identity_key;

/// A login with a certificate of the administrator, whose authenticator has it only if
/// [`give_certificate`] says so.
fn login(fixture: &Fixture, admin: &Caller) -> CertificateLogin {
    CertificateLogin {
        holder: CertificateHolder::Authenticator(Box::new(fixture.authenticator(admin))),
        fingerprint: "presented".to_owned(),
        validity: Validity {
            not_before: Timestamp::UNIX_EPOCH,
            not_after: MAX_TIMESTAMP,
        },
        is_chain_incomplete: false,
        verification: None,
    }
}

async fn give_certificate(fixture: &Fixture, admin: &Caller) {
    let key = fixture.authenticator(admin).key;
    let change = |mut authenticator: Authenticator| {
        authenticator.credential = Credential::Cert(CertCredential {
            fingerprint: "presented".to_owned(),
            pem: String::new(),
            is_issued_by_network: true,
            last_login_reached_root: false,
            extension: None,
            renewal: None,
            last_renewal_rolled_key: None,
        });
        authenticator
    };
    fixture.change(key, change).await;
}

/// Applies the login, and returns whether its session may extend the certificate.
async fn apply(fixture: &Fixture, admin: &Caller, login: &CertificateLogin) -> bool {
    let (login, session) = (login.clone(), own_session_key(admin));
    let identity = identity_key(login.identity());
    let applied = fixture.app.commit_unaudited(move |rows| {
        let mut identity: Identity = rows.rows().get(&identity)?.unwrap();
        let mut session: ApiSession = rows.rows().get(&session)?.unwrap();
        login.apply(rows, &mut identity, &mut session)?;
        Ok::<_, AppError>(session.is_cert_extendable)
    });
    applied.await.unwrap()
}

fn recheck(fixture: &Fixture, login: &CertificateLogin) -> Result<(), LoginError> {
    fixture.read(|rows| {
        let identity: Identity = rows.get(&identity_key(login.identity())).unwrap().unwrap();
        login.recheck_holder(rows, &identity)
    })
}

#[tokio::test]
async fn login_with_the_certificate_of_the_authenticator_is_recorded() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let login = login(&fixture, &admin);
    give_certificate(&fixture, &admin).await;
    assert!(recheck(&fixture, &login).is_ok());
    assert!(apply(&fixture, &admin, &login).await);
    let recorded = fixture.authenticator(&admin).entity;
    let cert = CertificateLogin::credential(&recorded).unwrap();
    assert!(cert.last_login_reached_root);
}

#[tokio::test]
async fn authenticator_that_changed_in_the_meantime_refuses_the_certificate() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let login = login(&fixture, &admin);
    assert!(recheck(&fixture, &login).is_err(), "it has a password");
    assert!(!apply(&fixture, &admin, &login).await);
    give_certificate(&fixture, &admin).await;
    let renewed = CertificateLogin {
        fingerprint: "another".to_owned(),
        ..login
    };
    assert!(recheck(&fixture, &renewed).is_err());
}

#[tokio::test]
async fn authenticator_that_is_gone_refuses_the_certificate() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let login = login(&fixture, &admin);
    fixture
        .remove::<Authenticator>(fixture.authenticator(&admin).key)
        .await;
    assert!(recheck(&fixture, &login).is_err());
    assert!(!apply(&fixture, &admin, &login).await);
}
