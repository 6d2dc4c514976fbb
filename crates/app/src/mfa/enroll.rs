//! Enrolling: begun, shown, finished.

use super::attempt::{Accepted, Purpose, attempt};
use super::fault::MfaFault;
use super::record::{self, Draft, Opened, own_identity};
use super::{ReadOwn, Start, Verify};
use crate::app::App;
use crate::error::AppError;
use crate::rank::WaysIn;
use crate::sessions;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::identity::TotpState;
use portcullis_domain::ids::MfaId;
use portcullis_domain::mfa::Progress;
use portcullis_domain::view::{MfaSetUp, MfaView};
use portcullis_storage::tables::RowsMut;
use portcullis_totp::{Enrolled, Evidence, QrCode, Refusal, Rules, Started};
use secrecy::{ExposeSecret as _, SecretString};

/// Begins an enrollment of the caller; no session changes by it.
pub async fn start(app: &App, permit: &Permit<Start>) -> Result<(MfaId, MfaSetUp), AppError> {
    let caller = permit.caller();
    WaysIn::of(app).check_own_factor(caller)?;
    let name = {
        let view = app.snapshot()?;
        sessions::require_token(view.rows(), caller)?;
        let identity = own_identity(view.rows(), caller)?;
        // Who has one already need not have another one drawn.
        require_none(identity.entity.attached.totp)?;
        identity.entity.name().to_owned()
    };
    app.count_own_change(caller)?;
    let Draft {
        key,
        stored,
        opened,
    } = Draft::begin(app, caller.identity_number)?;
    let id = stored.mfa.id.clone();
    app.commit_for(permit, move |rows, caller| {
        sessions::require_token(rows.rows(), caller)?;
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

fn require_none(state: TotpState) -> Result<(), MfaFault> {
    match state {
        TotpState::None => Ok(()),
        TotpState::Started | TotpState::Verified => Err(MfaFault::Exists),
    }
}

/// Reads the caller's own enrollment; while it is not verified, with what it takes to finish it.
pub fn read_own(app: &App, permit: &Permit<ReadOwn>) -> Result<MfaView, AppError> {
    look(app, permit.caller())
}

/// Draws the provisioning URL of the caller's unfinished enrollment as a QR code: a PNG.
pub fn qr_code(app: &App, permit: &Permit<ReadOwn>) -> Result<Vec<u8>, AppError> {
    let set_up = look(app, permit.caller())?
        .set_up
        .ok_or(MfaFault::NotFound)?;
    let code = QrCode::of(set_up.provisioning_url.expose_secret())
        .map_err(|_too_long| MfaFault::TooLongForQr)?;
    Ok(code.to_png())
}

fn look(app: &App, caller: &Caller) -> Result<MfaView, AppError> {
    let view = app.snapshot()?;
    let identity = own_identity(view.rows(), caller)?;
    let found = record::find(view.rows(), &identity)?.ok_or(MfaFault::NotFound)?;
    let set_up = match found.entity.mfa.progress {
        Progress::Started => {
            sessions::require_token(view.rows(), caller)?;
            Some(Opened::of(app, &found)?.set_up(app, identity.entity.name()))
        },
        Progress::Verified(_) => None,
    };
    Ok(MfaView {
        mfa: found.entity.mfa,
        set_up,
    })
}

/// Finishes the caller's enrollment by a code of its authenticator app.
///
/// The session through which this is done has answered its second factor by it; others stay as they
/// are.
pub async fn verify(
    app: &App,
    permit: &Permit<Verify>,
    code: &SecretString,
) -> Result<(), AppError> {
    WaysIn::of(app).check_own_factor(permit.caller())?;
    sessions::require_token(app.snapshot()?.rows(), permit.caller())?;
    attempt(app, permit, Some(code), Finish).await
}

#[derive(Clone)]
struct Finish;

impl Purpose for Finish {
    type State = Started;
    type Done = ();

    const OPERATION: &'static str = "mfa.verify";

    fn state(&self, progress: Option<&Progress>) -> Result<Started, MfaFault> {
        match progress {
            Some(Progress::Started) => Ok(Started),
            Some(Progress::Verified(_)) | None => Err(MfaFault::NotFound),
        }
    }

    fn judge(
        &self,
        state: Started,
        evidence: Evidence,
        _rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        state.verify(evidence)
    }

    fn settle(&self, rows: &mut RowsMut<'_>, accepted: Accepted<'_>) -> Result<(), AppError> {
        sessions::require_token(rows.rows(), accepted.caller)?;
        let mut after = accepted.after();
        after.mfa.updated_at = accepted.now;
        accepted.identity.attached.totp = after.mfa.state();
        sessions::enroll_in_totp(rows, accepted.caller, accepted.now)?;
        let before = accepted.before;
        Ok(rows.replace(&before.key, &before.entity, &after)?)
    }
}
