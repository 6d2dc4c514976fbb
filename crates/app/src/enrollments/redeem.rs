//! Redeeming an enrollment: a token and a proof go in, a credential comes out.
//!
//! The token is spent in the transaction that makes the authenticator. Whatever fails before
//! leaves it as it was.

use super::{hash, owner};
use crate::app::App;
use crate::audit;
use crate::authenticators;
use crate::error::AppError;
use crate::network::not_issued;
use crate::password::{self, NewPassword};
use portcullis_domain::FieldError;
use portcullis_domain::access::Origin;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential, UpdbCredential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Enrollment, Method};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_pki::Csr;
use portcullis_storage::tables::{
    AUTHENTICATOR, Found, Index, Rows, StoredEnrollment, UniqueValue,
};
use secrecy::{ExposeSecret as _, SecretString};

/// An enrollment to redeem.
#[derive(Debug)]
pub struct Redemption {
    /// Its token.
    pub token: SecretString,
    /// The method that the client thinks it has; none is any.
    pub method: Option<String>,
    /// What the client brings.
    pub proof: Proof,
}

/// What a client brings to redeem an enrollment. Which part is needed depends on the method.
#[derive(Debug, Default)]
pub struct Proof {
    /// A certificate request, PEM.
    pub csr: String,
    /// The password that it chose.
    pub password: Option<SecretString>,
}

/// What a client gets for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redeemed {
    /// A certificate and those between it and the root, PEM.
    Certificate(String),
    /// The username that goes with the password.
    Username(String),
}

/// Redeems an enrollment.
pub async fn redeem(
    app: &App,
    origin: &Origin,
    redemption: Redemption,
) -> Result<Redeemed, AppError> {
    let by_token = UniqueValue::new(
        Index::EnrollmentToken,
        hash(app, redemption.token.expose_secret()).0,
    );
    let now = app.env().now();
    let (found, identity) = {
        let view = app.snapshot()?;
        pending(view.rows(), &by_token, redemption.method.as_deref(), now)?
    };
    let chosen = redemption.proof.password.clone();
    let (credential, redeemed) = earn(app, &found, &identity.entity, redemption.proof, now).await?;
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let authenticator = Authenticator::new(id, identity.entity.id.clone(), credential, now);
    let number = app.number(AUTHENTICATOR);
    let id = authenticator.id.clone();
    app.commit(move |rows| {
        // Somebody else may have been faster: what is there now counts.
        let (found, identity) = pending(rows.rows(), &by_token, redemption.method.as_deref(), now)?;
        if let (Credential::Updb(_), Some(chosen)) = (&authenticator.credential, &chosen) {
            authenticators::check_free(rows.rows(), &identity.key, authenticator.method())?;
            // The policy may have become stricter while the password was hashed.
            password::check(rows.rows(), &identity.entity, chosen)?;
        }
        rows.remove(&found.key, &found.entity)?;
        authenticators::add(rows, &identity, number, &authenticator)
    })
    .await?;
    let Enrollment {
        id: enrollment,
        identity: actor,
        ..
    } = &found.entity.enrollment;
    let note = |operation, entity| {
        audit::changed_by_stranger(origin, actor.as_str(), operation, entity);
    };
    note("enrollment.redeem", enrollment.as_str());
    note("authenticator.create", id.as_str());
    Ok(redeemed)
}

/// Finds the enrollment that a token opens and whose it is, if it may be redeemed.
fn pending(
    rows: Rows<'_>,
    by_token: &UniqueValue,
    method: Option<&str>,
    now: Timestamp,
) -> Result<(Found<StoredEnrollment>, Found<Identity>), AppError> {
    let found: Found<StoredEnrollment> = rows.find(by_token)?.ok_or(AppError::UnknownToken)?;
    found.entity.enrollment.check(method, now)?;
    let identity = owner(rows, &found)?;
    if identity.entity.is_disabled(now) {
        return Err(AppError::Denied {
            rule: Some("the identity is disabled; its token can be redeemed once it is enabled"),
        });
    }
    Ok((found, identity))
}

/// Turns the proof into a credential: the slow part, done before the transaction.
async fn earn(
    app: &App,
    found: &Found<StoredEnrollment>,
    identity: &Identity,
    proof: Proof,
    now: Timestamp,
) -> Result<(Credential, Redeemed), AppError> {
    match &found.entity.enrollment.method {
        Method::Ott => {
            let (credential, chain) = certify(app, identity, &proof.csr, now)?;
            Ok((credential, Redeemed::Certificate(chain)))
        },
        Method::Updb { username } => choose(app, identity, username, proof.password).await,
        // No third-party authority exists, so none can have been enrolled for.
        Method::OttCa { .. } => Err(AppError::UnknownToken),
    }
}

/// Issues a certificate to an identity: as its credential, and as the chain that it is handed, PEM.
pub(super) fn certify(
    app: &App,
    identity: &Identity,
    csr: &str,
    now: Timestamp,
) -> Result<(Credential, String), AppError> {
    let csr = Csr::from_pem(csr).map_err(|error| AppError::Csr(error.to_string()))?;
    let network = app.network();
    let leaf = network
        .signing()
        .issue_identity(
            &csr,
            network.trust_domain(),
            &identity.id,
            now,
            &*app.env().entropy,
        )
        .map_err(not_issued)?;
    let pem = network.signing().chain_pem(&leaf);
    let fingerprint = leaf.fingerprint().to_string();
    let credential = Credential::Cert(CertCredential::new(fingerprint, pem.clone(), true));
    Ok((credential, pem))
}

async fn choose(
    app: &App,
    identity: &Identity,
    username: &str,
    password: Option<SecretString>,
) -> Result<(Credential, Redeemed), AppError> {
    let password = password
        .filter(|password| !password.expose_secret().is_empty())
        .ok_or_else(|| FieldError::new("password", "password in body is required", "<nil>"))?;
    let password = NewPassword::prepare(app, identity, password).await?;
    let credential = UpdbCredential {
        username: username.to_owned(),
        password: password.settle(app.snapshot()?.rows(), identity)?,
    };
    Ok((
        Credential::Updb(credential),
        Redeemed::Username(username.to_owned()),
    ))
}
