use super::*;
use crate::fixture::Fixture;
use crate::fixture::authorities::{leaf_of, new_key};
use crate::fixture::routers::certificate_record;
use portcullis_domain::router::RouterSpec;
use portcullis_pki::{Certificate, SigningKey, Subject, create_csr};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::router_key;

const NAME: &str = "router-1";

/// An enrolled router with its key.
struct Extending {
    fixture: Fixture,
    router: ConnectedRouter,
    key: SigningKey,
    /// The certificate of the connection.
    certificate: Certificate,
}

impl Extending {
    async fn start() -> Self {
        let fixture = Fixture::start().await;
        let (key, now) = (new_key(), fixture.app.env().now());
        let certificate = leaf_of(fixture.app.network().signing(), &key, NAME, now);
        let spec = RouterSpec {
            certificate: Some(certificate_record(&certificate)),
            ..RouterSpec::edge_router(NAME)
        };
        fixture.insert_managed(NAME, spec).await;
        let router = fixture.admit(&[&certificate], NAME).unwrap();
        Self {
            fixture,
            router,
            key,
            certificate,
        }
    }

    fn record_key(&self) -> RecordKey {
        router_key(self.router.number())
    }

    /// Fingerprints of the certificate that counts and of the one that is not confirmed.
    fn fingerprints(&self) -> (String, Option<String>) {
        let key = self.record_key();
        let router: Router = self.fixture.read(|rows| rows.get(&key).unwrap().unwrap());
        let spec = router.spec;
        (
            spec.certificate.unwrap().fingerprint,
            spec.unverified_certificate
                .map(|certificate| certificate.fingerprint),
        )
    }

    async fn extend(
        &self,
        key: &SigningKey,
        confirmation: Confirmation,
    ) -> Result<RouterCertificates, ExtensionError> {
        let csr = |key| create_csr(key, &Subject::new().common_name(NAME)).unwrap();
        let csrs = RouterCsrs {
            client_csr: csr(key),
            server_csr: csr(&new_key()),
        };
        extend_connected(&self.fixture.app, &self.router, csrs, confirmation).await
    }

    async fn confirm(&self, pem: &str) -> Result<(), ExtensionError> {
        confirm_extension(&self.fixture.app, &self.router, pem).await
    }
}

fn fingerprint(pem: &str) -> String {
    let chain = certificates_from_pem(pem).unwrap();
    chain.first().unwrap().fingerprint().to_string()
}

#[tokio::test]
async fn a_new_certificate_counts_once_the_router_has_it() {
    let extending = Extending::start().await;
    let old = extending.router.fingerprint().to_owned();
    let issued = extending
        .extend(&extending.key, Confirmation::Pending)
        .await
        .unwrap();
    let new = fingerprint(&issued.client);
    assert_eq!(extending.fingerprints(), (old.clone(), Some(new.clone())));
    let chain = certificates_from_pem(&issued.client).unwrap();
    let leaf = chain.first().unwrap();
    assert_eq!(leaf.common_name().as_deref(), Some(NAME));
    let refusal = extending.fixture.admit(&[leaf], NAME).unwrap_err();
    assert!(matches!(refusal, RouterRefusal::OtherCertificate));

    extending.confirm(&issued.client).await.unwrap();
    assert_eq!(extending.fingerprints(), (new.clone(), None));
    extending.fixture.admit(&[leaf], NAME).unwrap();
    extending
        .fixture
        .admit(&[&extending.certificate], NAME)
        .unwrap();
    // The answer was lost, and the connection is still there.
    extending.confirm(&issued.client).await.unwrap();
    let again = extending.extend(&extending.key, Confirmation::Needless);
    let again = fingerprint(&again.await.unwrap().client);
    assert_eq!(extending.fingerprints(), (again, None));
    for outdated in [&extending.certificate, leaf] {
        let refusal = extending.fixture.admit(&[outdated], NAME).unwrap_err();
        assert!(matches!(refusal, RouterRefusal::OtherCertificate));
    }
}

#[tokio::test]
async fn only_what_was_issued_last_is_confirmed() {
    let extending = Extending::start().await;
    let code = async |pem: &str| extending.confirm(pem).await.unwrap_err().code();
    assert_eq!(code("").await, "MISSING_CLIENT_PEM");
    assert_eq!(code("no certificate").await, "INVALID_CLIENT_PEM");
    let stranger = extending.fixture.issue(NAME).to_pem();
    assert_eq!(code(&stranger).await, "INVALID_ROUTER_STATE");
    let first = extending
        .extend(&extending.key, Confirmation::Pending)
        .await
        .unwrap();
    let second = extending
        .extend(&extending.key, Confirmation::Pending)
        .await
        .unwrap();
    assert_eq!(code(&stranger).await, "VERIFY_ERROR");
    assert_eq!(code(&first.client).await, "VERIFY_ERROR");
    extending.confirm(&second.client).await.unwrap();
}

#[tokio::test]
async fn certificates_are_issued_for_the_key_that_the_router_has() {
    let extending = Extending::start().await;
    let refused = extending.extend(&new_key(), Confirmation::Pending).await;
    assert!(matches!(refused, Err(ExtensionError::OtherKey)));
    assert_eq!(extending.fingerprints().1, None);
}

#[tokio::test]
async fn a_router_that_was_enrolled_anew_extends_nothing() {
    let extending = Extending::start().await;
    let now = extending.fixture.app.env().now();
    let enrolled = certificate_record(&extending.fixture.issue(NAME));
    let expected = enrolled.fingerprint.clone();
    let enroll = extending
        .fixture
        .change_router(extending.record_key(), move |router| {
            router.set_certificate(enrolled.clone(), now);
        });
    let extend = extending.extend(&extending.key, Confirmation::Needless);
    let outcome = extending.fixture.change_before_commit(enroll, extend).await;
    assert!(matches!(
        outcome,
        Err(ExtensionError::Refused(RouterRefusal::OtherCertificate))
    ));
    assert_eq!(extending.fingerprints(), (expected, None));
    extending
        .fixture
        .remove::<Router>(extending.record_key())
        .await;
    let error = extending.confirm("x").await.unwrap_err();
    assert_eq!(error.code(), "INVALID_CLIENT_PEM");
    let pem = extending.fixture.issue(NAME).to_pem();
    let error = extending.confirm(&pem).await.unwrap_err();
    assert_eq!(error.code(), "ROUTER_NOT_FOUND");
}

#[tokio::test]
async fn a_router_extends_its_certificates_now_and_then() {
    let extending = Extending::start().await;
    let mut refused = 0;
    for _ in 0..10 {
        let extended = extending.extend(&extending.key, Confirmation::Pending);
        match extended.await {
            Ok(_) => assert_eq!(refused, 0),
            Err(ExtensionError::Failed(AppError::Overloaded(_))) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(refused, 5);
}
