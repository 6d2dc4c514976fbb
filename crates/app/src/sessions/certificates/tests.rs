use super::*;
use crate::fixture::Fixture;
use crate::fixture::authorities::{leaf, new_key, root};
use portcullis_domain::api_session::LoginCertificate;
use portcullis_domain::authenticator::{Authenticator, CertCredential};
use portcullis_domain::clock::Timestamp;
use std::sync::Arc;

/// An administrator whose session was opened by a certificate.
struct Login {
    fixture: Fixture,
    caller: Arc<Caller>,
    authenticator: RecordKey,
    leaf: Certificate,
}

impl Login {
    async fn start() -> Self {
        let fixture = Fixture::start().await;
        let caller = fixture.admin().await;
        let now = fixture.app.env().now();
        let login = Self {
            authenticator: fixture.authenticator(&caller).key,
            leaf: leaf(&root("root", new_key(), now), "device", now),
            caller,
            fixture,
        };
        let fingerprint = login.leaf.fingerprint().to_string();
        login
            .set_certificate(&fingerprint, login.leaf.to_pem())
            .await;
        let bind = move |mut session: ApiSession| {
            session.certificate = Some(LoginCertificate {
                fingerprint: fingerprint.clone(),
                previous: None,
                replaced_at: None,
                not_after: Timestamp::UNIX_EPOCH,
                ca: None,
            });
            session
        };
        let session = own_session_key(&login.caller);
        login.fixture.change(session, bind).await;
        login
    }

    /// Changes the certificate of the authenticator, but not that of the session.
    async fn set_certificate(&self, fingerprint: &str, pem: String) {
        let credential = CertCredential {
            fingerprint: fingerprint.to_owned(),
            pem,
            is_issued_by_network: true,
            last_login_reached_root: true,
            extension: None,
            renewal: None,
            last_renewal_rolled_key: None,
        };
        let change = move |authenticator| Authenticator {
            credential: Credential::Cert(credential.clone()),
            ..authenticator
        };
        self.fixture.change(self.authenticator, change).await;
    }

    /// Issues a certificate for the session, as far as lists are concerned.
    async fn issue(&self) {
        let session: ApiSession = self
            .fixture
            .read(|rows| rows.get(&own_session_key(&self.caller)).unwrap().unwrap());
        let number = self.fixture.app.next_number(SESSION_CERTIFICATE);
        let key =
            identity_key(self.caller.identity_number).dependent(SESSION_CERTIFICATE, number.0);
        let certificate = SessionCertificate {
            id: SessionCertificateId::from_wire("issued"),
            created_at: session.created_at,
            session: session.token_hash,
            certificate: certificate_info(&self.leaf, self.leaf.to_pem()),
        };
        self.fixture.insert(key, certificate).await;
    }

    /// Fingerprints of the listed certificates.
    fn fingerprints(&self) -> Vec<String> {
        let all = list_all(&self.fixture.app, &self.caller)
            .unwrap()
            .into_iter();
        all.map(|view| view.certificate.fingerprint).collect()
    }
}

#[tokio::test]
async fn certificate_of_the_login_is_listed_until_its_authenticator_has_another_one() {
    let login = Login::start().await;
    let fingerprint = login.leaf.fingerprint().to_string();
    assert_eq!(login.fingerprints(), [fingerprint]);
    login.set_certificate("renewed", login.leaf.to_pem()).await;
    assert!(login.fingerprints().is_empty());
    let authenticator = login.authenticator;
    login.fixture.remove::<Authenticator>(authenticator).await;
    assert!(login.fingerprints().is_empty());
}

#[tokio::test]
async fn certificate_of_the_login_that_cannot_be_read_hides_no_issued_one() {
    let login = Login::start().await;
    let fingerprint = login.leaf.fingerprint().to_string();
    login
        .set_certificate(&fingerprint, "damaged".to_owned())
        .await;
    assert!(login.fingerprints().is_empty());
    login.issue().await;
    assert_eq!(login.fingerprints(), [fingerprint]);
}

#[tokio::test]
async fn session_that_is_gone_has_no_certificates_to_list() {
    let login = Login::start().await;
    let session = own_session_key(&login.caller);
    login.fixture.remove::<ApiSession>(session).await;
    let error = list_all(&login.fixture.app, &login.caller).unwrap_err();
    assert!(matches!(error, AppError::Denied { .. }), "{error}");
}
