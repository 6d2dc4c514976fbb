//! The states of an enrollment, and what leads from one to the next.

use crate::evidence::{Evidence, Found};
use crate::rules::{Reuse, Rules};
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::mfa::{Ledger, Progress, Reprise, SpentCodes, Step};

/// Why a code is not accepted.
///
/// The difference is for logs and tests: whoever has submitted the code gets the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no code of the enrollment, or not one that would do here.
    #[error("the code is wrong")]
    Wrong,
    /// It was accepted before, or a newer one was.
    #[error("the code has been used")]
    Replayed,
}

/// No enrollment.
#[derive(Debug, PartialEq, Eq)]
pub struct NotEnrolled;

impl NotEnrolled {
    /// Begins an enrollment.
    pub fn start(self) -> Started {
        Started
    }
}

/// An enrollment that waits for its first code.
#[derive(Debug, PartialEq, Eq)]
pub struct Started;

impl Started {
    /// Ends the enrollment with a code of the app, which thereby is used.
    ///
    /// # Errors
    ///
    /// [`Refusal::Wrong`] for all else. A recovery code does not prove that an app is at hand.
    pub fn verify(self, evidence: Evidence) -> Result<Enrolled, Refusal> {
        match evidence.0 {
            Found::Step(last_step) => Ok(Enrolled(Ledger {
                last_step,
                spent: SpentCodes::default(),
                reprise: None,
            })),
            Found::Recovery(_) | Found::Nothing => Err(Refusal::Wrong),
        }
    }
}

/// A verified enrollment. Each code that it accepts makes it another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled(Ledger);

impl Enrolled {
    /// Accepts a code of the app or a recovery code, for a login or to remove the enrollment.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when the code is wrong or used.
    pub fn accept(self, evidence: Evidence, rules: Rules) -> Result<Self, Refusal> {
        let mut ledger = self.0;
        match evidence.0 {
            Found::Step(step) if is_usable(step, &ledger, rules.reuse) => {
                ledger.last_step = ledger.last_step.max(step);
            },
            Found::Recovery(place) if !ledger.spent.contains(place) => {
                ledger.spent = ledger.spent.and(place);
            },
            Found::Step(_) | Found::Recovery(_) => return Err(Refusal::Replayed),
            Found::Nothing => return Err(Refusal::Wrong),
        }
        ledger.reprise = None;
        Ok(Self(ledger))
    }

    /// Accepts a code for new recovery codes, of which none is spent then. A code of the app may be
    /// shown once more by `session`, to read them.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when the code is wrong or used.
    pub fn accept_for_new_codes(
        self,
        evidence: Evidence,
        rules: Rules,
        session: &ApiSessionId,
    ) -> Result<Self, Refusal> {
        let mut ledger = self.accept(evidence, rules)?.0;
        ledger.spent = SpentCodes::default();
        if let Found::Step(step) = evidence.0 {
            let session = session.clone();
            ledger.reprise = Some(Reprise { step, session });
        }
        Ok(Self(ledger))
    }

    /// Accepts a code to read the recovery codes: any that [`accept`](Self::accept) would, and once
    /// the one with which `session` has just got new ones.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when the code is wrong or used.
    pub fn accept_to_read_codes(
        mut self,
        evidence: Evidence,
        rules: Rules,
        session: &ApiSessionId,
    ) -> Result<Self, Refusal> {
        if self.is_reprise(evidence, session) {
            self.0.reprise = None;
            return Ok(self);
        }
        self.accept(evidence, rules)
    }

    /// Whether the code is the one that `session` may show once more. It has to be the newest, so
    /// that no exception revives an older one.
    fn is_reprise(&self, evidence: Evidence, session: &ApiSessionId) -> bool {
        let newest = self.0.last_step;
        evidence.0 == Found::Step(newest)
            && self
                .0
                .reprise
                .as_ref()
                .is_some_and(|reprise| reprise.step == newest && reprise.session == *session)
    }
}

/// Whether a code of `step`, which is in the window, may be accepted.
fn is_usable(step: Step, ledger: &Ledger, reuse: Reuse) -> bool {
    match reuse {
        Reuse::Never => step > ledger.last_step,
        Reuse::InsideWindow => true,
    }
}

impl From<Started> for Progress {
    fn from(_started: Started) -> Self {
        Self::Started
    }
}

impl From<Enrolled> for Progress {
    fn from(enrolled: Enrolled) -> Self {
        Self::Verified(enrolled.0)
    }
}

impl From<Ledger> for Enrolled {
    fn from(ledger: Ledger) -> Self {
        Self(ledger)
    }
}

impl From<Enrolled> for Ledger {
    fn from(enrolled: Enrolled) -> Self {
        enrolled.0
    }
}

#[cfg(test)]
mod tests;
