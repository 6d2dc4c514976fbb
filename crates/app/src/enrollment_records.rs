//! Enrollments as records: drafted, signed and sealed before they are inserted; who sees their
//! secrets.
//!
//! Identities, routers and authenticators create enrollments; [`enrollments`](crate::enrollments)
//! redeems them.

mod draft;
pub(crate) mod secrets;

pub(crate) use draft::{EnrollmentDraft, insert, token_hash};

use crate::action::actions;
use crate::error::{AppError, EnrollmentError};
use crate::records::{check_method_unused, find_ca};
use portcullis_domain::FieldError;
use portcullis_domain::access::Access;
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::enrollment::{EnrollmentMethod, EnrollmentMethodKind, EnrollmentPurpose};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Rows, StoredEnrollment};

actions! {
    /// Reads one enrollment or a list.
    Read = Access::Granted(Subject::Enrollment, Verb::Read);
    /// Creates an enrollment for an existing identity.
    Create = Access::Granted(Subject::Enrollment, Verb::Create);
    /// Refreshes an enrollment.
    Update = Access::Granted(Subject::Enrollment, Verb::Update);
    /// Deletes an enrollment.
    Delete = Access::Granted(Subject::Enrollment, Verb::Delete);
}

/// The error for a method that names a CA that does not exist.
pub(crate) fn unknown_ca(
    rows: Rows<'_>,
    purpose: &EnrollmentPurpose,
) -> Result<Option<FieldError>, AppError> {
    let Some(ca) = purpose.ca() else {
        return Ok(None);
    };
    let is_known = find_ca(rows, ca)?.is_some();
    Ok((!is_known).then(|| FieldError::new("caId", "no CA with this id exists", ca.as_str())))
}

/// Checks that an identity has no enrollment of this method yet, nor a password besides one to be
/// set.
pub(crate) fn check_no_conflict(
    rows: Rows<'_>,
    identity: &RecordKey,
    purpose: &EnrollmentPurpose,
) -> Result<(), AppError> {
    let Some(kind) = purpose.method().map(EnrollmentMethod::kind) else {
        return Ok(());
    };
    let present = rows.dependents::<StoredEnrollment>(identity)?;
    if present
        .iter()
        .filter_map(|other| other.entity.enrollment.purpose.method())
        .any(|method| method.kind() == kind)
    {
        return Err(EnrollmentError::Exists(kind).into());
    }
    if kind == EnrollmentMethodKind::Updb {
        check_method_unused(rows, identity, kind.name())
    } else {
        Ok(())
    }
}

pub(crate) const IN_THE_FUTURE: &str = "must be in the future";

/// Validates the end of an enrollment, which has to be in the future.
pub(crate) fn validate_expiry(now: Timestamp, end: Timestamp) -> Result<Timestamp, AppError> {
    let end = clock::to_millisecond(end);
    if end > now {
        Ok(end)
    } else {
        Err(FieldError::new("expiresAt", IN_THE_FUTURE, end.to_string()).into())
    }
}
