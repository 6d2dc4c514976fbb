//! The way of a code: examined, judged in a transaction, counted.

use super::fault::MfaFault;
use super::record::{self, Opened, own_identity, progress};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::{Action, Caller, Permit};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::{Progress, Step};
use portcullis_storage::tables::{Found, RowsMut, StoredMfa};
use portcullis_totp::{Enrolled, Evidence, Refusal, Rules, Submitted, Throttle};
use secrecy::{ExposeSecret as _, SecretString};

/// What a code is given for.
pub(super) trait Purpose: Clone + Send + 'static {
    /// The state in which an enrollment has to be.
    type State;

    /// What comes of it.
    type Done: Send + 'static;

    /// What it is called in the audit trail.
    const OPERATION: &'static str;

    /// Id of what it is done to, as the audit trail has it.
    fn entity(caller: &Caller) -> &str {
        caller.identity.as_str()
    }

    /// Finds out whether an enrollment, if there is one, has come as far as it has to.
    fn state(&self, progress: Option<&Progress>) -> Result<Self::State, MfaFault>;

    /// Judges what a code was found to be; answers the enrollment that has accepted it.
    fn judge(
        &self,
        state: Self::State,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal>;

    /// Does what the code was given for, apart from what is changed about the identity's record,
    /// which is written afterwards.
    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: Accepted<'_>,
    ) -> Result<Self::Done, AppError>;
}

/// A purpose for which it takes a verified enrollment.
pub(super) trait OfEnrolled: Clone + Send + 'static {
    /// What comes of it.
    type Done: Send + 'static;

    /// What it is called in the audit trail.
    const OPERATION: &'static str;

    /// What is said where there is no verified enrollment.
    const OTHERWISE: MfaFault = MfaFault::NotFound;

    /// As [`Purpose::entity`].
    fn entity(caller: &Caller) -> &str {
        caller.identity.as_str()
    }

    /// Judges what a code was found to be: in general, any that is good counts.
    fn judge(
        &self,
        enrolled: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        enrolled.accept(evidence, rules)
    }

    /// As [`Purpose::settle`].
    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        accepted: Accepted<'_>,
    ) -> Result<Self::Done, AppError>;
}

impl<T: OfEnrolled> Purpose for T {
    type State = Enrolled;
    type Done = T::Done;

    const OPERATION: &'static str = T::OPERATION;

    fn entity(caller: &Caller) -> &str {
        <T as OfEnrolled>::entity(caller)
    }

    fn state(&self, progress: Option<&Progress>) -> Result<Enrolled, MfaFault> {
        enrolled(progress, T::OTHERWISE)
    }

    fn judge(
        &self,
        state: Enrolled,
        evidence: Evidence,
        rules: Rules,
    ) -> Result<Enrolled, Refusal> {
        OfEnrolled::judge(self, state, evidence, rules)
    }

    fn settle(&self, rows: &mut RowsMut<'_>, accepted: Accepted<'_>) -> Result<T::Done, AppError> {
        OfEnrolled::settle(self, rows, accepted)
    }
}

/// A code was accepted.
pub(super) struct Accepted<'a> {
    /// Who gave it.
    pub(super) caller: &'a Caller,
    /// Its identity, to be changed.
    pub(super) identity: &'a mut Identity,
    /// The record as it was before.
    pub(super) before: &'a Found<StoredMfa>,
    /// What has become of the enrollment.
    pub(super) enrolled: Enrolled,
    /// When.
    pub(super) now: Timestamp,
}

impl Accepted<'_> {
    /// The record with what has become of the enrollment.
    pub(super) fn after(&self) -> StoredMfa {
        let mut after = self.before.entity.clone();
        after.mfa.progress = self.enrolled.clone().into();
        after
    }
}

/// What became of an attempt in its transaction.
enum Outcome<T> {
    Accepted { done: T, is_recovery: bool },
    Refused { refusal: Refusal, is_last: bool },
    Held { retry_after: u32, is_rebased: bool },
}

/// A code, and what it was found to be by the record as it was then.
#[derive(Clone)]
struct Examined {
    evidence: Evidence,
    seen: StoredMfa,
}

