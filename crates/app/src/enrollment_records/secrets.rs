//! Visibility of enrollment secrets: token and JWT.
//!
//! Whoever has the token can act as its owner, so read permission does not suffice. The secrets are
//! visible to callers who could have a new token issued, and to the owner.

use super::{Create, Update};
use crate::app::App;
use crate::error::AppError;
use crate::privilege::{CredentialGuard, can_impersonate};
use portcullis_domain::access::{Action as _, Caller};
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, StoredEnrollment};

/// Whether `caller` sees the secrets of an enrollment of `identity`.
pub(crate) fn are_visible(
    credential_guard: CredentialGuard,
    caller: &Caller,
    identity: &Identity,
) -> bool {
    let may_reissue = caller.has_access(Create::ACCESS) || caller.has_access(Update::ACCESS);
    (caller.identity == identity.id || (may_reissue && can_impersonate(caller, identity)))
        && credential_guard.check_freshness(caller, identity).is_ok()
}

/// Unseals the secrets of an enrollment if they are visible.
pub(crate) fn unseal_if(
    app: &App,
    found: Found<StoredEnrollment>,
    is_visible: bool,
) -> Result<(Enrollment, Option<EnrollmentSecrets>), AppError> {
    if !is_visible {
        return Ok((found.entity.enrollment, None));
    }
    let (key, stored) = (&found.key, found.entity);
    let secrets = EnrollmentSecrets {
        token: app.vault.open_text(key, "token", &stored.token)?,
        jwt: app.vault.open_text(key, "jwt", &stored.jwt)?,
    };
    Ok((stored.enrollment, Some(secrets)))
}
