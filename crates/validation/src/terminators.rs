//! Terminators, each of which its router is asked about.

mod host_counts;

pub use host_counts::{
    ExpectedTerminators, HostDisagreement, count_terminators, invalid_identities_filter,
};

use crate::answer::Answer;
use crate::finding::Finding;
use crate::text::{Shown, shown};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId, TerminatorId};
use portcullis_wire::control::terminator::{InvalidReason, TerminatorState, ValidatedTerminators};
use portcullis_wire::management::{TerminatorDetail, TerminatorValidity};
use std::fmt;

/// A terminator as the controller knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownTerminator {
    pub id: TerminatorId,
    pub service: ServiceId,
    pub service_name: String,
    pub router: RouterId,
    pub router_name: String,
    /// `edge`, `tunnel`, `transport` or another.
    pub binding: String,
    pub address: String,
    /// Absent if nobody hosts it, but the router dials a server.
    pub host: Option<IdentityId>,
    pub created_at: Timestamp,
}

/// What the router of a terminator says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedTerminator<'a> {
    pub terminator: &'a KnownTerminator,
    /// A text for people, of the router if it has answered.
    pub detail: String,
    pub disagreement: Option<TerminatorDisagreement>,
}

impl JudgedTerminator<'_> {
    /// Whether the router says that it does not lead anywhere, so that it may be deleted.
    pub fn is_invalid(&self) -> bool {
        let fault = self.disagreement.as_ref().map(|found| found.fault);
        fault.is_some_and(|fault| fault != TerminatorFault::NotJudged)
    }

    /// The same of a terminator that the controller does not have any more: it need not be at its router.
    #[must_use]
    pub fn deleted_meanwhile(self) -> Self {
        Self {
            detail: "the terminator was deleted meanwhile".to_owned(),
            disagreement: None,
            ..self
        }
    }

    /// The result, for a terminator that was deleted since or was not.
    pub fn to_wire(&self, is_fixed: bool) -> TerminatorDetail {
        let known = self.terminator;
        let host = known.host.as_ref().map_or("", IdentityId::as_str);
        let state = match self.disagreement.as_ref().map(|found| found.fault) {
            None => TerminatorValidity::Valid,
            Some(TerminatorFault::NotJudged) => TerminatorValidity::Unknown,
            Some(TerminatorFault::UnknownBinding) => TerminatorValidity::InvalidBinding,
            Some(TerminatorFault::UnknownTerminator) => TerminatorValidity::InvalidTerminator,
            Some(TerminatorFault::BadState) => TerminatorValidity::InvalidState,
        };
        TerminatorDetail {
            terminator_id: known.id.as_str().to_owned(),
            service_id: known.service.as_str().to_owned(),
            service_name: known.service_name.clone(),
            router_id: known.router.as_str().to_owned(),
            router_name: known.router_name.clone(),
            binding: known.binding.clone(),
            address: known.address.clone(),
            host_id: host.to_owned(),
            created_at: known.created_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            state,
            is_fixed,
            detail: self.detail.clone(),
        }
    }
}

/// A terminator of which its router does not say that it is valid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminatorDisagreement {
    pub terminator: TerminatorId,
    pub fault: TerminatorFault,
    /// A text for people.
    pub detail: String,
    /// When the terminator was created.
    pub since: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TerminatorFault {
    /// The router has no such binding.
    UnknownBinding,
    /// The router does not have the terminator.
    UnknownTerminator,
    /// The router has it, but not so that it could be used.
    BadState,
    /// The router says nothing of it.
    NotJudged,
}

impl fmt::Display for TerminatorDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (terminator, detail) = (shown(&self.terminator), Shown(&self.detail));
        match self.fault {
            TerminatorFault::UnknownBinding => write!(
                formatter,
                "the router of terminator {terminator} does not have its binding"
            ),
            TerminatorFault::UnknownTerminator => write!(
                formatter,
                "the controller has terminator {terminator}, which its router does not have"
            ),
            TerminatorFault::BadState => write!(
                formatter,
                "the router of terminator {terminator} cannot use it"
            ),
            TerminatorFault::NotJudged => write!(
                formatter,
                "it is not known whether terminator {terminator} is valid"
            ),
        }?;
        if self.detail.is_empty() {
            return Ok(());
        }
        write!(formatter, ": {detail}")
    }
}

impl Finding for TerminatorDisagreement {
    fn advice(&self) -> &'static str {
        match self.fault {
            TerminatorFault::UnknownBinding => {
                "Add the binding to the router's configuration, or delete the terminator."
            },
            TerminatorFault::UnknownTerminator => {
                "Delete the terminator: dials that choose it fail. Its host makes another one."
            },
            TerminatorFault::BadState => {
                "Ask again in a minute. If it stays, delete the terminator, and see whether its host is \
                 still there."
            },
            TerminatorFault::NotJudged => {
                "See whether the router is connected and answers, and ask again."
            },
        }
    }

    fn since(&self) -> Option<Timestamp> {
        Some(self.since)
    }
}

/// Judges terminators by the answer of their router. Each of them gets a result, whatever the answer is.
pub fn judge_terminators<'a>(
    asked: impl IntoIterator<Item = &'a KnownTerminator>,
    answer: Answer<'_, ValidatedTerminators>,
) -> Vec<JudgedTerminator<'a>> {
    let asked = asked.into_iter();
    let judged = asked.map(move |terminator| {
        let (fault, detail) = match &answer {
            Ok(answer) => match answer.states.get(terminator.id.as_str()) {
                Some(state) => (fault(state), Shown(&state.detail).to_string()),
                None => (
                    Some(TerminatorFault::NotJudged),
                    "the router's answer does not name it".to_owned(),
                ),
            },
            Err(failure) => (
                Some(TerminatorFault::NotJudged),
                failure.on_wire("router off-line"),
            ),
        };
        let disagreement = fault.map(|fault| TerminatorDisagreement {
            terminator: terminator.id.clone(),
            fault,
            detail: detail.clone(),
            since: terminator.created_at,
        });
        JudgedTerminator {
            terminator,
            detail,
            disagreement,
        }
    });
    judged.collect()
}

const fn fault(state: &TerminatorState) -> Option<TerminatorFault> {
    if state.is_valid {
        return None;
    }
    Some(match state.reason {
        InvalidReason::UnknownBinding => TerminatorFault::UnknownBinding,
        InvalidReason::UnknownTerminator => TerminatorFault::UnknownTerminator,
        InvalidReason::BadState | InvalidReason::Unrecognized(_) => TerminatorFault::BadState,
    })
}

#[cfg(test)]
mod tests;
