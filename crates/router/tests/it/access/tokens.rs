//! Tokens without cryptography: `ey.<key>.<claims>` counts as signed with the key of that id.

use portcullis_router::access::TokenVerifier;
use portcullis_wire::Token;
use portcullis_wire::control::data_model::{KeyUsage, PublicKey};
use serde_json::{Value, json};

/// The key that everything is signed with.
pub(crate) const KEY: &str = "k0";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Verifier;

impl TokenVerifier for Verifier {
    fn key_id(&self, token: &str) -> Option<String> {
        let (key, _) = token.strip_prefix("ey.")?.split_once('.')?;
        Some(key.to_owned())
    }

    fn verify(&self, token: &str, key: &PublicKey) -> Option<Value> {
        let (id, claims) = token.strip_prefix("ey.")?.split_once('.')?;
        let is_signed = key.data.as_ref() == id.as_bytes();
        is_signed.then(|| serde_json::from_str(claims).ok())?
    }
}

/// A key that may sign tokens, unless `usages` say otherwise.
pub(crate) fn signing_key(id: &str, usages: &[KeyUsage]) -> PublicKey {
    PublicKey {
        data: id.as_bytes().to_vec().into(),
        key_id: id.to_owned(),
        usages: usages.to_vec(),
        ..PublicKey::default()
    }
}

pub(crate) fn sign(key: &str, claims: &Value) -> Token {
    Token::new(format!("ey.{key}.{claims}"))
}

/// Claims of an access token of the session `session of <identity>`, bound to the certificate
/// `certificate of <identity>`.
pub(crate) fn access_claims(identity: &str, issued: i64, expires: i64) -> Value {
    json!({
        "iss": "https://controller.example.test:1280/oidc", "sub": identity, "aud": ["openziti"],
        "jti": format!("token of {identity}"), "iat": issued, "nbf": issued, "exp": expires,
        "auth_time": issued, "amr": ["cert"], "z_t": "a", "z_asid": session_id(identity),
        "z_cfs": [certificate(identity)], "z_ra": "192.0.2.1:4711",
    })
}

pub(crate) fn session_id(identity: &str) -> String {
    format!("session of {identity}")
}

pub(crate) fn certificate(identity: &str) -> String {
    format!("certificate of {identity}")
}

/// Claims of the token of a session for a service.
pub(crate) fn service_claims(identity: &str, service: &str, grant: &str, expires: i64) -> Value {
    json!({
        "sub": service, "aud": ["openziti"], "jti": format!("{identity} {grant} {service}"),
        "exp": expires, "z_asid": session_id(identity), "z_iid": identity, "z_t": "s",
        "z_st": grant, "z_leg": false,
    })
}

/// Claims of a token that tells of a TOTP code.
pub(crate) fn totp_claims(identity: &str, issued: i64) -> Value {
    json!({
        "sub": identity, "aud": ["openziti"], "iat": issued, "z_asid": session_id(identity),
        "z_t": "t",
    })
}
