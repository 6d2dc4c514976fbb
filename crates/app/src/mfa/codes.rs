//! Reading and replacing recovery codes.

use super::attempt::{AcceptedCode, EnrolledPurpose, attempt, require_enrolled};
use super::record::{self, UnsealedSecrets, own_identity, seal_codes};
use super::{ReadCodes, ReplaceCodes};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::records::find_mfa;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::mfa::{Mfa, MfaProgress, SpentCodes};
use portcullis_domain::view::RecoveryCodesView;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::{CodeError, Enrolled, Evidence, RecoveryCodes, Rules};
use secrecy::SecretString;

/// Reads the caller's unspent recovery codes, against a code. A recovery code given for that is
/// spent.
pub async fn read_codes(
    app: &App,
    permit: &Permit<ReadCodes>,
    code: Option<&SecretString>,
) -> Result<RecoveryCodesView, AppError> {
    let session = permit.caller().session.clone();
    let found = attempt(app, permit, code, ShowCodes { session }).await?;
    let opened = UnsealedSecrets::unseal(app, &found)?;
    let mfa = found.entity.mfa;
    let spent = match &mfa.progress {
        MfaProgress::Verified(ledger) => ledger.spent,
        MfaProgress::Started => SpentCodes::default(),
    };
    Ok(RecoveryCodesView {
        codes: record::unspent(&opened.codes, spent),
        mfa,
    })
}

#[derive(Clone)]
struct ShowCodes {
    session: ApiSessionId,
}

impl EnrolledPurpose for ShowCodes {
    type Output = Found<StoredMfa>;

    const OPERATION: &'static str = "mfa.read-recovery-codes";

    fn accept(
        &self,
        enrolled: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, CodeError> {
        enrolled.accept_to_read_codes(evidence, rules, &self.session)
    }

    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: AcceptedCode<'_>,
    ) -> Result<Found<StoredMfa>, AppError> {
        let (before, after) = (accepted.before, accepted.after());
        rows.replace(&before.key, &before.entity, &after)?;
        Ok(Found {
            key: before.key,
            entity: after,
        })
    }
}

/// Replaces the caller's recovery codes, against a code; all new ones are unspent.
///
/// The same session may use the code once more, within its window, to read them.
pub async fn replace_codes(
    app: &App,
    permit: &Permit<ReplaceCodes>,
    code: &SecretString,
) -> Result<RecoveryCodesView, AppError> {
    let caller = permit.caller();
    let key = {
        let view = app.snapshot()?;
        let identity = own_identity(view.rows(), caller)?;
        let found = find_mfa(view.rows(), &identity)?;
        require_enrolled(record::progress(found.as_ref()), MfaError::NotFound)?;
        found.ok_or(MfaError::NotFound)?.key
    };
    let codes = RecoveryCodes::generate(&*app.env().entropy)?;
    let replace = NewCodes {
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
struct NewCodes {
    session: ApiSessionId,
    /// Record that the codes are sealed for.
    key: RecordKey,
    /// The new codes, sealed for that record only.
    sealed: String,
}

impl EnrolledPurpose for NewCodes {
    type Output = Mfa;

    const OPERATION: &'static str = "mfa.replace-recovery-codes";

    fn accept(
        &self,
        enrolled: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, CodeError> {
        enrolled.accept_for_new_codes(evidence, rules, &self.session)
    }

    fn apply(&self, rows: &mut RowsMut<'_>, accepted: AcceptedCode<'_>) -> Result<Mfa, AppError> {
        let (before, mut after) = (accepted.before, accepted.after());
        if before.key != self.key {
            return Err(MfaError::WrongCode.into());
        }
        after.mfa.updated_at = accepted.now;
        after.recovery_codes.clone_from(&self.sealed);
        rows.replace(&before.key, &before.entity, &after)?;
        Ok(after.mfa)
    }
}

#[cfg(test)]
mod tests;
