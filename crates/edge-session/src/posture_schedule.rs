//! Which answers to posture queries are due, apart from how they are found and told.

use crate::posture_subject::Subject;
use crate::service::Services;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{PostureReport, Report};
use portcullis_domain::posture_check::CheckType;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Most subjects that are answered: controllers keep about 150 processes of a session.
const MAX_SUBJECTS: usize = 256;

/// What is asked for, what was found, and what was told of it.
#[derive(Debug, Default)]
pub(crate) struct PostureSchedule {
    asked: BTreeMap<Subject, Query>,
    found: BTreeMap<Subject, Report>,
    told: BTreeMap<Subject, Told>,
    /// A check to which it matters that the computer woke up, or was unlocked.
    prompting: Option<PostureCheckId>,
}

/// What is asked for by one check or several.
#[derive(Debug)]
struct Query {
    /// One of the checks: an answer counts for all of them.
    check: PostureCheckId,
    /// Time after which an answer does not count any more, the shortest.
    timeout: Option<Duration>,
}

#[derive(Debug)]
struct Told {
    report: Report,
    at: Instant,
}

impl PostureSchedule {
    /// Takes what the services ask for.
    pub(crate) fn ask(&mut self, services: &Services) {
        self.asked.clear();
        self.prompting = None;
        let policies = services.iter().flat_map(|service| &service.posture);
        for query in policies.flat_map(|policy| &policy.posture_queries) {
            let check = &query.base.id;
            if query.query_type == CheckType::Mfa
                && (query.prompt_on_wake || query.prompt_on_unlock)
            {
                self.prompting.get_or_insert_with(|| check.clone());
            }
            let timeout = u64::try_from(query.timeout)
                .ok()
                .filter(|&seconds| seconds > 0);
            let timeout = timeout.map(Duration::from_secs);
            for subject in Subject::of_query(query) {
                self.ask_for(subject, check, timeout);
            }
        }
        self.found
            .retain(|subject, _| self.asked.contains_key(subject));
        self.told
            .retain(|subject, _| self.asked.contains_key(subject));
    }

    fn ask_for(&mut self, subject: Subject, check: &PostureCheckId, timeout: Option<Duration>) {
        if let Some(query) = self.asked.get_mut(&subject) {
            query.timeout = match (query.timeout, timeout) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        } else if self.asked.len() < MAX_SUBJECTS {
            let check = check.clone();
            self.asked.insert(subject, Query { check, timeout });
        }
    }

    /// What is asked for.
    pub(crate) fn subjects(&self) -> BTreeSet<Subject> {
        self.asked.keys().cloned().collect()
    }

    /// Takes what was found.
    pub(crate) fn found(&mut self, reports: BTreeMap<Subject, Report>) {
        self.found = reports;
        self.found
            .retain(|subject, _| self.asked.contains_key(subject));
    }

    /// All that was found.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.found.values().cloned().collect()
    }

    /// What was never told, what is different by now, and what will soon not count any more: it is told
    /// again after half of its time.
    pub(crate) fn due(&self, now: Instant) -> Vec<PostureReport> {
        let asked = self.asked.iter();
        let due = asked.filter_map(|(subject, query)| {
            let report = self.found.get(subject)?;
            let is_due = self.told.get(subject).is_none_or(|told| {
                let age = now.saturating_duration_since(told.at);
                told.report != *report || query.timeout.is_some_and(|timeout| age >= timeout / 2)
            });
            is_due.then(|| PostureReport {
                check: query.check.clone(),
                report: report.clone(),
            })
        });
        due.collect()
    }

    /// What has happened to the computer, if a check asks for it.
    pub(crate) fn of_endpoint(
        &self,
        event: impl FnOnce() -> Option<Report>,
    ) -> Option<PostureReport> {
        let check = self.prompting.clone()?;
        event().map(|report| PostureReport { check, report })
    }

    /// Takes what the controller was told at `now`.
    pub(crate) fn told(&mut self, reports: Vec<PostureReport>, now: Instant) {
        for PostureReport { report, .. } in reports {
            if let Some(subject) = Subject::of_report(&report) {
                self.told.insert(subject, Told { report, at: now });
            }
        }
    }

    /// Tells everything again, as to another session.
    pub(crate) fn forget_what_was_told(&mut self) {
        self.told.clear();
    }
}

#[cfg(test)]
mod tests;
