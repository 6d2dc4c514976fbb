//! An identity provider as the tests need it: a key, its certificate, its key set, and tokens that
//! say whatever a test wants.

use crate::support::{add_policy, merge, send, text};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use portcullis_domain::ids::SignerId;
use portcullis_pki::{Authority, Certificate, KeyType, SigningKey, Subject, TrustDomain};
use portcullis_testkit::{Harness, Reply, Request};
use serde_json::{Value, json};

/// The audience that tokens need.
pub(crate) const AUDIENCE: &str = "portcullis";

/// A provider.
pub(crate) struct Idp {
    pub(crate) issuer: String,
    /// The name of its key.
    pub(crate) kid: String,
    pub(crate) certificate: Certificate,
    pair: EcdsaKeyPair,
}

impl Idp {
    /// A provider with a fresh key.
    pub(crate) fn new(controller: &Harness, name: &str) -> Self {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let der = key.to_rustls().unwrap();
        let pair =
            EcdsaKeyPair::from_private_key_der(&ECDSA_P256_SHA256_FIXED_SIGNING, der.secret_der())
                .unwrap();
        let env = controller.app.env();
        let subject = Subject::new().common_name(name);
        let domain = TrustDomain::parse("idp.example.test").unwrap();
        let root =
            Authority::create_root(key, &subject, &domain, env.now(), &*env.entropy).unwrap();
        Self {
            issuer: format!("https://{name}.example.test"),
            kid: format!("{name}-key"),
            certificate: root.certificate().clone(),
            pair,
        }
    }

    /// Its key as it publishes it.
    pub(crate) fn jwk(&self) -> Value {
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        let [x, y] = [x, y].map(|part| URL_SAFE_NO_PAD.encode(part));
        json!({"kid": self.kid, "kty": "EC", "crv": "P-256", "use": "sig", "x": x, "y": y})
    }

    /// Its key set.
    pub(crate) fn key_set(&self) -> String {
        json!({"keys": [self.jwk()]}).to_string()
    }

    /// A token with this header and these claims.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(&header.to_string(), &claims.to_string())
    }

    /// A token with this header and these claims, be they what they may.
    pub(crate) fn sign_text(&self, header: &str, claims: &str) -> String {
        let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part));
        self.sign_parts(&header, &claims)
    }

    /// A token of parts that are encoded already.
    pub(crate) fn sign_parts(&self, header: &str, claims: &str) -> String {
        let signed = format!("{header}.{claims}");
        let signature = self
            .pair
            .sign(&SystemRandom::new(), signed.as_bytes())
            .unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    pub(crate) fn header(&self) -> Value {
        json!({"alg": "ES256", "typ": "JWT", "kid": self.kid})
    }

    /// What a good token claims of `sub`.
    pub(crate) fn claims(&self, controller: &Harness, sub: &str) -> Value {
        let now = controller.app.env().now().as_second();
        json!({
            "iss": self.issuer, "aud": AUDIENCE, "sub": sub, "iat": now - 5, "exp": now + 600,
        })
    }

    /// A good token of `sub`.
    pub(crate) fn token(&self, controller: &Harness, sub: &str) -> String {
        self.sign(&self.header(), &self.claims(controller, sub))
    }

    /// What a signer is created with whose key is in a certificate; `more` is laid over it.
    pub(crate) fn signer(&self, more: Value) -> Value {
        let mut body = json!({
            "name": self.issuer, "enabled": true, "issuer": self.issuer, "audience": AUDIENCE,
            "certPem": self.certificate.to_pem(), "kid": self.kid, "useExternalId": true,
        });
        merge(&mut body, more);
        body
    }

    /// Makes the signer of [`Idp::signer`] and answers its id.
    pub(crate) async fn register(&self, controller: &Harness, admin: &str, more: Value) -> String {
        create_signer(controller, admin, &self.signer(more))
            .await
            .id()
    }
}

/// Asks for a signer.
pub(crate) async fn create_signer(controller: &Harness, admin: &str, body: &Value) -> Reply {
    let asked = (Method::POST, "/external-jwt-signers");
    send(controller, admin, asked, body).await
}

/// Merges a change into a signer.
pub(crate) async fn patch_signer(
    controller: &Harness,
    admin: &str,
    id: &str,
    body: Value,
) -> Reply {
    let path = format!("/external-jwt-signers/{id}");
    send(controller, admin, (Method::PATCH, &path), &body).await
}

/// The session of `eve@x`, who came by password and whose policy asks for a token of `signer` too.
pub(crate) async fn session_without_token(
    controller: &Harness,
    admin: &str,
    signer: String,
) -> String {
    add_policy(controller, "both", |policy| {
        policy.spec.secondary.require_ext_jwt_signer = Some(SignerId::from_wire(signer));
    })
    .await;
    let eve = json!({"externalId": "eve@x", "authPolicyId": "both"});
    controller.create_user(admin, "evelyn", eve).await
}

/// With tokens among the credentials.
pub(crate) fn bearing<'h>(request: Request<'h>, tokens: &[&str]) -> Request<'h> {
    tokens.iter().fold(request, |request, token| {
        request.header("authorization", &format!("Bearer {token}"))
    })
}

/// Logs in with tokens.
pub(crate) async fn log_in_with(controller: &Harness, tokens: &[&str]) -> Reply {
    let request = controller.request(Method::POST, "/authenticate?method=ext-jwt");
    bearing(request, tokens).send().await
}

/// Asks who one is, with tokens beside the session.
pub(crate) async fn who(controller: &Harness, session: &str, tokens: &[&str]) -> Reply {
    let request = controller.request(Method::GET, "/current-identity");
    bearing(request.session(session), tokens).send().await
}

/// Enrolls with a token; an empty request asks for no certificate.
pub(crate) async fn enroll_with(controller: &Harness, token: &str, csr: &str) -> Reply {
    let request = controller.request(Method::POST, "/enroll/token");
    let body = if csr.is_empty() {
        json!({})
    } else {
        json!({ "clientCsr": csr })
    };
    bearing(request, &[token]).json(&body).send().await
}

/// The `error` of the challenge that an answer carries; `none` when it carries none.
pub(crate) fn challenge(reply: &Reply) -> String {
    let Some(value) = reply.headers.get("www-authenticate") else {
        return "none".to_owned();
    };
    let value = value.to_str().unwrap();
    let (_, rest) = value.split_once("error=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// The session token of a login.
#[track_caller]
pub(crate) fn session(reply: &Reply) -> String {
    text(&reply.data(), "token").to_owned()
}