impl Examined {
    /// What the code is by the record as it is now: nothing, if what it was examined by is gone.
    fn against(&self, now: &StoredMfa) -> Evidence {
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

/// Judges a code of the caller, and does what it is given for if it is accepted.
///
/// # Errors
///
/// What [`Purpose::state`] says of the enrollment; [`MfaFault::WrongCode`] and [`MfaFault::Held`].
/// What is no code at all is refused without being counted.
pub(super) async fn attempt<A: Action, P: Purpose>(
    app: &App,
    permit: &Permit<A>,
    code: Option<&SecretString>,
    purpose: P,
) -> Result<P::Done, AppError> {
    let now = app.env().now();
    let rules = app.mfa.rules;
    let examined = examine(app, permit.caller(), code, &purpose, now)?;
    let outcome = app
        .commit_for(permit, move |rows, caller| {
            let outcome = judge(rows, caller, &purpose, &examined, rules, now)?;
            let named = (P::OPERATION, P::entity(caller));
            note(rows, caller, named, &outcome);
            Ok(outcome)
        })
        .await?;
    match outcome {
        Outcome::Accepted { done, .. } => Ok(done),
        Outcome::Refused { refusal, .. } => {
            tracing::debug!(%refusal, "code refused");
            Err(MfaFault::WrongCode.into())
        },
        Outcome::Held { retry_after, .. } => Err(MfaFault::Held { retry_after }.into()),
    }
}

fn examine<P: Purpose>(
    app: &App,
    caller: &Caller,
    code: Option<&SecretString>,
    purpose: &P,
    now: Timestamp,
) -> Result<Examined, AppError> {
    let found = {
        let view = app.snapshot()?;
        let identity = own_identity(view.rows(), caller)?;
        record::find(view.rows(), &identity)?
    };
    purpose.state(progress(found.as_ref()))?;
    let found = found.ok_or(MfaFault::NotFound)?;
    let submitted = code
        .and_then(|code| Submitted::parse(code.expose_secret()).ok())
        .ok_or(MfaFault::WrongCode)?;
    let Opened { secret, codes } = Opened::of(app, &found)?;
    let step = Step::at(now);
    Ok(Examined {
        evidence: Evidence::of(&submitted, &secret, &codes, step, app.mfa.rules),
        seen: found.entity,
    })
}

fn judge<P: Purpose>(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    purpose: &P,
    examined: &Examined,
    rules: Rules,
    now: Timestamp,
) -> Result<Outcome<P::Done>, AppError> {
    let identity = own_identity(rows.rows(), caller)?;
    let found = record::find(rows.rows(), &identity)?;
    let state = purpose.state(progress(found.as_ref()))?;
    let before = found.ok_or(MfaFault::NotFound)?;
    let evidence = examined.against(&before.entity);
    let mut after = identity.entity.clone();
    let throttle = Throttle::from(after.wrong_codes);
    let (throttle, outcome) = match throttle.admit(now) {
        Err(held) => {
            let outcome = Outcome::Held {
                retry_after: held.retry_after,
                is_rebased: held.rebased.is_some(),
            };
            (held.rebased.unwrap_or(throttle), outcome)
        },
        Ok(()) => match purpose.judge(state, evidence, rules) {
            Err(refusal) => {
                let throttle = throttle.after_wrong(now);
                let is_last = throttle.is_capped();
                (throttle, Outcome::Refused { refusal, is_last })
            },
            Ok(enrolled) => {
                let accepted = Accepted {
                    caller,
                    identity: &mut after,
                    before: &before,
                    enrolled,
                    now,
                };
                let outcome = Outcome::Accepted {
                    done: purpose.settle(rows, accepted)?,
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

/// Says in the audit trail what becomes of an attempt.
fn note<T>(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    (operation, entity): (&'static str, &str),
    outcome: &Outcome<T>,
) {
    let identity = caller.identity.as_str();
    match outcome {
        Outcome::Accepted { is_recovery, .. } => {
            if *is_recovery {
                rows.operation("mfa.spend-recovery-code", identity);
            }
            rows.operation(operation, entity);
        },
        Outcome::Refused { is_last, .. } => {
            rows.operation("mfa.refuse-code", identity);
            if *is_last {
                rows.operation("mfa.lock", identity);
            }
        },
        Outcome::Held { is_rebased, .. } => {
            if *is_rebased {
                rows.operation("mfa.wait-anew", identity);
            }
        },
    }
}

/// A verified enrollment.
pub(super) fn enrolled(
    progress: Option<&Progress>,
    otherwise: MfaFault,
) -> Result<Enrolled, MfaFault> {
    match progress {
        Some(Progress::Verified(ledger)) => Ok(Enrolled::from(ledger.clone())),
        Some(Progress::Started) | None => Err(otherwise),
    }
}
