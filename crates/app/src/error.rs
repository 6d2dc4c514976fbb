//! What keeps a use case from doing what was asked.

use portcullis_domain::FieldError;
use portcullis_domain::access::Denied;
use portcullis_domain::enrollment::{MethodKind, RedemptionError};
use portcullis_domain::entropy::EntropyError;
use portcullis_domain::password_throttle::Throttled;
use portcullis_storage::engine::{CommitError, Overloaded, StoreError};
use portcullis_storage::tables::{Index, UniqueValue, WriteError};
use portcullis_storage::vault::SealError;

/// What every transport has to tell its clients apart.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The caller may not do this; the text says why, where there is more to say.
    #[error("permission denied")]
    Denied {
        /// The rule that forbids it, if it is not simply the missing permission.
        rule: Option<&'static str>,
    },
    /// There is no such entity.
    #[error("{kind} with id {id} not found")]
    NotFound {
        /// The word for one of the kind.
        kind: &'static str,
        /// The id that leads nowhere.
        id: String,
    },
    /// A member of the request is at fault.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A member is at fault in a way that the API reports under a code of its own.
    #[error("{0}")]
    InvalidField(FieldError),
    /// A member names something that does not exist, where the API answers "not found".
    #[error("{0}")]
    MissingReference(FieldError),
    /// A list is asked for in a way that makes no sense.
    #[error(transparent)]
    Listing(#[from] crate::listing::BadListing),
    /// The entity cannot be deleted; the text says why, where there is more to say.
    #[error("the entity cannot be deleted")]
    Undeletable {
        /// Why not, if it is not simply so for good.
        rule: Option<&'static str>,
    },
    /// The entity cannot be changed; the text says why.
    #[error("the entity cannot be changed: {rule}")]
    Unchangeable {
        /// Why not.
        rule: &'static str,
    },
    /// Something refers to the entity, which cannot be deleted as long as it does.
    #[error("{0}")]
    InUse(FieldError),
    /// The identity has an enrollment of this method already.
    #[error("the identity already has an enrollment of this method")]
    EnrollmentExists(MethodKind),
    /// The identity has an authenticator of this method already.
    #[error("the identity already has an authenticator of the method {0}")]
    AuthenticatorExists(&'static str),
    /// The authenticator is of another kind than can be changed in this way, or not ready for it.
    #[error("the authenticator cannot be changed this way")]
    AuthenticatorUnfit,
    /// The current password, which its owner has to give to change it, is not right.
    #[error("the current password is wrong")]
    WrongPassword,
    /// The text is not exactly one certificate in PEM.
    #[error("expected exactly one PEM certificate")]
    NotOneCertificate,
    /// No authority that is trusted has issued the certificate.
    #[error("the certificate was not issued by a trusted CA")]
    Unvouched,
    /// The certificate is not the one that is waited for.
    #[error("the certificate is not the expected one")]
    UnexpectedCertificate,
    /// The token opens no enrollment.
    #[error("the enrollment token is unknown")]
    UnknownToken,
    /// The enrollment cannot be redeemed as asked.
    #[error(transparent)]
    Redemption(#[from] RedemptionError),
    /// The token would make an identity that exists.
    #[error("the identity is already enrolled")]
    AlreadyEnrolled,
    /// Nobody may become an identity in this way.
    #[error("enrolling this way is not enabled")]
    EnrollmentNotAllowed,
    /// The text is not exactly one certificate.
    #[error("expected exactly one PEM certificate")]
    CertificatePem,
    /// The key of an authority is not proved to be held.
    #[error(transparent)]
    CaProof(#[from] crate::cas::ProofError),
    /// A certificate of a third party does not lead to an enrollment.
    #[error(transparent)]
    BadCertificate(#[from] crate::enrollments::CertificateFault),
    /// Something about TOTP is not done.
    #[error(transparent)]
    Mfa(#[from] crate::mfa::MfaFault),
    /// The session passes none of the policies that would grant it the service.
    #[error("the posture checks of {} policies failed", .0.len())]
    InvalidPosture(Vec<portcullis_domain::posture::PolicyFailure>),
    /// The service could not be reached: there is no router to go through.
    #[error("no edge router is available")]
    NoEdgeRouters,
    /// The certificate request cannot be granted.
    #[error("the CSR cannot be granted: {0}")]
    Csr(String),
    /// A certificate request is missing; the text says which.
    #[error("{0} is required")]
    MissingCsr(&'static str),
    /// The router is of another kind than can be changed in this way.
    #[error("the router cannot be changed this way")]
    RouterUnfit,
    /// The controller has been initialised before.
    #[error("the controller already has an administrator")]
    AlreadyInitialised,
    /// There is more work than can be done now; later there may be less.
    #[error("the controller is overloaded")]
    Overloaded,
    /// The operation is done from time to time only.
    #[error("{rule}")]
    TooSoon {
        /// How often it is done.
        rule: &'static str,
        /// When to ask again.
        seconds: u32,
    },
    /// The file of a copy of the store could not be written; the text says why.
    #[error("the snapshot could not be written: {0}")]
    NotCopied(&'static str),
    /// Too many passwords are being checked; later there may be fewer.
    #[error("too many passwords are being checked")]
    TooManyPasswords,
    /// Too many passwords from the same source were wrong; right ones are refused as well until the
    /// time is over.
    #[error(transparent)]
    PasswordsThrottled(#[from] Throttled),
    /// The answer would take longer than anybody waits for it.
    #[error("the answer took too long")]
    TooSlow,
    /// The read model is still being built.
    #[error("lists are not ready yet")]
    NotReady,
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// There was no randomness to make a secret from.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// Something that cannot happen has happened; the text is for the log only.
    #[error("internal fault: {0}")]
    Internal(String),
}

impl AppError {
    /// There is no entity of that kind with that id.
    pub fn not_found(kind: &'static str, id: impl Into<String>) -> Self {
        Self::NotFound {
            kind,
            id: id.into(),
        }
    }

    /// A fault of the program, not of the request.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }
}

/// The fault of removing one of a kind that something else refers to: the member by which it does, and
/// whose id.
pub(crate) fn referenced(kind: &str, field: &str, (by, id): (&str, &str)) -> FieldError {
    let reason =
        format!("the {kind} is still used by the {by} {id}; change or delete that one first");
    FieldError::new(field, reason, format!("[{id}]"))
}

impl From<Denied> for AppError {
    fn from(_denied: Denied) -> Self {
        Self::Denied { rule: None }
    }
}

impl From<Overloaded> for AppError {
    fn from(_overloaded: Overloaded) -> Self {
        Self::Overloaded
    }
}

impl From<crate::password::PoolFull> for AppError {
    fn from(_full: crate::password::PoolFull) -> Self {
        Self::TooManyPasswords
    }
}

impl From<SealError> for AppError {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Entropy(error) => Self::Entropy(error),
            // What was sealed and does not open is damage, or belongs to another key.
            error => Self::Store(StoreError::corrupt(error.to_string())),
        }
    }
}

impl From<CommitError> for AppError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Engine(error) => Self::Store(error),
            CommitError::Aborted(_) | CommitError::Panicked => Self::internal(error),
        }
    }
}

impl From<WriteError> for AppError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => Self::Store(error),
            WriteError::Taken(value) => taken(&value),
            WriteError::Missing(value) => missing(&value),
        }
    }
}

