//! What callers that are no administrators may not decide about third-party authorities.

use crate::enrollments::Holder;
use crate::error::AppError;
use crate::rank::{WaysIn, check_admin};
use portcullis_domain::access::Caller;
use portcullis_domain::ca::{Ca, CaSpec};
use portcullis_storage::tables::{ENROLLMENT, Found, Rows, StoredEnrollment};

const LOGINS: &str = "only administrators may change isAuthEnabled of a verified CA, or delete one that \
     lets clients log in";

/// Checks that a caller may have an authority say whose its certificates are, if one of these does: it
/// lets its owner in as whoever has an external id.
pub(super) fn check_named(
    ways_in: WaysIn,
    caller: &Caller,
    specs: &[&CaSpec],
) -> Result<(), AppError> {
    if specs.iter().any(|spec| spec.external_id_claim.is_some()) {
        let rule = "only administrators may set externalIdClaim on a CA";
        ways_in.check_of_everybody(caller, rule)
    } else {
        Ok(())
    }
}

/// Checks that a caller may have an authority be what it becomes. Whether its certificates let anybody
/// in is for administrators to say, who may be among those that come by them.
pub(super) fn check_change(
    ways_in: WaysIn,
    caller: &Caller,
    before: &Ca,
    after: &Ca,
) -> Result<(), AppError> {
    if before != after {
        check_named(ways_in, caller, &[&before.spec, &after.spec])?;
    }
    match (before.vouches_for_logins(), after.vouches_for_logins()) {
        (true, false) => check_admin(caller, LOGINS),
        (false, true) => ways_in.check_of_everybody(caller, LOGINS),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Checks that a caller may delete an authority, with the enrollments that demand its certificates.
pub(super) fn check_removal(
    rows: Rows<'_>,
    caller: &Caller,
    found: &Found<Ca>,
) -> Result<(), AppError> {
    if found.entity.vouches_for_logins() {
        check_admin(caller, LOGINS)?;
    }
    if caller.is_admin {
        return Ok(());
    }
    for key in rows.referrers(&found.key, ENROLLMENT, usize::MAX)? {
        if let Some(entity) = rows.get::<StoredEnrollment>(&key)? {
            Holder::of(rows, &Found { key, entity })?.check_rank(caller)?;
        }
    }
    Ok(())
}
