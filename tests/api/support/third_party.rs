//! Authorities that are not the network's own, and how a controller comes to know them.

use crate::support::{get, merge, send, text};
use http::Method;
use portcullis_pki::Certificate;
use portcullis_testkit::{Harness, Reply, version_one};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    SanType, string::Ia5String,
};
use serde_json::{Value, json};

/// An authority with its key.
pub(crate) struct Authority {
    pub(crate) certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
    /// What clients present above a leaf: this one's certificate and those above, without a root.
    above: Vec<Certificate>,
}

impl Authority {
    /// A root.
    pub(crate) fn root(name: &str) -> Self {
        Self::root_with(name, |_params| {})
    }

    /// A root that is special in some way.
    pub(crate) fn root_with(name: &str, edit: impl FnOnce(&mut CertificateParams)) -> Self {
        let (params, key) = (authority(name, edit), key());
        let certificate = read(params.self_signed(&key).unwrap());
        Self {
            certificate,
            issuer: Issuer::new(params, key),
            above: Vec::new(),
        }
    }

    /// Another certificate of the same name and key.
    pub(crate) fn renewed_with(
        &self,
        name: &str,
        edit: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let key = KeyPair::try_from(self.issuer.key().serialize_der()).unwrap();
        let params = authority(name, edit);
        let certificate = read(params.self_signed(&key).unwrap());
        Self {
            certificate,
            issuer: Issuer::new(params, key),
            above: Vec::new(),
        }
    }

    /// Another certificate of the same name and key, by the authority above.
    pub(crate) fn renewed_below(
        &self,
        above: &Self,
        name: &str,
        edit: impl FnOnce(&mut CertificateParams),
    ) -> Certificate {
        let params = authority(name, edit);
        read(params.signed_by(self.issuer.key(), &above.issuer).unwrap())
    }

    /// A certificate of version 1.
    pub(crate) fn version_one(&self, common_name: &str) -> Certificate {
        let leaf = self.leaf(common_name);
        let made = version_one(leaf.as_der(), |body| {
            rcgen::SigningKey::sign(self.issuer.key(), body).unwrap()
        });
        Certificate::from_der(made).unwrap()
    }

    /// An authority below this one.
    pub(crate) fn below(&self, name: &str) -> Self {
        self.below_with(name, |_params| {})
    }

    /// An authority below this one that is special in some way.
    pub(crate) fn below_with(&self, name: &str, edit: impl FnOnce(&mut CertificateParams)) -> Self {
        let (params, key) = (authority(name, edit), key());
        let certificate = read(params.signed_by(&key, &self.issuer).unwrap());
        let mut above = vec![certificate.clone()];
        above.extend(self.above.clone());
        Self {
            certificate,
            issuer: Issuer::new(params, key),
            above,
        }
    }

    /// A certificate for a client.
    pub(crate) fn leaf(&self, common_name: &str) -> Certificate {
        self.leaf_with(common_name, |_params| {})
    }

    /// A certificate for a client that is special in some way.
    pub(crate) fn leaf_with(
        &self,
        common_name: &str,
        edit: impl FnOnce(&mut CertificateParams),
    ) -> Certificate {
        let mut params = named(common_name);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        edit(&mut params);
        read(params.signed_by(&key(), &self.issuer).unwrap())
    }

    /// A certificate for a client, with those that lead up to the root.
    pub(crate) fn chain(&self, common_name: &str) -> Vec<Certificate> {
        let mut chain = vec![self.leaf(common_name)];
        chain.extend(self.above.clone());
        chain
    }

    /// Its certificate, PEM.
    pub(crate) fn pem(&self) -> String {
        self.certificate.to_pem()
    }
}

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

fn named(common_name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    if !common_name.is_empty() {
        params
            .distinguished_name
            .push(DnType::CommonName, common_name);
    }
    params.use_authority_key_identifier_extension = true;
    params
}

fn authority(name: &str, edit: impl FnOnce(&mut CertificateParams)) -> CertificateParams {
    let mut params = named(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    edit(&mut params);
    params
}

#[expect(clippy::needless_pass_by_value, reason = "it is made to be read")]
fn read(certificate: rcgen::Certificate) -> Certificate {
    Certificate::from_der(certificate.der().to_vec()).unwrap()
}

/// Valid in years that are over when the controller's clock starts.
pub(crate) fn expired(params: &mut CertificateParams) {
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2021, 1, 1);
}

