use super::*;
use crate::error::AppError;
use crate::fixture::authorities::{common_name_claim, copy_key, intermediate, leaf, new_key, root};
use crate::fixture::{Fixture, named, origin};
use crate::records::own_session_key;
use portcullis_domain::access::Caller;
use portcullis_domain::ca::{CaSettings, ExternalIdClaim};
use portcullis_domain::clock::{MAX_TIMESTAMP, SignedDuration};
use portcullis_pki::Certificate;
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

#[tokio::test]
async fn claim_that_changed_and_changed_back_in_the_meantime_refuses_the_certificate() {
    fn change_claim(mut ca: Ca, claim: Option<ExternalIdClaim>) -> Ca {
        let settings = CaSettings {
            external_id_claim: claim,
            ..ca.spec.settings.clone()
        };
        ca.replace_settings(settings, ca.created_at).unwrap();
        ca
    }
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let now = fixture.app.env().now();
    let root = root("root", new_key(), now);
    let ca = fixture.add_ca("ca", &root, Some(common_name_claim())).await;
    let mut spec = named("device");
    spec.external_id = Some("device".to_owned());
    fixture.add_identity(&admin, spec).await;
    let certificate = leaf(&root, "device", now);
    let chain = [certificate.as_der()];
    let login = from_third_party_chain(&fixture.app, &chain, ChainError::UnknownIssuer).unwrap();
    let recheck = || {
        fixture.read(|rows| {
            let identity: Identity = rows.get(&identity_key(login.identity())).unwrap().unwrap();
            login.recheck(rows, &identity)
        })
    };
    assert!(recheck().is_ok());
    fixture.change(ca, |ca| change_claim(ca, None)).await;
    assert!(recheck().is_err());
    fixture
        .change(ca, |ca| change_claim(ca, Some(common_name_claim())))
        .await;
    // The session would be of an earlier generation of the claim, and over at once.
    assert!(recheck().is_err());
}

const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);

/// Why a login with a chain is refused.
async fn refusal(fixture: &Fixture, chain: &[&[u8]]) -> String {
    match with_certificate(&fixture.app, &origin(), chain, LoginRequest::default()).await {
        Err(LoginError::Refused(reason)) => reason.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn reason_says_what_is_wrong_with_the_chain() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let stranger = root("stranger", new_key(), now);
    let foreign = leaf(&stranger, "device", now);
    let server = fixture.app.network().serving_state().controller.clone();
    let server = server.certificate.as_der();
    let none: &[&[u8]] = &[];
    for (chain, reason) in [
        (none, "no certificate was presented"),
        (
            &[server, b"garbage"],
            "a certificate of the chain could not be parsed",
        ),
        (&[server; 10], "the chain has too many certificates"),
        (
            &[server],
            "the certificate is not for client authentication (extended key usage)",
        ),
        (
            &[foreign.as_der()],
            "the certificate was not issued by a trusted CA",
        ),
    ] {
        assert_eq!(refusal(&fixture, chain).await, reason);
    }
}

#[tokio::test]
async fn reason_names_the_rule_of_a_third_party_chain_that_was_violated() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let root = root("root", new_key(), now);
    let narrow = intermediate(&root, "narrow", new_key(), now);
    let below = intermediate(&narrow, "below", new_key(), now);
    let leaf = leaf(&below, "device", now);
    fixture.add_ca("root", &root, None).await;
    let between = [below.certificate(), narrow.certificate()];
    let chain = [leaf.as_der(), between[0].as_der(), between[1].as_der()];
    assert_eq!(
        refusal(&fixture, &chain).await,
        "the chain is not valid: PathLenConstraintViolated"
    );
}

#[tokio::test]
async fn reason_of_several_authorities_is_the_most_telling_one() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let key = new_key();
    let old = root("root", copy_key(&key), now - YEAR * 12);
    let renewed = root("root", key, now);
    let [current, outdated] = [now, now - YEAR * 5].map(|at| leaf(&renewed, "device", at));
    let expired = |one: &Certificate| one.validity().not_after < now;
    assert!(expired(old.certificate()) && expired(&outdated));
    fixture.add_ca("old", &old, None).await;
    assert_eq!(
        refusal(&fixture, &[outdated.as_der()]).await,
        "no authenticator has the certificate",
        "an expired certificate may log in, if somebody has it"
    );
    fixture
        .add_ca("renewed", &renewed, Some(common_name_claim()))
        .await;
    for certificate in [&current, &outdated] {
        assert_eq!(
            refusal(&fixture, &[certificate.as_der()]).await,
            "no identity has the external id",
            "the old one knows nothing of external ids"
        );
    }
}
