//! Errors of the use cases.

mod authenticator;
mod ca_proof;
mod csr;
mod enrollment;
mod enrollment_certificate;
mod list;
mod mfa;
mod not_allowed;
mod service_session;
mod too_many_requests;

pub use authenticator::AuthenticatorError;
pub use ca_proof::CaProofError;
pub use csr::CsrDeniedError;
pub use enrollment::EnrollmentError;
pub use enrollment_certificate::EnrollmentCertificateError;
pub use list::ListError;
pub use mfa::MfaError;
pub use not_allowed::NotAllowedError;
pub use service_session::ServiceSessionError;
pub use too_many_requests::TooManyRequestsError;

use crate::password::PoolFullError;
use portcullis_domain::FieldError;
use portcullis_domain::access::AccessDeniedError;
use portcullis_domain::enrollment::RedemptionError;
use portcullis_domain::entropy::EntropyError;
use portcullis_domain::password_throttle::ThrottledError;
use portcullis_pki::IssueError;
use portcullis_storage::engine::{CommitError, OverloadedError, StoreError};
use portcullis_storage::tables::{UniqueIndex, UniqueMember, UniqueValue, WriteError};
use portcullis_storage::vault::SealError;

/// Errors of all use cases: classes that any of them may return, and the errors of one area each.
/// Transports map each to a response of its own.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The caller lacks the permission.
    #[error("permission denied")]
    Denied {
        /// The rule that forbids it, unless the permission is simply missing.
        rule: Option<&'static str>,
    },
    /// No entity of this kind has this id.
    #[error("{kind} with id {id} not found")]
    NotFound {
        /// Noun for the kind, such as `auth policy`.
        kind: &'static str,
        id: String,
    },
    /// A field of the request is invalid.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A field is invalid, and the API has an error code of its own for it.
    #[error("{0}")]
    InvalidField(FieldError),
    /// A field refers to an entity that does not exist, and the API answers "not found".
    #[error("{0}")]
    MissingReference(FieldError),
    /// Another entity refers to this one, which therefore cannot be deleted.
    #[error("{0}")]
    InUse(FieldError),
    #[error(transparent)]
    NotAllowed(#[from] NotAllowedError),
    #[error(transparent)]
    Overloaded(#[from] TooManyRequestsError),
    /// The response took too long.
    #[error("the answer took too long")]
    TimedOut,
    /// The read model is still being built, or the process is ending.
    #[error("the controller is still starting, or is stopping")]
    NotReady,
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The entropy source failed.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// A bug; the text is for the log only.
    #[error("internal fault: {0}")]
    Internal(String),

    /// The query of a list is invalid.
    #[error(transparent)]
    Listing(#[from] ListError),
    #[error(transparent)]
    Enrollment(#[from] EnrollmentError),
    #[error(transparent)]
    Authenticator(#[from] AuthenticatorError),
    #[error(transparent)]
    Csr(#[from] CsrDeniedError),
    #[error(transparent)]
    Mfa(#[from] MfaError),
    #[error(transparent)]
    ServiceSession(#[from] ServiceSessionError),
    /// Possession of a CA's private key was not proved.
    #[error(transparent)]
    CaProof(#[from] CaProofError),
    #[error("the certificate of a signer has to be exactly one PEM certificate")]
    InvalidCertificatePem,
    /// A snapshot of the store could not be written.
    #[error("the snapshot could not be written: {0}")]
    SnapshotFailed(&'static str),
    /// The controller has already been initialized.
    #[error("the controller already has an administrator")]
    AlreadyInitialized,
}

impl AppError {
    pub fn not_found(kind: &'static str, id: impl Into<String>) -> Self {
        Self::NotFound {
            kind,
            id: id.into(),
        }
    }

    /// Reports a bug in the program, not in the request.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }
}

/// What refers to an entity that is to be deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Referrer<'r> {
    pub(crate) kind: &'r str,
    pub(crate) id: &'r str,
    pub(crate) name: &'r str,
}

/// Error for deleting an entity of `kind` that is still referenced, by a field of the referrer.
pub(crate) fn still_referenced(kind: &str, field: &str, by: Referrer<'_>) -> FieldError {
    let Referrer { kind: by, id, name } = by;
    let reason = format!(
        "the {kind} is still used by the {by} `{name}` ({id}); change or delete that one first"
    );
    FieldError::new(field, reason, format!("[{id}]"))
}

impl From<AccessDeniedError> for AppError {
    fn from(_denied: AccessDeniedError) -> Self {
        Self::Denied { rule: None }
    }
}

impl From<IssueError> for AppError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::Entropy(error) => Self::Entropy(error),
            error => Self::internal(error),
        }
    }
}

impl From<OverloadedError> for AppError {
    fn from(_overloaded: OverloadedError) -> Self {
        TooManyRequestsError::Store.into()
    }
}

impl From<ThrottledError> for AppError {
    fn from(error: ThrottledError) -> Self {
        TooManyRequestsError::from(error).into()
    }
}

impl From<RedemptionError> for AppError {
    fn from(error: RedemptionError) -> Self {
        EnrollmentError::from(error).into()
    }
}

impl From<EnrollmentCertificateError> for AppError {
    fn from(error: EnrollmentCertificateError) -> Self {
        EnrollmentError::from(error).into()
    }
}

impl From<PoolFullError> for AppError {
    fn from(_full: PoolFullError) -> Self {
        TooManyRequestsError::Passwords.into()
    }
}

impl From<SealError> for AppError {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Entropy(error) => Self::Entropy(error),
            // Sealed data that does not open is damaged, or was sealed with another key.
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
            WriteError::UniqueViolation(value) => value_in_use(&value),
            WriteError::MissingReference(value) => reference_not_found(&value),
        }
    }
}

/// Reason for a name that another entity of this kind already has.
const NAME_IN_USE: &str = "is already in use; choose another name";

/// Reason for any other value that another entity of this kind already has.
fn in_use_by(noun: &str) -> String {
    format!("is already in use by another {noun}; choose another value")
}

/// Maps a unique value that is taken to the member of the API.
fn value_in_use(value: &UniqueValue) -> AppError {
    let text = String::from_utf8_lossy(&value.value);
    match value.index.member() {
        UniqueMember::Name => FieldError::new("name", NAME_IN_USE, text).into(),
        UniqueMember::Member(member) => {
            FieldError::new(member, in_use_by(value.index.noun()), text).into()
        },
        UniqueMember::Generated if value.index == UniqueIndex::DefaultAdministrator => {
            AppError::AlreadyInitialized
        },
        // Only a faulty source of entropy generates a value twice.
        UniqueMember::Generated => {
            AppError::Internal(format!("generated a duplicate value for {:?}", value.index))
        },
    }
}

/// Maps a missing reference to the entity that does not exist.
fn reference_not_found(value: &UniqueValue) -> AppError {
    let id = String::from_utf8_lossy(&value.value);
    match value.index {
        // The session has ended in the meantime.
        UniqueIndex::ApiSessionToken => AccessDeniedError.into(),
        index if index.is_id() => AppError::not_found(index.noun(), id),
        other => AppError::Internal(format!("{other:?} is not a reference")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_references_are_told_by_their_kind() {
        let missing = |index| reference_not_found(&UniqueValue::new(index, "x")).to_string();
        let not_found = missing(UniqueIndex::SignerId);
        assert!(not_found.contains("external JWT signer"), "{not_found}");
        let error = reference_not_found(&UniqueValue::new(UniqueIndex::EnrollmentToken, "x"));
        assert!(matches!(error, AppError::Internal(_)), "{error}");
    }

    #[test]
    fn names_in_use_are_told_from_other_values() {
        for (index, reason) in [
            (UniqueIndex::ConfigName, NAME_IN_USE.to_owned()),
            (UniqueIndex::RouterName, NAME_IN_USE.to_owned()),
            (UniqueIndex::RouterId, in_use_by("router")),
            (UniqueIndex::IdentityName, NAME_IN_USE.to_owned()),
            (UniqueIndex::AuthPolicyName, NAME_IN_USE.to_owned()),
            (UniqueIndex::CaName, NAME_IN_USE.to_owned()),
            (UniqueIndex::SignerName, NAME_IN_USE.to_owned()),
            (UniqueIndex::CaFingerprint, in_use_by("CA")),
            (UniqueIndex::SignerKid, in_use_by("external JWT signer")),
            (UniqueIndex::IdentityExternalId, in_use_by("identity")),
        ] {
            let AppError::Field(error) = value_in_use(&UniqueValue::new(index, "x")) else {
                panic!("{index:?} is no field");
            };
            assert_eq!(error.reason, reason, "{index:?}");
        }
        let second = value_in_use(&UniqueValue::new(UniqueIndex::DefaultAdministrator, ""));
        assert!(matches!(second, AppError::AlreadyInitialized));
    }

    #[test]
    fn values_in_use_are_told_in_the_words_of_the_api() {
        for (index, field) in [
            (UniqueIndex::IdentityName, "name"),
            (UniqueIndex::ServiceName, "name"),
            (UniqueIndex::IdentityExternalId, "externalId"),
            (UniqueIndex::CaFingerprint, "certPem"),
        ] {
            let AppError::Field(error) = value_in_use(&UniqueValue::new(index, "x")) else {
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
