//! Restrictions for callers who are not administrators.

use crate::error::AppError;
use crate::privilege::{CredentialGuard, EnrollmentOwner, check_admin};
use portcullis_domain::access::Caller;
use portcullis_domain::ca::{Ca, CaSettings};
use portcullis_storage::tables::{ENROLLMENT, Found, Rows, StoredEnrollment};

const LOGIN_RULE: &str = "only administrators may change isAuthEnabled of a verified CA, or delete one that \
     lets clients log in";

/// Checks that a caller may change authorities with an external id claim: such an authority can
/// authenticate its owner as any identity with an external id.
pub(super) fn check_external_id_claim(
    credential_guard: CredentialGuard,
    caller: &Caller,
    settings: &[&CaSettings],
) -> Result<(), AppError> {
    if settings
        .iter()
        .any(|settings| settings.external_id_claim.is_some())
    {
        let rule = "only administrators may set externalIdClaim on a CA";
        credential_guard.check_for_all(caller, rule)
    } else {
        Ok(())
    }
}

/// Checks that a caller may change an authority. Only administrators may change whether its
/// certificates can log in, since administrators may be among their holders.
pub(super) fn check_change(
    credential_guard: CredentialGuard,
    caller: &Caller,
    before: &Ca,
    after: &Ca,
) -> Result<(), AppError> {
    if before != after {
        let settings = [&before.spec.settings, &after.spec.settings];
        check_external_id_claim(credential_guard, caller, &settings)?;
    }
    match (before.can_authenticate(), after.can_authenticate()) {
        (true, false) => check_admin(caller, LOGIN_RULE),
        (false, true) => credential_guard.check_for_all(caller, LOGIN_RULE),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Checks that a caller may delete an authority with its enrollments.
pub(super) fn check_removal(
    rows: Rows<'_>,
    caller: &Caller,
    found: &Found<Ca>,
) -> Result<(), AppError> {
    if found.entity.can_authenticate() {
        check_admin(caller, LOGIN_RULE)?;
    }
    if caller.is_admin {
        return Ok(());
    }
    for key in rows.referrers(&found.key, ENROLLMENT, usize::MAX)? {
        if let Some(entity) = rows.get::<StoredEnrollment>(&key)? {
            EnrollmentOwner::get(rows, &Found { key, entity })?.check_may_impersonate(caller)?;
        }
    }
    Ok(())
}
