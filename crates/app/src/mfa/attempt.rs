//! TOTP attempts: examination, decision inside a transaction, counting.

use super::record::{UnsealedSecrets, own_identity, progress};
use crate::app::App;
use crate::error::AppError;
use crate::error::MfaError;
use crate::records::find_mfa;
use portcullis_domain::access::{Action, Caller, Permit};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::{MfaProgress, TimeStep};
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::{CodeError, Enrolled, Evidence, Examiner, Rules, SubmittedCode, Throttle};
use secrecy::{ExposeSecret as _, SecretString};

/// Operation that a code is given for.
pub(super) trait CodePurpose: Clone + Send + 'static {
    /// Required state of the enrollment.
    type State;

    /// Result of the operation.
    type Output: Send + 'static;

    /// Name of the operation in the audit trail.
    const OPERATION: &'static str;

    /// Id of the affected entity in the audit trail.
    fn entity(caller: &Caller) -> &str {
        caller.identity.as_str()
    }

    /// Checks that the enrollment is in the required state.
    fn state(&self, progress: Option<&MfaProgress>) -> Result<Self::State, MfaError>;

    /// Checks the evidence; returns the enrollment after accepting the code.
    fn accept(
        &self,
        state: Self::State,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, CodeError>;

    /// Performs the operation. Changes to the identity's record are written by the caller
    /// afterwards.
    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: AcceptedCode<'_>,
    ) -> Result<Self::Output, AppError>;
}

/// An operation that requires a verified enrollment.
pub(super) trait EnrolledPurpose: Clone + Send + 'static {
    /// Result of the operation.
    type Output: Send + 'static;

    /// Name of the operation in the audit trail.
    const OPERATION: &'static str;

    /// Error when there is no verified enrollment.
    const MISSING_ERROR: MfaError = MfaError::NotFound;

    /// See [`CodePurpose::entity`].
    fn entity(caller: &Caller) -> &str {
        caller.identity.as_str()
    }

    /// Checks the evidence; by default, any valid code is accepted.
    fn accept(
        &self,
        enrolled: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, CodeError> {
        enrolled.accept(evidence, rules)
    }

    /// See [`CodePurpose::apply`].
    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: AcceptedCode<'_>,
    ) -> Result<Self::Output, AppError>;
}

impl<T: EnrolledPurpose> CodePurpose for T {
    type State = Enrolled;
    type Output = T::Output;

    const OPERATION: &'static str = T::OPERATION;

    fn entity(caller: &Caller) -> &str {
        <T as EnrolledPurpose>::entity(caller)
    }

    fn state(&self, progress: Option<&MfaProgress>) -> Result<Enrolled, MfaError> {
        require_enrolled(progress, T::MISSING_ERROR)
    }

    fn accept(
        &self,
        state: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, CodeError> {
        EnrolledPurpose::accept(self, state, evidence, rules)
    }

    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: AcceptedCode<'_>,
    ) -> Result<T::Output, AppError> {
        EnrolledPurpose::apply(self, rows, accepted)
    }
}

pub(super) struct AcceptedCode<'a> {
    pub(super) caller: &'a Caller,
    /// The caller's identity, which the operation may change.
    pub(super) identity: &'a mut Identity,
    /// The enrollment's record before the attempt.
    pub(super) before: &'a Found<StoredMfa>,
    /// The enrollment after the attempt.
    pub(super) enrolled: Enrolled,
    pub(super) now: Timestamp,
}

impl AcceptedCode<'_> {
    /// The enrollment's record after the attempt.
    pub(super) fn after(&self) -> StoredMfa {
        let mut after = self.before.entity.clone();
        after.mfa.progress = self.enrolled.clone().into();
        after
    }
}

/// Outcome of an attempt in its transaction.
enum AttemptOutcome<T> {
    Accepted { done: T, is_recovery: bool },
    Refused { refusal: CodeError, is_last: bool },
    Throttled { retry_after: u32, is_rebased: bool },
}

/// A code with the evidence found, and the record it was compared with.
#[derive(Clone)]
struct ExaminedCode {
    evidence: Evidence,
    seen: StoredMfa,
}

impl ExaminedCode {
    /// The evidence for the current record: none, if the secrets changed since the examination.
    fn evidence_for(&self, now: &StoredMfa) -> Evidence {
        let is_same = self.seen.secret == now.secret
            && (!self.evidence.is_recovery_code()
                || self.seen.recovery_codes == now.recovery_codes);
        if is_same {
            self.evidence
        } else {
            Evidence::NONE
        }
    }
}

