//! Findings of a check.

use std::io::Write as _;
use std::process::ExitCode;

/// Faults found by one check, and its scope.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// One line for each fault.
    pub(crate) faults: Vec<String>,
    /// Description of what was checked, for the report.
    pub(crate) scope: String,
}

impl Findings {
    /// Prints the findings and returns the exit code.
    pub(crate) fn report(self) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        if self.faults.is_empty() {
            writeln!(out, "ok: {}", self.scope)?;
            return Ok(ExitCode::SUCCESS);
        }
        for fault in &self.faults {
            writeln!(out, "error: {fault}")?;
        }
        writeln!(
            out,
            "{} found in {}",
            count(self.faults.len(), "fault"),
            self.scope
        )?;
        Ok(ExitCode::FAILURE)
    }
}

/// Formats a count, such as `1 crate` or `2 crates`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
