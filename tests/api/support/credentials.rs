//! What tests about authenticators share.

use crate::support::{
    create, create_with_enrollment, get, modify_store, ott_enrollment, redeem, text,
};
use portcullis_domain::ca::{Ca, CaSettings, CaSpec};
use portcullis_domain::ids::CaId;
use portcullis_pki::{
    Authority, Certificate, Csr, KeyType, SigningKey, Subject, TrustDomain, certificates_from_pem,
    create_csr,
};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::CA;
use portcullis_testkit::{Harness, PASSWORD, client_key_and_csr};
use serde_json::{Value, json};

pub(crate) use crate::support::{log_in_by_certificate, log_in_with_password, send};

/// An identity that has enrolled by a one-time token: its id and its chain.
pub(crate) async fn with_certificate(
    controller: &Harness,
    admin: &str,
    name: &str,
) -> (String, Vec<Certificate>) {
    let how = ott_enrollment()["enrollment"].clone();
    let (id, enrollment) = create_with_enrollment(controller, admin, name, how).await;
    let (_key, csr) = client_key_and_csr();
    let reply = redeem(controller, text(&enrollment, "token"), &csr).await;
    let chain = certificates_from_pem(text(&reply.data(), "cert")).unwrap();
    (id, chain)
}

/// An identity with a password: its id, the id of its authenticator, and a session.
pub(crate) async fn with_password(
    controller: &Harness,
    admin: &str,
    name: &str,
    more: Value,
) -> (String, String, String) {
    let token = controller.create_user(admin, name, more).await;
    let id = crate::support::find_identity_id(controller, admin, name).await;
    let authenticator = authenticator_of(controller, admin, &id, "updb").await;
    (id, authenticator, token)
}

/// The id of the authenticator that an identity has of a method.
pub(crate) async fn authenticator_of(
    controller: &Harness,
    admin: &str,
    identity: &str,
    method: &str,
) -> String {
    let shown = crate::support::read(controller, admin, identity).await;
    text(&shown["authenticators"][method], "id").to_owned()
}

/// Logs in with a certificate, and answers the token.
pub(crate) async fn token_by(controller: &Harness, chain: &[Certificate]) -> String {
    text(
        &log_in_by_certificate(controller, chain).await.data(),
        "token",
    )
    .to_owned()
}

/// The record of an authenticator, as administrators see it.
pub(crate) async fn shown(controller: &Harness, admin: &str, id: &str) -> Value {
    get(controller, admin, &format!("/authenticators/{id}"))
        .await
        .data()
}

/// A third-party authority, added behind the controller's back.
pub(crate) async fn add_authority(
    controller: &Harness,
    name: &str,
    is_verified: bool,
) -> (CaId, Authority) {
    let env = controller.app.env();
    let authority = foreign_authority(controller, name);
    let id = CaId::from_wire(name);
    let certificate = authority.certificate();
    let identified = (certificate.to_pem(), certificate.fingerprint().to_string());
    let settings = CaSettings {
        is_ott_enrollment_enabled: true,
        is_auth_enabled: true,
        ..CaSettings::named(name)
    };
    let spec = CaSpec::new(settings, identified, "token");
    let mut ca = Ca::new(id.clone(), spec, env.now()).unwrap();
    ca.spec.is_verified = is_verified;
    let key = RecordKey::root(CA, controller.engine.allocate(CA));
    modify_store(controller, move |rows| rows.insert(&key, &ca).unwrap()).await;
    (id, authority)
}

/// An authority that nobody knows.
pub(crate) fn foreign_authority(controller: &Harness, name: &str) -> Authority {
    let env = controller.app.env();
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let domain = TrustDomain::parse("other.example.test").unwrap();
    let subject = Subject::new().common_name(name);
    Authority::create_root(key, &subject, &domain, env.now(), &*env.entropy).unwrap()
}

/// A certificate for a client, of any authority.
pub(crate) fn client_of(controller: &Harness, authority: &Authority) -> Certificate {
    let env = controller.app.env();
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let csr = create_csr(&key, &Subject::new().common_name("device")).unwrap();
    let domain = TrustDomain::parse("other.example.test").unwrap();
    let id = portcullis_domain::ids::IdentityId::from_wire("device");
    authority
        .issue_identity(
            &Csr::from_pem(&csr).unwrap(),
            &domain,
            &id,
            env.now(),
            &*env.entropy,
        )
        .unwrap()
}

/// An identity that has nothing yet.
pub(crate) async fn bare(controller: &Harness, admin: &str, name: &str) -> String {
    create(controller, admin, name, json!({})).await
}

/// The body that makes a password of the usual text.
pub(crate) fn updb(identity: &str, username: &str) -> Value {
    json!({"method": "updb", "identityId": identity, "username": username, "password": PASSWORD})
}

/// The body that makes an authenticator of a certificate.
pub(crate) fn cert(identity: &str, certificate: &Certificate) -> Value {
    json!({"method": "cert", "identityId": identity, "certPem": certificate.to_pem()})
}
