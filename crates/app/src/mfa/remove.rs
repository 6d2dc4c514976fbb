//! Removal of MFA enrollments, by owners and administrators.

use super::attempt::{AcceptedCode, EnrolledPurpose, attempt};
use super::record::own_identity;
use super::{Remove, RemoveOwn};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::privilege::{self, FreshFactor};
use crate::records::find_mfa;
use crate::records::get_identity;
use crate::sessions;
use portcullis_domain::access::{AccessDeniedError, AuthLevel, Caller, Permit};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::Throttle;
use secrecy::SecretString;

/// Removes the caller's own enrollment; a verified one requires a code.
///
/// Sessions stay as they are; later logins no longer ask for a code. A partial session may abandon
/// an unverified enrollment, since its identity could not start over otherwise.
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
        TotpState::None => Err(MfaError::NotFound.into()),
        TotpState::Started => abandon(app, permit).await,
        TotpState::Verified if caller.auth_level == AuthLevel::Partial => {
            Err(AccessDeniedError.into())
        },
        TotpState::Verified => attempt(app, permit, code, RemoveEnrollment).await,
    }
}

/// Removes an unverified enrollment. Wrong codes stay counted, or guessing could start over at
/// will.
async fn abandon(app: &App, permit: &Permit<RemoveOwn>) -> Result<(), AppError> {
    app.commit_for(permit, |rows, caller| {
        sessions::require_second_factor_token(rows.rows(), caller)?;
        let identity = own_identity(rows.rows(), caller)?;
        match identity.entity.attached.totp {
            TotpState::None => Err(MfaError::NotFound.into()),
            // It was verified in the meantime: now a full session and a code are required.
            TotpState::Verified if caller.auth_level == AuthLevel::Partial => {
                Err(AccessDeniedError.into())
            },
            TotpState::Verified => Err(MfaError::WrongCode.into()),
            TotpState::Started => {
                // Fails if the record is verified, whatever the identity's record says: no removal
                // without a code.
                find_mfa(rows.rows(), &identity)?;
                let mut after = identity.clone();
                rows.set_operation("mfa.abandon", identity.entity.id.as_str());
                delete_enrollment(rows, &mut after)?;
                Ok(rows.replace(&identity.key, &identity.entity, &after.entity)?)
            },
        }
    })
    .await
}

#[derive(Clone)]
struct RemoveEnrollment;

impl EnrolledPurpose for RemoveEnrollment {
    type Output = ();

    const OPERATION: &'static str = "mfa.delete";

    fn apply(&self, rows: &mut RowsMut<'_>, accepted: AcceptedCode<'_>) -> Result<(), AppError> {
        if accepted.caller.auth_level == AuthLevel::Partial {
            return Err(AccessDeniedError.into());
        }
        accepted.identity.attached.totp = TotpState::None;
        Ok(rows.remove(&accepted.before.key, &accepted.before.entity)?)
    }
}

/// Removes the enrollment of an identity, verified or not, and resets its count of wrong codes.
/// Does nothing for an identity without an enrollment.
pub async fn remove(app: &App, permit: &Permit<Remove>, id: &IdentityId) -> Result<(), AppError> {
    let wanted = id.clone();
    let fresh_factor = FreshFactor::new(app);
    app.commit_for(permit, move |rows, caller| {
        let identity = get_identity(rows.rows(), &wanted)?;
        check_may_remove(caller, &identity.entity)?;
        fresh_factor.check(caller)?;
        let mut after = identity.clone();
        let is_removed = delete_enrollment(rows, &mut after)?;
        reset_wrong_codes(&mut after.entity);
        if after != identity {
            rows.replace(&identity.key, &identity.entity, &after.entity)?;
        }
        if is_removed || after != identity {
            rows.set_operation("identity.delete-mfa", identity.entity.id.as_str());
        }
        Ok(())
    })
    .await
}

/// Checks that a caller may remove the enrollment of an identity without a code. Nobody may for
/// themselves, or whoever steals a session could drop the second factor.
fn check_may_remove(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if caller.identity == identity.id {
        return Err(AppError::Denied {
            rule: Some(
                "use DELETE current-identity/mfa with an MFA code to remove your own enrollment, or \
                 ask another administrator",
            ),
        });
    }
    privilege::check_may_impersonate(caller, identity)
}

/// Deletes any enrollment, even a damaged one, and clears the state in the identity's record, which
/// the caller has to write. Returns whether there was an enrollment.
pub(crate) fn delete_enrollment(
    rows: &mut RowsMut<'_>,
    identity: &mut Found<Identity>,
) -> Result<bool, StoreError> {
    identity.entity.attached.totp = TotpState::None;
    let removed = rows.remove_dependents::<StoredMfa>(&identity.key, |_mfa| true)?;
    Ok(removed > 0)
}

/// Resets the count of wrong codes of an identity.
pub(crate) fn reset_wrong_codes(identity: &mut Identity) {
    identity.wrong_codes = Throttle::from(identity.wrong_codes).after_right().into();
}