/// Why a name of the kinds is refused that are called alike in all errors.
const NAME_IN_USE: &str = "is already in use; choose another name";

/// Why a value is refused that an entity of this kind has already.
fn in_use_by(noun: &str) -> String {
    format!("is already in use by another {noun}; choose another value")
}

/// Says in the words of the API which value is taken.
fn taken(value: &UniqueValue) -> AppError {
    let text = String::from_utf8_lossy(&value.value);
    let (field, noun) = match value.index {
        Index::IdentityName => ("name", "identity"),
        Index::IdentityExternalId => ("externalId", "identity"),
        Index::AuthPolicyName => ("name", "auth policy"),
        Index::AuthenticatorFingerprint => ("certFingerprint", "authenticator"),
        Index::AuthenticatorUsername => ("updbUsername", "authenticator"),
        Index::CaName => ("name", "CA"),
        Index::CaFingerprint => ("certPem", "CA"),
        Index::SignerName => ("name", "external JWT signer"),
        Index::SignerIssuer => ("issuer", "external JWT signer"),
        Index::SignerKid => ("kid", "external JWT signer"),
        Index::SignerFingerprint => ("fingerprint", "external JWT signer"),
        Index::RouterFingerprint => ("fingerprint", "router"),
        // Whoever makes a router of the fabric chooses its id.
        Index::RouterId => ("id", "router"),
        Index::ConfigTypeName
        | Index::ConfigName
        | Index::ServiceName
        | Index::RouterName
        | Index::ServicePolicyName
        | Index::EdgeRouterPolicyName
        | Index::ServiceEdgeRouterPolicyName
        | Index::PostureCheckName => {
            return FieldError::new("name", NAME_IN_USE, text).into();
        },
        Index::DefaultAdministrator => return AppError::AlreadyInitialised,
        // Ids and tokens are drawn, not chosen: one that is taken is a fault of the source. Where a
        // revocation is chosen, it takes the place of the one before.
        Index::IdentityId
        | Index::EnrollmentId
        | Index::EnrollmentToken
        | Index::AuthenticatorId
        | Index::ApiSessionToken
        | Index::SessionCertificateId
        | Index::AuthPolicyId
        | Index::CaId
        | Index::SignerId
        | Index::ConfigTypeId
        | Index::ConfigId
        | Index::ServiceId
        | Index::TerminatorId
        | Index::ServicePolicyId
        | Index::EdgeRouterPolicyId
        | Index::ServiceEdgeRouterPolicyId
        | Index::PostureCheckId
        | Index::SessionId
        | Index::SessionGrant
        | Index::RevocationId => {
            return AppError::Internal(format!("{:?} was drawn twice", value.index));
        },
    };
    AppError::Field(FieldError::new(field, in_use_by(noun), text))
}

