//! TOTP enrollment: start, display, verification.

use super::attempt::{AcceptedCode, CodePurpose, attempt};
use super::record::{MfaDraft, UnsealedSecrets, own_identity};
use super::{ReadOwn, Start, Verify};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::privilege::CredentialGuard;
use crate::records::find_mfa;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::identity::TotpState;
use portcullis_domain::ids::MfaId;
use portcullis_domain::mfa::MfaProgress;
use portcullis_domain::view::{MfaSetup, MfaView};
use portcullis_storage::tables::RowsMut;
use portcullis_totp::{CodeError, Enrolled, Evidence, QrCode, Rules, Started};
use secrecy::{ExposeSecret as _, SecretString};

/// Starts an enrollment of the caller; sessions stay as they are.
pub async fn start(app: &App, permit: &Permit<Start>) -> Result<(MfaId, MfaSetup), AppError> {
    let caller = permit.caller();
    CredentialGuard::new(app).check_own_factor(caller)?;
    let name = {
        let view = app.snapshot()?;
        sessions::require_second_factor_token(view.rows(), caller)?;
        let identity = own_identity(view.rows(), caller)?;
        // Fails early, before a secret is generated for nothing.
        require_none(identity.entity.attached.totp)?;
        identity.entity.name().to_owned()
    };
    app.count_own_change(caller)?;
    let MfaDraft {
        key,
        stored,
        opened,
    } = MfaDraft::new(app, caller.identity_number)?;
    let id = stored.mfa.id.clone();
    app.commit_for(permit, move |rows, caller| {
        sessions::require_second_factor_token(rows.rows(), caller)?;
        let identity = own_identity(rows.rows(), caller)?;
        require_none(identity.entity.attached.totp)?;
        let mut after = identity.entity.clone();
        after.attached.totp = stored.mfa.state();
        rows.replace(&identity.key, &identity.entity, &after)?;
        Ok(rows.insert(&key, &stored)?)
    })
    .await?;
    Ok((id, opened.set_up(app, &name)))
}

fn require_none(state: TotpState) -> Result<(), MfaError> {
    match state {
        TotpState::None => Ok(()),
        TotpState::Started | TotpState::Verified => Err(MfaError::Exists),
    }
}

/// Reads the caller's own enrollment, with its setup data while it is unverified.
pub fn read_own(app: &App, permit: &Permit<ReadOwn>) -> Result<MfaView, AppError> {
    load_view(app, permit.caller())
}

/// Renders the provisioning URL of the caller's unverified enrollment as a QR code in PNG.
pub fn qr_code(app: &App, permit: &Permit<ReadOwn>) -> Result<Vec<u8>, AppError> {
    let set_up = load_view(app, permit.caller())?
        .setup
        .ok_or(MfaError::NotFound)?;
    let code = QrCode::encode(set_up.provisioning_url.expose_secret())
        .map_err(|_too_long| MfaError::TooLongForQr)?;
    Ok(code.to_png())
}

fn load_view(app: &App, caller: &Caller) -> Result<MfaView, AppError> {
    let view = app.snapshot()?;
    let identity = own_identity(view.rows(), caller)?;
    let found = find_mfa(view.rows(), &identity)?.ok_or(MfaError::NotFound)?;
    let set_up = match found.entity.mfa.progress {
        MfaProgress::Started => {
            sessions::require_second_factor_token(view.rows(), caller)?;
            Some(UnsealedSecrets::unseal(app, &found)?.set_up(app, identity.entity.name()))
        },
        MfaProgress::Verified(_) => None,
    };
    Ok(MfaView {
        mfa: found.entity.mfa,
        setup: set_up,
    })
}

/// Verifies the caller's enrollment with a code of its authenticator app.
///
/// This also answers the second factor of the present session; other sessions stay as they are.
pub async fn verify(
    app: &App,
    permit: &Permit<Verify>,
    code: &SecretString,
) -> Result<(), AppError> {
    CredentialGuard::new(app).check_own_factor(permit.caller())?;
    sessions::require_second_factor_token(app.snapshot()?.rows(), permit.caller())?;
    attempt(app, permit, Some(code), FinishEnrollment).await
}

#[derive(Clone)]
struct FinishEnrollment;

impl CodePurpose for FinishEnrollment {
    type State = Started;
    type Output = ();

    const OPERATION: &'static str = "mfa.verify";

    fn state(&self, progress: Option<&MfaProgress>) -> Result<Started, MfaError> {
        match progress {
            Some(MfaProgress::Started) => Ok(Started),
            Some(MfaProgress::Verified(_)) | None => Err(MfaError::NotFound),
        }
    }

    fn accept(
        &self,
        state: Started,
        evidence: Evidence,
        _rules: Rules,
    ) -> Result<Enrolled, CodeError> {
        state.verify(evidence)
    }

    fn apply(&self, rows: &mut RowsMut<'_>, accepted: AcceptedCode<'_>) -> Result<(), AppError> {
        sessions::require_second_factor_token(rows.rows(), accepted.caller)?;
        let mut after = accepted.after();
        after.mfa.updated_at = accepted.now;
        accepted.identity.attached.totp = after.mfa.state();
        sessions::record_totp_enrollment(rows, accepted.caller, accepted.now)?;
        let before = accepted.before;
        Ok(rows.replace(&before.key, &before.entity, &after)?)
    }
}
