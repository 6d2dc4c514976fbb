//! Redeeming an enrollment: a token and a proof go in, a credential comes out.
//!
//! The token is spent in the transaction that makes the authenticator. Whatever fails before
//! leaves it as it was.

pub(super) mod ott;
mod ottca;
mod router;
mod updb;

pub use crate::routers::RouterProof;

use super::hash;
use crate::app::App;
use crate::authenticators::{self, Draft};
use crate::error::AppError;
use crate::identities::owner;
use crate::routers::RouterCertificates;
use crate::sessions::Attempt;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Method, RedemptionError};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_storage::tables::{
    AUTHENTICATOR, Found, Index, Rows, StoredEnrollment, UniqueValue,
};
use secrecy::{ExposeSecret as _, SecretString};

/// An enrollment to redeem.
#[derive(Debug)]
pub struct Redemption<'c> {
    /// Its token.
    pub token: SecretString,
    /// The method that the client thinks it has; none is any.
    pub method: Option<String>,
    /// What the client brings.
    pub proof: Proof<'c>,
}

/// What a client brings to redeem an enrollment. Which part is needed depends on the method.
#[derive(Debug, Default)]
pub struct Proof<'c> {
    /// A certificate request, PEM.
    pub csr: String,
    /// The certificates of the connection, in DER, the one whose key was proved first.
    pub certificates: &'c [&'c [u8]],
    /// The password that it chose.
    pub password: Option<SecretString>,
    /// What a router brings.
    pub router: RouterProof,
}

/// What a client gets for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redeemed {
    /// A certificate and those between it and the root, PEM.
    Certificate(String),
    /// The certificates of a router.
    Router(RouterCertificates),
    /// The username that goes with the password.
    Username(String),
    /// Nothing: the client brought what it will log in with.
    Nothing,
}

/// Redeems an enrollment.
pub async fn redeem(
    app: &App,
    origin: &Origin,
    redemption: Redemption<'_>,
) -> Result<Redeemed, AppError> {
    let by_token = UniqueValue::new(
        Index::EnrollmentToken,
        hash(app, redemption.token.expose_secret()).0,
    );
    let now = app.env().now();
    if router::is_opened(app, &by_token)? {
        let certificates = router::redeem(app, origin, by_token, redemption).await?;
        return Ok(Redeemed::Router(certificates));
    }
    let (found, identity) = {
        let view = app.snapshot()?;
        pending(view.rows(), &by_token, redemption.method.as_deref(), now)?
    };
    let (draft, redeemed) = earn(app, &found, &identity, redemption.proof, now).await?;
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let number = app.number(AUTHENTICATOR);
    let actor = Actor::stranger(origin, identity.entity.id.as_str());
    let attempt = Attempt::new(app, origin);
    app.commit(actor, move |rows| {
        // Somebody else may have been faster: what is there now counts.
        let (found, identity) = pending(rows.rows(), &by_token, redemption.method.as_deref(), now)?;
        let credential = draft.settle(rows.rows(), &identity)?;
        let owner = identity.entity.id.clone();
        let mut authenticator = Authenticator::new(id.clone(), owner, credential, now);
        // Whoever chose the password knows it.
        attempt.note_right(&mut authenticator);
        rows.operation("enrollment.redeem", found.entity.enrollment.id.as_str());
        rows.remove(&found.key, &found.entity)?;
        authenticators::add(rows, &identity, number, &authenticator)
    })
    .await?;
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
    if found.entity.enrollment.purpose.method().is_none() {
        return Err(RedemptionError::WrongMethod.into());
    }
    let identity = owner(rows, &found)?;
    if identity.entity.is_disabled(now) {
        return Err(AppError::Denied {
            rule: Some(
                "the identity is disabled; enroll again once an administrator has enabled it",
            ),
        });
    }
    if found.entity.enrollment.is_outgrown {
        return Err(AppError::Denied {
            rule: Some(
                "the identity has gained permissions since this token was issued; ask an \
                 administrator to refresh the enrollment",
            ),
        });
    }
    Ok((found, identity))
}

/// Turns the proof into a credential: the slow part, done before the transaction.
async fn earn(
    app: &App,
    found: &Found<StoredEnrollment>,
    identity: &Found<Identity>,
    proof: Proof<'_>,
    now: Timestamp,
) -> Result<(Draft, Redeemed), AppError> {
    match found.entity.enrollment.purpose.method() {
        Some(Method::Ott) => ott::certify(app, &identity.entity, &proof.csr, now),
        Some(Method::OttCa { ca }) => ottca::present(app, ca, proof.certificates, now),
        Some(Method::Updb { username }) => {
            updb::choose(app, identity, username, proof.password).await
        },
        None => Err(RedemptionError::WrongMethod.into()),
    }
}
