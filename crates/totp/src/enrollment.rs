//! States of an enrollment and their transitions.

use crate::evidence::{CodeMatch, Evidence};
use crate::rules::{Reuse, Rules};
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::mfa::{CodeUsage, MfaProgress, ReuseGrant, SpentCodes, TimeStep};

/// Why a code is refused.
///
/// The distinction is for logs and tests; clients get the same response for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No code of the enrollment, or not of the required kind.
    #[error("the code is wrong")]
    Wrong,
    /// The code or a newer one was used before.
    #[error("the code has been used")]
    Replayed,
}

#[derive(Debug, PartialEq, Eq)]
pub struct NotEnrolled;

impl NotEnrolled {
    /// Starts an enrollment.
    pub fn start(self) -> Started {
        Started
    }
}

/// An enrollment waiting for its first code.
#[derive(Debug, PartialEq, Eq)]
pub struct Started;

impl Started {
    /// Verifies the enrollment with a TOTP code, which is used up by it.
    ///
    /// # Errors
    ///
    /// [`CodeError::Wrong`] for everything else. A recovery code does not prove possession of an
    /// app.
    pub fn verify(self, evidence: Evidence) -> Result<Enrolled, CodeError> {
        match evidence.0 {
            CodeMatch::Step(last_step) => Ok(Enrolled(CodeUsage {
                last_step,
                spent: SpentCodes::default(),
                reprise: None,
            })),
            CodeMatch::Recovery(_) | CodeMatch::Nothing => Err(CodeError::Wrong),
        }
    }
}

/// A verified enrollment. Accepting a code returns the next state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled(CodeUsage);

impl Enrolled {
    /// Accepts a TOTP code or a recovery code, for a login or to remove the enrollment.
    ///
    /// # Errors
    ///
    /// [`CodeError`] when the code is wrong or used.
    pub fn accept(self, evidence: Evidence, rules: Rules) -> Result<Self, CodeError> {
        let mut usage = self.0;
        match evidence.0 {
            CodeMatch::Step(step) if is_usable(step, &usage, rules.reuse) => {
                usage.last_step = usage.last_step.max(step);
            },
            CodeMatch::Recovery(place) if !usage.spent.contains(place) => {
                usage.spent = usage.spent.with_spent(place);
            },
            CodeMatch::Step(_) | CodeMatch::Recovery(_) => return Err(CodeError::Replayed),
            CodeMatch::Nothing => return Err(CodeError::Wrong),
        }
        usage.reprise = None;
        Ok(Self(usage))
    }

    /// Accepts a code to replace the recovery codes, all of which are unspent then. `session` may
    /// use a TOTP code once more, to read them.
    ///
    /// # Errors
    ///
    /// [`CodeError`] when the code is wrong or used.
    pub fn accept_for_new_codes(
        self,
        evidence: Evidence,
        rules: Rules,
        session: &ApiSessionId,
    ) -> Result<Self, CodeError> {
        let mut usage = self.accept(evidence, rules)?.0;
        usage.spent = SpentCodes::default();
        if let CodeMatch::Step(step) = evidence.0 {
            let session = session.clone();
            usage.reprise = Some(ReuseGrant { step, session });
        }
        Ok(Self(usage))
    }

    /// Accepts a code to read the recovery codes: any that [`accept`](Self::accept) would, and once
    /// the code with which `session` has just replaced them.
    ///
    /// # Errors
    ///
    /// [`CodeError`] when the code is wrong or used.
    pub fn accept_to_read_codes(
        mut self,
        evidence: Evidence,
        rules: Rules,
        session: &ApiSessionId,
    ) -> Result<Self, CodeError> {
        if self.is_reuse_granted(evidence, session) {
            self.0.reprise = None;
            return Ok(self);
        }
        self.accept(evidence, rules)
    }

    /// Whether `session` may use the code once more. It has to be the newest, so that the exception
    /// revives no older one.
    fn is_reuse_granted(&self, evidence: Evidence, session: &ApiSessionId) -> bool {
        let newest = self.0.last_step;
        evidence.0 == CodeMatch::Step(newest)
            && self
                .0
                .reprise
                .as_ref()
                .is_some_and(|reprise| reprise.step == newest && reprise.session == *session)
    }
}

/// Whether a code of `step`, which is within the window, may be accepted.
fn is_usable(step: TimeStep, usage: &CodeUsage, reuse: Reuse) -> bool {
    match reuse {
        Reuse::Never => step > usage.last_step,
        Reuse::InsideWindow => true,
    }
}

impl From<Started> for MfaProgress {
    fn from(_started: Started) -> Self {
        Self::Started
    }
}

impl From<Enrolled> for MfaProgress {
    fn from(enrolled: Enrolled) -> Self {
        Self::Verified(enrolled.0)
    }
}

impl From<CodeUsage> for Enrolled {
    fn from(ledger: CodeUsage) -> Self {
        Self(ledger)
    }
}

impl From<Enrolled> for CodeUsage {
    fn from(enrolled: Enrolled) -> Self {
        enrolled.0
    }
}

#[cfg(test)]
mod tests;