/// Checks a code of the caller and performs the operation if it is accepted.
///
/// # Errors
///
/// Those of [`CodePurpose::state`]; [`MfaError::WrongCode`]; [`MfaError::Throttled`]. A malformed
/// code is refused without being counted.
pub(super) async fn attempt<A: Action, P: CodePurpose>(
    app: &App,
    permit: &Permit<A>,
    code: Option<&SecretString>,
    purpose: P,
) -> Result<P::Output, AppError> {
    let now = app.env().now();
    let rules = app.mfa.rules;
    let examined = examine(app, permit.caller(), code, &purpose, now)?;
    let outcome = app
        .commit_for(permit, move |rows, caller| {
            let outcome = decide(rows, caller, &purpose, &examined, rules, now)?;
            let named = (P::OPERATION, P::entity(caller));
            audit_outcome(rows, caller, named, &outcome);
            Ok(outcome)
        })
        .await?;
    match outcome {
        AttemptOutcome::Accepted { done, .. } => Ok(done),
        AttemptOutcome::Refused { refusal, .. } => {
            tracing::debug!(%refusal, "code refused");
            Err(MfaError::WrongCode.into())
        },
        AttemptOutcome::Throttled { retry_after, .. } => {
            Err(MfaError::Throttled { retry_after }.into())
        },
    }
}

fn examine<P: CodePurpose>(
    app: &App,
    caller: &Caller,
    code: Option<&SecretString>,
    purpose: &P,
    now: Timestamp,
) -> Result<ExaminedCode, AppError> {
    let found = {
        let view = app.snapshot()?;
        let identity = own_identity(view.rows(), caller)?;
        find_mfa(view.rows(), &identity)?
    };
    purpose.state(progress(found.as_ref()))?;
    let found = found.ok_or(MfaError::NotFound)?;
    let submitted = code
        .and_then(|code| SubmittedCode::parse(code.expose_secret()).ok())
        .ok_or(MfaError::WrongCode)?;
    let UnsealedSecrets { secret, codes } = UnsealedSecrets::unseal(app, &found)?;
    let step = TimeStep::at(now);
    Ok(ExaminedCode {
        evidence: Examiner::new(&secret, &codes)
            .rules(app.mfa.rules)
            .examine(&submitted, step),
        seen: found.entity,
    })
}

fn decide<P: CodePurpose>(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    purpose: &P,
    examined: &ExaminedCode,
    rules: Rules,
    now: Timestamp,
) -> Result<AttemptOutcome<P::Output>, AppError> {
    let identity = own_identity(rows.rows(), caller)?;
    let found = find_mfa(rows.rows(), &identity)?;
    let state = purpose.state(progress(found.as_ref()))?;
    let before = found.ok_or(MfaError::NotFound)?;
    let evidence = examined.evidence_for(&before.entity);
    let mut after = identity.entity.clone();
    let throttle = Throttle::from(after.wrong_codes);
    let (throttle, outcome) = match throttle.admit(now) {
        Err(held) => {
            let outcome = AttemptOutcome::Throttled {
                retry_after: held.retry_after,
                is_rebased: held.rebased.is_some(),
            };
            (held.rebased.unwrap_or(throttle), outcome)
        },
        Ok(()) => match purpose.accept(state, evidence, rules) {
            Err(refusal) => {
                let throttle = throttle.after_wrong(now);
                let is_last = throttle.is_capped();
                (throttle, AttemptOutcome::Refused { refusal, is_last })
            },
            Ok(enrolled) => {
                let accepted = AcceptedCode {
                    caller,
                    identity: &mut after,
                    before: &before,
                    enrolled,
                    now,
                };
                let outcome = AttemptOutcome::Accepted {
                    done: purpose.apply(rows, accepted)?,
                    is_recovery: evidence.is_recovery_code(),
                };
                (throttle.after_right(), outcome)
            },
        },
    };
    after.wrong_codes = throttle.into();
    if after != identity.entity {
        rows.replace(&identity.key, &identity.entity, &after)?;
    }
    Ok(outcome)
}

/// Writes the outcome of an attempt to the audit trail.
fn audit_outcome<T>(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    (operation, entity): (&'static str, &str),
    outcome: &AttemptOutcome<T>,
) {
    let identity = caller.identity.as_str();
    match outcome {
        AttemptOutcome::Accepted { is_recovery, .. } => {
            if *is_recovery {
                rows.set_operation("mfa.spend-recovery-code", identity);
            }
            rows.set_operation(operation, entity);
        },
        AttemptOutcome::Refused { is_last, .. } => {
            rows.set_operation("mfa.refuse-code", identity);
            if *is_last {
                rows.set_operation("mfa.lock", identity);
            }
        },
        AttemptOutcome::Throttled { is_rebased, .. } => {
            if *is_rebased {
                rows.set_operation("mfa.wait-anew", identity);
            }
        },
    }
}

/// Requires a verified enrollment.
pub(super) fn require_enrolled(
    progress: Option<&MfaProgress>,
    missing: MfaError,
) -> Result<Enrolled, MfaError> {
    match progress {
        Some(MfaProgress::Verified(ledger)) => Ok(Enrolled::from(ledger.clone())),
        Some(MfaProgress::Started) | None => Err(missing),
    }
}
