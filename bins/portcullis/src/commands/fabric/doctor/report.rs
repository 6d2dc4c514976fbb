//! The result of an examination.

use super::check::Check;
use super::examination::{Examined, Outcome};
use super::finding::{Finding, Severity};
use crate::moment;
use crate::render::{Render, one_line};
use crate::table::{Table, pluralize};
use portcullis_command_line::fit;
use portcullis_domain::clock::Timestamp;
use serde::Serialize;

/// What was checked, and what was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    is_healthy: bool,
    checks: Vec<CheckReport>,
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckReport {
    check: Check,
    result: CheckResult,
    /// What was asked: routers, terminators or models.
    count: u64,
    problems: usize,
    /// Why it was not checked, or not all of it.
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum CheckResult {
    Fine,
    Findings,
    Incomplete,
    NotChecked,
}

impl Report {
    pub(super) fn new(examined: &[Examined], findings: Vec<Finding>) -> Self {
        let checks: Vec<_> = examined
            .iter()
            .map(|examined| CheckReport::new(examined, &findings))
            .collect();
        let has_problem = findings
            .iter()
            .any(|finding| finding.severity == Severity::Problem);
        let is_fine = checks.iter().all(|check| check.result == CheckResult::Fine);
        Self {
            is_healthy: is_fine && !has_problem,
            checks,
            findings,
        }
    }

    pub(super) const fn is_healthy(&self) -> bool {
        self.is_healthy
    }

    /// For people.
    pub(super) const fn table(&self, now: Timestamp) -> ReportTable<'_> {
        ReportTable { report: self, now }
    }

    fn summary(&self) -> String {
        let count = |severity| {
            let findings = self.findings.iter();
            findings
                .filter(|finding| finding.severity == severity)
                .count()
        };
        let unchecked = self.checks.iter().filter(|check| {
            matches!(
                check.result,
                CheckResult::NotChecked | CheckResult::Incomplete
            )
        });
        let (problems, notes) = (count(Severity::Problem), count(Severity::Note));
        let mut parts = Vec::new();
        if problems > 0 {
            parts.push(pluralize(problems, "problem", "problems"));
        }
        if notes > 0 {
            parts.push(pluralize(notes, "note", "notes"));
        }
        match unchecked.count() {
            0 => {},
            some => {
                let checks = pluralize(some, "check", "checks");
                parts.push(format!("{checks} not made, or not whole"));
            },
        }
        match parts.as_slice() {
            [] => "routers and controller agree".to_owned(),
            parts => parts.join(", "),
        }
    }
}

impl CheckReport {
    fn new(examined: &Examined, findings: &[Finding]) -> Self {
        let check = examined.check;
        let problems = findings.iter().filter(|finding| {
            finding.severity == Severity::Problem && finding.checks.contains(&check)
        });
        let problems = problems.count();
        let (result, count, reason) = match &examined.outcome {
            Outcome::Complete { count } if problems == 0 => (CheckResult::Fine, *count, None),
            Outcome::Complete { count } => (CheckResult::Findings, *count, None),
            Outcome::Incomplete { count, reason } => {
                (CheckResult::Incomplete, *count, Some(reason.clone()))
            },
            Outcome::NotChecked(reason) => (CheckResult::NotChecked, 0, Some(reason.clone())),
        };
        Self {
            check,
            result,
            count,
            problems,
            reason,
        }
    }

    fn describe(&self) -> String {
        let (one, many) = self.check.counted();
        let asked = pluralize(usize::try_from(self.count).unwrap_or(usize::MAX), one, many);
        let reason = self.reason.as_deref().unwrap_or_default();
        let problems = pluralize(self.problems, "problem", "problems");
        match self.result {
            CheckResult::Fine => format!("fine ({asked})"),
            CheckResult::Findings => format!("{problems} ({asked})"),
            CheckResult::Incomplete => {
                format!("{problems}, but not all of {asked} were checked: {reason}")
            },
            CheckResult::NotChecked => format!("not checked: {reason}"),
        }
    }
}

/// A report for people.
pub(super) struct ReportTable<'r> {
    report: &'r Report,
    now: Timestamp,
}

impl Render for ReportTable<'_> {
    fn render(&self, room: Option<usize>) -> String {
        let checks = self.report.checks.iter();
        let checks = checks.fold(Table::with_properties(), |table, check| {
            table.property(check.check.name(), check.describe())
        });
        let mut text = checks.render(room);
        for finding in &self.report.findings {
            text.push('\n');
            for line in lines_of(finding, self.now) {
                text.push_str(&fit(&one_line(&line), room, 2));
                text.push('\n');
            }
        }
        text.push('\n');
        text.push_str(&self.report.summary());
        text.push('\n');
        text
    }
}

/// The lines of a finding: who, what, since when, and what to do.
fn lines_of(finding: &Finding, now: Timestamp) -> Vec<String> {
    let note = match finding.severity {
        Severity::Problem => "",
        Severity::Note => "note: ",
    };
    let who = match &finding.router {
        Some(router) if router.name.is_empty() => format!("router {}: ", router.id),
        Some(router) => format!("router `{}`: ", router.name),
        None => "controller: ".to_owned(),
    };
    let mut lines = vec![format!("{note}{who}{}", finding.problem)];
    if let Some(since) = finding.since {
        lines.push(format!("  since {}", moment::full(since, now)));
    }
    lines.push(format!("  {}", finding.advice));
    if let Some(command) = &finding.command {
        lines.push(format!("  `{command}`"));
    }
    lines
}
