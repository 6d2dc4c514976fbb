//! Recovery codes: shown and replaced.

use super::attempt::{Accepted, Purpose, attempt, enrolled};
use super::fault::MfaFault;
use super::record::{self, Opened, own_identity, seal_codes};
use super::{ReadCodes, ReplaceCodes};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::mfa::{Mfa, Progress, SpentCodes};
use portcullis_domain::view::RecoveryCodesView;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::{Enrolled, Evidence, RecoveryCodes, Refusal, Rules};
use secrecy::SecretString;

/// Shows the caller's recovery codes that are not spent, against a code. A recovery code that is
/// given for it is spent.
pub async fn read_codes(
    app: &App,
    permit: &Permit<ReadCodes>,
    code: Option<&SecretString>,
) -> Result<RecoveryCodesView, AppError> {
    let session = permit.caller().session.clone();
    let found = attempt(app, permit, code, Show { session }).await?;
    let opened = Opened::of(app, &found)?;
    let mfa = found.entity.mfa;
    let spent = match &mfa.progress {
        Progress::Verified(ledger) => ledger.spent,
        Progress::Started => SpentCodes::default(),
    };
    Ok(RecoveryCodesView {
        codes: record::unspent(&opened.codes, spent),
        mfa,
    })
}

#[derive(Clone)]
struct Show {
    session: ApiSessionId,
}

impl Purpose for Show {
    type State = Enrolled;
    type Done = Found<StoredMfa>;

    const OPERATION: &'static str = "mfa.read-recovery-codes";

    fn state(&self, progress: Option<&Progress>) -> Result<Enrolled, MfaFault> {
        enrolled(progress, MfaFault::NotFound)
    }

    fn judge(
        &self,
        state: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        state.accept_to_read_codes(evidence, rules, &self.session)
    }

    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: Accepted<'_>,
    ) -> Result<Found<StoredMfa>, AppError> {
        let (before, after) = (accepted.before, accepted.after());
        rows.replace(&before.key, &before.entity, &after)?;
        Ok(Found {
            key: before.key,
            entity: after,
        })
    }
}

/// Replaces the caller's recovery codes, against a code; none is spent any more.
///
/// The same session may show the code once more, inside its window, to read them.
pub async fn replace_codes(
    app: &App,
    permit: &Permit<ReplaceCodes>,
    code: &SecretString,
) -> Result<RecoveryCodesView, AppError> {
    let caller = permit.caller();
    let key = {
        let view = app.snapshot()?;
        let identity = own_identity(view.rows(), caller)?;
        let found = record::find(view.rows(), &identity)?;
        enrolled(record::progress(found.as_ref()), MfaFault::NotFound)?;
        found.ok_or(MfaFault::NotFound)?.key
    };
    let codes = RecoveryCodes::generate(&*app.env().entropy)?;
    let replace = Replace {
        session: caller.session.clone(),
        sealed: seal_codes(app, &key, &codes)?,
        key,
    };
    let mfa = attempt(app, permit, Some(code), replace).await?;
    Ok(RecoveryCodesView {
        codes: record::unspent(&codes, SpentCodes::default()),
        mfa,
    })
}

#[derive(Clone)]
struct Replace {
    session: ApiSessionId,
    /// The record that was seen.
    key: RecordKey,
    /// The new codes, sealed for that record and no other.
    sealed: String,
}

impl Purpose for Replace {
    type State = Enrolled;
    type Done = Mfa;

    const OPERATION: &'static str = "mfa.replace-recovery-codes";

    fn state(&self, progress: Option<&Progress>) -> Result<Enrolled, MfaFault> {
        enrolled(progress, MfaFault::NotFound)
    }

    fn judge(
        &self,
        state: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        state.accept_for_new_codes(evidence, rules, &self.session)
    }

    fn settle(&self, rows: &mut RowsMut<'_>, accepted: Accepted<'_>) -> Result<Mfa, AppError> {
        let (before, mut after) = (accepted.before, accepted.after());
        if before.key != self.key {
            return Err(MfaFault::WrongCode.into());
        }
        after.mfa.updated_at = accepted.now;
        after.recovery_codes.clone_from(&self.sealed);
        rows.replace(&before.key, &before.entity, &after)?;
        Ok(after.mfa)
    }
}
