//! What is found, in words.

use super::check::Check;
use super::examination::Examined;
use super::terminators;
use super::told;
use crate::commands::fabric::roster::Roster;
use portcullis_api::time::WireTime;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CircuitId;
use portcullis_validation::{
    CircuitDisagreement, CircuitPlace, Finding as _, Gap, IdentityDisagreement, LinkDisagreement,
    NoAnswer, split_time,
};
use portcullis_wire::management::{
    ComponentDetails, LinkDetails, ManagementMessage, RouterCircuits,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    /// The checks that it comes from.
    pub(super) checks: BTreeSet<Check>,
    pub(super) router: Option<RouterName>,
    pub(super) subject: Option<Subject>,
    /// A sentence without a full stop.
    pub(super) problem: String,
    /// Since when there is what it is about: it has not been so for longer.
    pub(super) since: Option<WireTime>,
    /// What to do about it.
    pub(super) advice: String,
    /// A command that may do it.
    pub(super) command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Problem,
    /// It will probably be gone by itself.
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct RouterName {
    pub(super) id: String,
    pub(super) name: String,
}

/// A link, circuit or terminator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Subject {
    pub(super) kind: &'static str,
    pub(super) id: String,
}

/// What is known beside the details.
pub(super) struct Knowledge<'k> {
    pub(super) roster: &'k Roster,
    /// Since when there are circuits, by id.
    pub(super) circuits: &'k BTreeMap<String, Timestamp>,
}

/// Everything that was found, the gravest first.
pub(super) fn findings_of(examined: &[Examined], knowledge: &Knowledge<'_>) -> Vec<Finding> {
    let created = terminators::creation_times(examined);
    let mut findings = Findings {
        knowledge,
        terminators: &created,
        found: Vec::new(),
        unasked: BTreeMap::new(),
    };
    for examined in examined {
        for detail in &examined.details {
            findings.read(examined.check, detail);
        }
    }
    findings.conclude()
}

/// The findings so far.
pub(super) struct Findings<'k> {
    knowledge: &'k Knowledge<'k>,
    /// When terminators were created, by id.
    pub(super) terminators: &'k BTreeMap<String, Timestamp>,
    found: Vec<Finding>,
    /// Routers that could not be asked, by id.
    unasked: BTreeMap<String, Unasked>,
}

/// A router that could not be asked.
#[derive(Debug, Default)]
struct Unasked {
    name: String,
    /// About what, by reason; without one, it is not connected.
    checks: BTreeMap<Option<String>, BTreeSet<Check>>,
    /// How many terminators lead there.
    terminators: usize,
}

