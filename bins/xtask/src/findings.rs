//! What a check found.

use std::io::Write as _;
use std::process::ExitCode;

/// The faults that one check found, and what it looked at.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// One line for each fault.
    pub(crate) faults: Vec<String>,
    /// What was looked at, for the line that says all is well.
    pub(crate) scope: String,
}

impl Findings {
    /// Prints the findings; the exit code says whether there were faults.
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

/// `1 crate`, `2 crates`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
