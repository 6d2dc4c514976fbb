//! Redemption of enrollments: exchanges a token and a proof for a credential.
//!
//! The token is spent in the transaction that creates the authenticator. Earlier failures leave it
//! as it was.

pub(super) mod ott;
mod ottca;
mod router;
mod updb;

pub use crate::routers::RouterCsrs;

use crate::app::App;
use crate::authenticators::{self, CredentialDraft};
use crate::enrollment_records::token_hash;
use crate::error::{AppError, EnrollmentError};
use crate::records::get_owner;
use crate::routers::RouterCertificates;
use crate::sessions::PasswordAttempt;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{EnrollmentMethod, RedemptionError};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_storage::tables::{
    AUTHENTICATOR, Found, Rows, StoredEnrollment, UniqueIndex, UniqueValue,
};
use secrecy::{ExposeSecret as _, SecretString};

#[derive(Debug)]
pub struct Redemption<'c> {
    pub token: SecretString,
    /// Method that the client expects; `None` for any.
    pub method: Option<String>,
    pub proof: RedemptionProof<'c>,
}

/// Proof for a redemption; the method decides which fields are required.
#[derive(Debug, Default)]
pub struct RedemptionProof<'c> {
    /// PEM certificate signing request.
    pub csr: String,
    /// Certificate chain of the connection in DER, leaf first.
    pub certificates: &'c [&'c [u8]],
    /// Password chosen by the client.
    pub password: Option<SecretString>,
    pub router: RouterCsrs,
}

/// Result of a redemption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedemptionResult {
    /// PEM of the certificate and its intermediates, without the root.
    Certificate(String),
    Router(RouterCertificates),
    /// Username that belongs to the chosen password.
    Username(String),
    /// The client logs in with the certificate that it presented.
    Nothing,
}

pub async fn redeem(
    app: &App,
    origin: &Origin,
    redemption: Redemption<'_>,
) -> Result<RedemptionResult, AppError> {
    let by_token = UniqueValue::new(
        UniqueIndex::EnrollmentToken,
        token_hash(app, redemption.token.expose_secret()).0,
    );
    let now = app.env().now();
    if router::is_router_token(app, &by_token)? {
        let certificates = router::redeem(app, origin, by_token, redemption).await?;
        return Ok(RedemptionResult::Router(certificates));
    }
    let (found, identity) = {
        let view = app.snapshot()?;
        find_pending(view.rows(), &by_token, redemption.method.as_deref(), now)?
    };
    let (draft, result) = create_credential(app, &found, &identity, redemption.proof, now).await?;
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let number = app.next_number(AUTHENTICATOR);
    let actor = Actor::without_session(origin, identity.entity.id.as_str());
    let attempt = PasswordAttempt::new(app, origin);
    app.commit(actor, move |rows| {
        // Another request may have redeemed it in the meantime.
        let (found, identity) =
            find_pending(rows.rows(), &by_token, redemption.method.as_deref(), now)?;
        let credential = draft.finalize(rows.rows(), &identity)?;
        let owner = identity.entity.id.clone();
        let mut authenticator = Authenticator::new(id.clone(), owner, credential, now);
        // Whoever chose the password knows it.
        attempt.record_success(&mut authenticator);
        rows.set_operation("enrollment.redeem", found.entity.enrollment.id.as_str());
        rows.remove(&found.key, &found.entity)?;
        authenticators::insert(rows, &identity, number, &authenticator)
    })
    .await?;
    Ok(result)
}

/// Finds the enrollment of a token and its identity, if it can be redeemed.
fn find_pending(
    rows: Rows<'_>,
    by_token: &UniqueValue,
    method: Option<&str>,
    now: Timestamp,
) -> Result<(Found<StoredEnrollment>, Found<Identity>), AppError> {
    let found: Found<StoredEnrollment> =
        rows.find(by_token)?.ok_or(EnrollmentError::UnknownToken)?;
    found.entity.enrollment.validate_redemption(method, now)?;
    if found.entity.enrollment.purpose.method().is_none() {
        return Err(RedemptionError::WrongMethod.into());
    }
    let identity = get_owner(rows, &found)?;
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

/// Creates the credential from the proof: the slow part, before the transaction.
async fn create_credential(
    app: &App,
    found: &Found<StoredEnrollment>,
    identity: &Found<Identity>,
    proof: RedemptionProof<'_>,
    now: Timestamp,
) -> Result<(CredentialDraft, RedemptionResult), AppError> {
    match found.entity.enrollment.purpose.method() {
        Some(EnrollmentMethod::Ott) => {
            ott::issue_credential(app, &identity.entity, &proof.csr, now)
        },
        Some(EnrollmentMethod::OttCa { ca }) => {
            ottca::verify_certificate(app, ca, proof.certificates, now)
        },
        Some(EnrollmentMethod::Updb { username }) => {
            updb::hash_password(app, identity, username, proof.password).await
        },
        None => Err(RedemptionError::WrongMethod.into()),
    }
}

#[cfg(test)]
mod tests;
