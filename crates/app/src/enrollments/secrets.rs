//! The secrets of a pending enrollment, its token and JWT: who gets to see them.
//!
//! Whoever has the token can take the place of the holder, so a permission to read never suffices.
//! Those see it who could have a new one made, and the holder itself.

use super::{Create, Holder, Update};
use crate::app::App;
use crate::error::AppError;
use crate::rank::{WaysIn, outranks};
use crate::routers;
use portcullis_domain::access::{Action as _, Caller};
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets};
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, StoredEnrollment};

/// Whether `caller` sees the token of an enrollment of `identity`.
pub(crate) fn are_shown(ways_in: WaysIn, caller: &Caller, identity: &Identity) -> bool {
    let may_draw = caller.may(Create::ACCESS) || caller.may(Update::ACCESS);
    (caller.identity == identity.id || (may_draw && outranks(caller, identity)))
        && ways_in.check_freshness(caller, identity).is_ok()
}

/// Whether `caller` sees the token of an enrollment of `holder`.
pub(super) fn are_shown_of(ways_in: WaysIn, caller: &Caller, holder: &Holder) -> bool {
    match holder {
        Holder::Identity(identity) => are_shown(ways_in, caller, identity),
        Holder::Router(_) => routers::shows_secrets(caller),
    }
}

/// A stored enrollment, with its secrets if they are `shown`.
pub(crate) fn unseal_if(
    app: &App,
    found: Found<StoredEnrollment>,
    shown: bool,
) -> Result<(Enrollment, Option<EnrollmentSecrets>), AppError> {
    if !shown {
        return Ok((found.entity.enrollment, None));
    }
    let (key, stored) = (&found.key, found.entity);
    let secrets = EnrollmentSecrets {
        token: app.vault.open_text(key, "token", &stored.token)?,
        jwt: app.vault.open_text(key, "jwt", &stored.jwt)?,
    };
    Ok((stored.enrollment, Some(secrets)))
}
