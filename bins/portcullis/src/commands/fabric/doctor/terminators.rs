//! Findings about terminators.

use super::check::Check;
use super::examination::Examined;
use super::finding::{Finding, Findings, RouterName, Severity, router_name};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::TerminatorId;
use portcullis_validation::{
    Finding as _, HeldState, HeldTerminatorDisagreement, TerminatorDisagreement, TerminatorFault,
};
use portcullis_wire::management::{
    ErtTerminatorDetails, ManagementMessage, SdkTerminatorDetails, TerminatorDetail,
    TerminatorValidity,
};
use std::collections::BTreeMap;

/// The state of a terminator that the router does not have.
const UNKNOWN: &str = "unknown";

/// When terminators were created, as far as the details tell.
pub(super) fn creation_times(examined: &[Examined]) -> BTreeMap<String, Timestamp> {
    let details = examined.iter().flat_map(|examined| &examined.details);
    let created = details.filter_map(|detail| match detail {
        ManagementMessage::TerminatorDetail(detail) => {
            let created = detail.created_at.parse().ok()?;
            Some((detail.terminator_id.clone(), created))
        },
        _ => None,
    });
    created.collect()
}

/// A terminator that a router holds, or should.
struct Held<'d> {
    id: &'d str,
    is_known: bool,
    state: HeldState,
}

impl Findings<'_> {
    pub(super) fn read_terminator(&mut self, detail: &TerminatorDetail) {
        let fault = match detail.state {
            TerminatorValidity::Valid => return,
            TerminatorValidity::InvalidBinding => TerminatorFault::UnknownBinding,
            TerminatorValidity::InvalidTerminator => TerminatorFault::UnknownTerminator,
            TerminatorValidity::InvalidState => TerminatorFault::BadState,
            TerminatorValidity::Unknown | TerminatorValidity::Unrecognized(_) => {
                TerminatorFault::NotJudged
            },
        };
        let router = router_name(&detail.router_id, &detail.router_name);
        if fault == TerminatorFault::NotJudged && self.is_lost(&router.id, &detail.detail) {
            self.leads_nowhere(&router);
            return;
        }
        let id = detail.terminator_id.as_str();
        let since = self.terminators.get(id).copied();
        let disagreement = TerminatorDisagreement {
            terminator: TerminatorId::from_wire(id),
            fault,
            detail: detail.detail.clone(),
            since: since.unwrap_or_default(),
        };
        let problem = format!("{disagreement} (of service `{}`)", detail.service_name);
        let is_useless = fault != TerminatorFault::NotJudged;
        let subject = Some(("terminator", id));
        let advice = disagreement.advice();
        self.push(Finding {
            since: since.map(Into::into),
            command: is_useless.then(|| deletion(id)),
            ..self.problem(Check::Terminators, Some(&router), subject, &problem, advice)
        });
    }

    pub(super) fn read_of_sdks(&mut self, details: &SdkTerminatorDetails) {
        let router = router_name(&details.router_id, &details.router_name);
        let answer = (details.is_success, details.text.as_str());
        let invalid = details.terminators.iter().filter(|detail| !detail.is_valid);
        let held = invalid.map(|detail| Held {
            id: &detail.terminator_id,
            is_known: detail.controller_state == TerminatorValidity::Valid,
            state: HeldState {
                state: detail.router_state.clone(),
                is_operation_active: detail.is_operation_active,
                created_at: detail.created_at.clone(),
                last_attempt: detail.last_attempt.clone(),
            },
        });
        self.add_all_held(Check::SdkTerminators, &router, answer, held);
    }

    pub(super) fn read_of_tunneler(&mut self, details: &ErtTerminatorDetails) {
        let router = router_name(&details.router_id, &details.router_name);
        let answer = (details.is_success, details.text.as_str());
        let invalid = details.terminators.iter().filter(|detail| !detail.is_valid);
        let held = invalid.map(|detail| Held {
            id: &detail.terminator_id,
            is_known: detail.controller_state == TerminatorValidity::Valid,
            state: HeldState {
                state: detail.router_state.clone(),
                ..HeldState::default()
            },
        });
        self.add_all_held(Check::TunnelTerminators, &router, answer, held);
    }

    /// Adds what a router holds that is not valid, if it has answered.
    fn add_all_held<'d>(
        &mut self,
        check: Check,
        router: &RouterName,
        (is_success, text): (bool, &str),
        invalid: impl Iterator<Item = Held<'d>>,
    ) {
        if self.has_answered(check, router, is_success, text) {
            for held in invalid {
                self.add_held(check, router, held);
            }
        }
    }

    fn add_held(&mut self, check: Check, router: &RouterName, held: Held<'_>) {
        let Held {
            id,
            is_known,
            state: held,
        } = held;
        let terminator = TerminatorId::from_wire(id);
        let since = self.terminators.get(id).copied();
        let severity = if held.is_operation_active {
            Severity::Note
        } else {
            Severity::Problem
        };
        let disagreement = if !is_known {
            HeldTerminatorDisagreement::UnknownToController { terminator, held }
        } else if held.state == UNKNOWN {
            HeldTerminatorDisagreement::UnknownToRouter {
                terminator,
                since: since.unwrap_or_default(),
            }
        } else {
            HeldTerminatorDisagreement::NotEstablished { terminator, held }
        };
        let is_only_known = matches!(
            disagreement,
            HeldTerminatorDisagreement::UnknownToRouter { .. }
        );
        let (problem, advice) = (disagreement.to_string(), disagreement.advice());
        let subject = Some(("terminator", id));
        self.push(Finding {
            severity,
            since: since.map(Into::into),
            command: is_only_known.then(|| deletion(id)),
            ..self.problem(check, Some(router), subject, &problem, advice)
        });
    }
}

fn deletion(id: &str) -> String {
    format!("portcullis terminator delete {id}")
}