/// Valid until some months after the controller's clock starts.
pub(crate) fn ending_soon(params: &mut CertificateParams) {
    params.not_before = rcgen::date_time_ymd(2030, 1, 1);
    params.not_after = rcgen::date_time_ymd(2031, 10, 1);
}

/// With a URI among the alternative names.
pub(crate) fn uri(params: &mut CertificateParams, uri: &str) {
    let uri = Ia5String::try_from(uri).unwrap();
    params.subject_alt_names.push(SanType::URI(uri));
}

/// With a mail address among the alternative names.
pub(crate) fn email(params: &mut CertificateParams, address: &str) {
    let address = Ia5String::try_from(address).unwrap();
    params.subject_alt_names.push(SanType::Rfc822Name(address));
}

/// The body that creates an authority which may do everything.
pub(crate) fn creation(name: &str, authority: &Authority) -> Value {
    json!({
        "name": name, "certPem": authority.pem(), "identityRoles": [], "isAuthEnabled": true,
        "isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": true,
    })
}

/// Asks for an authority to be created; `more` is laid over what it may do everything with.
pub(crate) async fn ask_for(
    controller: &Harness,
    token: &str,
    (name, authority): (&str, &Authority),
    more: Value,
) -> Reply {
    let mut body = creation(name, authority);
    merge(&mut body, more);
    send(controller, token, (Method::POST, "/cas"), &body).await
}

/// Creates an authority without verifying it.
pub(crate) async fn add_unverified(
    controller: &Harness,
    admin: &str,
    authority: (&str, &Authority),
    more: Value,
) -> String {
    ask_for(controller, admin, authority, more).await.id()
}

/// Creates an authority and verifies it.
pub(crate) async fn add(
    controller: &Harness,
    admin: &str,
    (name, authority): (&str, &Authority),
    more: Value,
) -> String {
    let id = add_unverified(controller, admin, (name, authority), more).await;
    verify(controller, admin, &id, authority).await;
    id
}

/// Verifies an authority.
pub(crate) async fn verify(controller: &Harness, admin: &str, id: &str, authority: &Authority) {
    let shown = get(controller, admin, &format!("/cas/{id}")).await.data();
    let proof = authority.leaf(text(&shown, "verificationToken"));
    let reply = prove(controller, admin, id, &proof.to_pem()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Sends a proof that the key of an authority is held.
pub(crate) async fn prove(controller: &Harness, token: &str, id: &str, proof: &str) -> Reply {
    controller
        .manage(Method::POST, &format!("/cas/{id}/verify"), token)
        .text("text/plain", proof)
        .send()
        .await
}

/// Merges members of an authority.
pub(crate) async fn patch(controller: &Harness, token: &str, id: &str, body: Value) -> Reply {
    let path = format!("/cas/{id}");
    send(controller, token, (Method::PATCH, &path), &body).await
}

/// Deletes an authority.
pub(crate) async fn remove(controller: &Harness, token: &str, id: &str) -> Reply {
    let request = controller.manage(Method::DELETE, &format!("/cas/{id}"), token);
    request.send().await
}

/// Asks to become an identity by a certificate.
pub(crate) async fn knock(controller: &Harness, chain: &[Certificate]) -> Reply {
    let request = controller.request(Method::POST, "/enroll?method=ca");
    request.certificates(chain).send().await
}

/// Redeems a token of the method `ottca` with a certificate.
pub(crate) async fn redeem_ottca(
    controller: &Harness,
    token: &str,
    chain: &[Certificate],
) -> Reply {
    controller
        .request(Method::POST, &format!("/enroll?method=ottca&token={token}"))
        .text("text/plain", "")
        .certificates(chain)
        .send()
        .await
}

/// A claim of the simplest kind.
pub(crate) fn common_name_claim() -> Value {
    json!({"externalIdClaim": {
        "location": "COMMON_NAME", "matcher": "ALL", "matcherCriteria": "",
        "parser": "NONE", "parserCriteria": "", "index": 0,
    }})
}
