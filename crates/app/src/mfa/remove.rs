//! Removal: by the owner, against a code once the enrollment is verified, and by administrators.

use super::attempt::{Accepted, OfEnrolled, attempt};
use super::fault::MfaFault;
use super::record::{self, own_identity};
use super::{Remove, RemoveOwn};
use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::rank::{self, FreshFactor};
use crate::sessions;
use portcullis_domain::access::{Caller, Denied, Permit, Standing};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::Throttle;
use secrecy::SecretString;

/// Removes the caller's own enrollment: a verified one against a code, any other without.
///
/// Sessions stay as they are; the next login is not asked for a code any more. An unverified
/// enrollment may be abandoned through a session whose factors are not all answered, since nobody
/// could begin anew otherwise.
pub async fn remove_own(
    app: &App,
    permit: &Permit<RemoveOwn>,
    code: Option<&SecretString>,
) -> Result<(), AppError> {
    let caller = permit.caller();
    let state = {
        let view = app.snapshot()?;
        own_identity(view.rows(), caller)?.entity.attached.totp
    };
    match state {
        TotpState::None => Err(MfaFault::NotFound.into()),
        TotpState::Started => abandon(app, permit).await,
        TotpState::Verified if caller.standing == Standing::Partial => Err(Denied.into()),
        TotpState::Verified => attempt(app, permit, code, Leave).await,
    }
}

/// Removes an enrollment that is not verified. Codes that were wrong stay counted, or guessing could
/// begin anew at will.
async fn abandon(app: &App, permit: &Permit<RemoveOwn>) -> Result<(), AppError> {
    app.commit_for(permit, |rows, caller| {
        sessions::require_token(rows.rows(), caller)?;
        let identity = own_identity(rows.rows(), caller)?;
        match identity.entity.attached.totp {
            TotpState::None => Err(MfaFault::NotFound.into()),
            // Verified meanwhile: now it takes a full session and a code.
            TotpState::Verified if caller.standing == Standing::Partial => Err(Denied.into()),
            TotpState::Verified => Err(MfaFault::WrongCode.into()),
            TotpState::Started => {
                // What says so of a record that is verified does not end it without a code.
                record::find(rows.rows(), &identity)?;
                let mut after = identity.clone();
                rows.operation("mfa.abandon", identity.entity.id.as_str());
                take_away(rows, &mut after)?;
                Ok(rows.replace(&identity.key, &identity.entity, &after.entity)?)
            },
        }
    })
    .await
}

#[derive(Clone)]
struct Leave;

impl OfEnrolled for Leave {
    type Done = ();

    const OPERATION: &'static str = "mfa.delete";

    fn settle(&self, rows: &mut RowsMut<'_>, accepted: Accepted<'_>) -> Result<(), AppError> {
        if accepted.caller.standing == Standing::Partial {
            return Err(Denied.into());
        }
        accepted.identity.attached.totp = TotpState::None;
        Ok(rows.remove(&accepted.before.key, &accepted.before.entity)?)
    }
}

/// Removes the enrollment of an identity, verified or not, and forgets its wrong codes. An identity
/// without enrollment stays as it is.
pub async fn remove(app: &App, permit: &Permit<Remove>, id: &IdentityId) -> Result<(), AppError> {
    let wanted = id.clone();
    let fresh_factor = FreshFactor::of(app);
    app.commit_for(permit, move |rows, caller| {
        let identity = identities::find(rows.rows(), &wanted)?;
        check_rank(caller, &identity.entity)?;
        fresh_factor.check(caller)?;
        let mut after = identity.clone();
        let is_removed = take_away(rows, &mut after)?;
        forget_wrong_codes(&mut after.entity);
        if after != identity {
            rows.replace(&identity.key, &identity.entity, &after.entity)?;
        }
        if is_removed || after != identity {
            rows.operation("identity.delete-mfa", identity.entity.id.as_str());
        }
        Ok(())
    })
    .await
}

/// Checks that a caller may remove the enrollment of an identity without a code: its own takes one,
/// an administrator's too, or whoever steals a session would be rid of the second factor.
fn check_rank(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if caller.identity == identity.id {
        return Err(AppError::Denied {
            rule: Some(
                "use DELETE current-identity/mfa with an MFA code to remove your own enrollment, or \
                 ask another administrator",
            ),
        });
    }
    rank::check_way_in(caller, identity)
}

/// Removes whatever there is of an enrollment, and notes in the identity's record, which is still to
/// be written, that there is none; answers whether there was anything. What is damaged goes as well.
pub(crate) fn take_away(
    rows: &mut RowsMut<'_>,
    identity: &mut Found<Identity>,
) -> Result<bool, StoreError> {
    identity.entity.attached.totp = TotpState::None;
    let removed = rows.remove_dependents::<StoredMfa>(&identity.key, |_mfa| true)?;
    Ok(removed > 0)
}

/// Forgets the wrong codes of an identity.
pub(crate) fn forget_wrong_codes(identity: &mut Identity) {
    identity.wrong_codes = Throttle::from(identity.wrong_codes).after_right().into();
}