/// Says in the words of the API which entity does not exist.
fn missing(value: &UniqueValue) -> AppError {
    let id = String::from_utf8_lossy(&value.value);
    match value.index {
        // It has ended meanwhile.
        Index::ApiSessionToken => Denied.into(),
        Index::AuthPolicyId => AppError::not_found("auth policy", id),
        Index::CaId => AppError::not_found("CA", id),
        Index::SignerId => AppError::not_found("external JWT signer", id),
        Index::IdentityId => AppError::not_found("identity", id),
        Index::ServiceId => AppError::not_found("service", id),
        Index::RouterId => AppError::not_found("router", id),
        Index::ConfigId => AppError::not_found("config", id),
        Index::ConfigTypeId => AppError::not_found("config type", id),
        Index::PostureCheckId => AppError::not_found("posture check", id),
        other => AppError::Internal(format!("{other:?} is no reference")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_use_are_told_in_the_words_of_the_api() {
        for (index, field) in [
            (Index::IdentityName, "name"),
            (Index::ServiceName, "name"),
            (Index::IdentityExternalId, "externalId"),
            (Index::CaFingerprint, "certPem"),
        ] {
            let AppError::Field(error) = taken(&UniqueValue::new(index, "x")) else {
                panic!("{index:?} is no field");
            };
            assert_eq!((error.field.as_str(), error.value.as_str()), (field, "x"));
            assert!(error.reason.starts_with("is already in use"), "{error}");
            for word in ["index", "store", "duplicate"] {
                assert!(!error.reason.contains(word), "{error}");
            }
        }
    }
}