impl Findings<'_> {
    fn read(&mut self, check: Check, detail: &ManagementMessage) {
        match detail {
            ManagementMessage::LinkDetails(details) => self.read_links(details),
            ManagementMessage::RouterCircuits(details) => self.read_circuits(details),
            ManagementMessage::TerminatorDetail(detail) => self.read_terminator(detail),
            ManagementMessage::SdkTerminatorDetails(details) => self.read_of_sdks(details),
            ManagementMessage::ErtTerminatorDetails(details) => self.read_of_tunneler(details),
            ManagementMessage::DataModelDetails(details)
            | ManagementMessage::IdentityConnectionDetails(details) => {
                self.read_component(check, details);
            },
            _ => {},
        }
    }

    /// Whether the router has answered; if not, that is kept. What it has left out is a note.
    pub(super) fn has_answered(
        &mut self,
        check: Check,
        router: &RouterName,
        is_success: bool,
        text: &str,
    ) -> bool {
        if !is_success {
            self.not_asked(check, router, text);
        } else if !text.is_empty() {
            let advice = Gap::Told(String::new()).advice();
            self.push(Finding {
                severity: Severity::Note,
                ..self.problem(check, Some(router), None, text, advice)
            });
        }
        is_success
    }

    fn not_asked(&mut self, check: Check, router: &RouterName, text: &str) {
        let reason = (!self.is_lost(&router.id, text)).then(|| text.to_owned());
        let unasked = self.unasked.entry(router.id.clone()).or_default();
        unasked.name.clone_from(&router.name);
        unasked.checks.entry(reason).or_default().insert(check);
    }

    /// A terminator whose router is not connected is no finding of its own.
    pub(super) fn leads_nowhere(&mut self, router: &RouterName) {
        self.not_asked(Check::Terminators, router, "router off-line");
        if let Some(unasked) = self.unasked.get_mut(&router.id) {
            unasked.terminators += 1;
        }
    }

    /// Whether a router has not answered because it is not connected.
    pub(super) fn is_lost(&self, router: &str, text: &str) -> bool {
        let is_lost = self
            .knowledge
            .roster
            .get(router)
            .map(|router| !router.connected);
        is_lost == Some(true) || text.contains("not connected") || text == "router off-line"
    }

    pub(super) fn problem(
        &self,
        check: Check,
        router: Option<&RouterName>,
        subject: Option<(&'static str, &str)>,
        problem: &str,
        advice: &str,
    ) -> Finding {
        Finding {
            severity: Severity::Problem,
            checks: BTreeSet::from([check]),
            router: router.cloned(),
            subject: subject.map(|(kind, id)| Subject {
                kind,
                id: id.to_owned(),
            }),
            problem: self.knowledge.roster.with_names(problem),
            since: None,
            advice: advice.to_owned(),
            command: None,
        }
    }

    /// Adds a finding. The same terminator may be found by several checks.
    pub(super) fn push(&mut self, finding: Finding) {
        let is_terminator =
            finding.subject.as_ref().map(|subject| subject.kind) == Some("terminator");
        let same = self.found.iter_mut().find(|found| {
            is_terminator && (&found.subject, &found.router) == (&finding.subject, &finding.router)
        });
        match same {
            Some(found) => found.checks.extend(finding.checks),
            None => self.found.push(finding),
        }
    }

    fn read_links(&mut self, details: &LinkDetails) {
        let router = router_name(&details.router_id, &details.router_name);
        if !self.has_answered(Check::Links, &router, details.is_success, &details.text) {
            return;
        }
        for link in &details.links {
            if link.is_valid && link.texts.is_empty() {
                continue;
            }
            let disagreement = told::link_disagreement(link);
            let (texts, times): (Vec<_>, Vec<_>) =
                link.texts.iter().map(|text| split_time(text)).unzip();
            let problem = if texts.is_empty() {
                disagreement.to_string()
            } else {
                texts.join("; ")
            };
            let since = match disagreement {
                LinkDisagreement::DestinationNotConnected { .. } => {
                    self.knowledge.roster.lost_since(&link.destination)
                },
                _ => times.into_iter().flatten().min(),
            };
            let subject = Some(("link", link.link_id.as_str()));
            let advice = disagreement.advice();
            self.push(Finding {
                severity: if link.is_valid {
                    Severity::Note
                } else {
                    Severity::Problem
                },
                since: since.map(Into::into),
                ..self.problem(Check::Links, Some(&router), subject, &problem, advice)
            });
        }
    }

    fn read_circuits(&mut self, details: &RouterCircuits) {
        let router = router_name(&details.router_id, &details.router_name);
        if !self.has_answered(Check::Circuits, &router, details.is_success, &details.text) {
            return;
        }
        for (id, circuit) in &details.circuits {
            let missing_in = told::missing_in(circuit);
            if missing_in.is_empty() {
                continue;
            }
            let is_known = !missing_in.contains(&CircuitPlace::Controller);
            let disagreement = CircuitDisagreement {
                circuit: CircuitId::from_wire(id.as_str()),
                missing_in,
                since: self.knowledge.circuits.get(id).copied(),
            };
            let (problem, advice) = (disagreement.to_string(), disagreement.advice());
            let subject = Some(("circuit", id.as_str()));
            self.push(Finding {
                since: disagreement.since().map(Into::into),
                command: is_known.then(|| format!("portcullis fabric circuit delete {id}")),
                ..self.problem(Check::Circuits, Some(&router), subject, &problem, advice)
            });
        }
    }

    fn read_component(&mut self, check: Check, details: &ComponentDetails) {
        let router = (details.component_type != "controller")
            .then(|| router_name(&details.component_id, &details.component_name));
        for error in &details.errors {
            let (error, since) = split_time(error);
            if let Some(router) = &router
                && (told::is_no_answer(error)
                    || (!details.is_success && self.is_lost(&router.id, error)))
            {
                self.not_asked(check, router, error);
                continue;
            }
            let (severity, advice) = match check {
                Check::IdentityConnections => match told::identity_disagreement(error) {
                    // OpenZiti's controllers say this of each router that is a tunneler.
                    _ if told::is_own_identity(error, &details.component_id) => continue,
                    found @ IdentityDisagreement::Unreported { .. } => {
                        (Severity::Note, found.advice())
                    },
                    found => (Severity::Problem, found.advice()),
                },
                _ => (Severity::Problem, told::model_advice(router.is_some())),
            };
            self.push(Finding {
                severity,
                since: since.map(Into::into),
                ..self.problem(check, router.as_ref(), None, error, advice)
            });
        }
    }

    /// All findings, with the routers that could not be asked, and those that are not connected.
    fn conclude(mut self) -> Vec<Finding> {
        for router in self.knowledge.roster.routers() {
            if router.disabled {
                // Nobody expects it to be there.
                self.unasked.remove(router.base.id.as_str());
            } else if !router.connected {
                let unasked = self.unasked.entry(router.base.id.to_string()).or_default();
                unasked.name.clone_from(&router.name);
                unasked.checks.entry(None).or_default();
            }
        }
        let mut findings: Vec<_> = std::mem::take(&mut self.unasked)
            .into_iter()
            .flat_map(|(id, unasked)| self.of_unasked(&id, unasked))
            .collect();
        findings.append(&mut self.found);
        findings.sort_by_key(|finding| finding.severity == Severity::Note);
        findings
    }

    fn of_unasked(&self, id: &str, unasked: Unasked) -> Vec<Finding> {
        let router = router_name(id, &unasked.name);
        let reasons = unasked.checks.into_iter();
        let findings = reasons.map(|(reason, checks)| {
            let since = self.knowledge.roster.lost_since(id);
            let is_known = self.knowledge.roster.get(id).is_some();
            let (problem, advice) = if let Some(reason) = &reason {
                let about: Vec<_> = checks.iter().map(|check| check.name()).collect();
                let about = about.join(", ");
                let problem = format!("it could not be asked about {about}: {reason}");
                (problem, told::no_answer_advice(reason))
            } else {
                let history = match since {
                    None if is_known => ", and was not since the controller started",
                    _ => "",
                };
                let terminators = match unasked.terminators {
                    0 => String::new(),
                    1 => "; a terminator leads there".to_owned(),
                    many => format!("; {many} terminators lead there"),
                };
                let problem = format!("it is not connected{history}{terminators}");
                (problem, NoAnswer::NotConnected.advice())
            };
            Finding {
                severity: Severity::Problem,
                checks,
                router: Some(router.clone()),
                subject: None,
                problem,
                since: since.filter(|_| reason.is_none()).map(Into::into),
                advice: advice.to_owned(),
                command: None,
            }
        });
        findings.collect()
    }
}

pub(super) fn router_name(id: &str, name: &str) -> RouterName {
    RouterName {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
