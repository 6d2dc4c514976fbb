//! `doctor`: what is wrong with a controller and around it, seen from its machine.

mod addresses;
mod audit_file;
mod configuration;
mod limits;
mod machine;
mod probe;
mod report;
mod store;

use crate::cli::DoctorArgs;
use crate::config::{self, CheckedFiles};
use crate::output::print_line;
use portcullis_program::OutputFormat;
use report::Report;
use std::process::ExitCode;
use std::time::Duration;

/// How long one connection may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks everything and changes nothing.
pub(super) fn run(arguments: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let env = portcullis_system::env();
    let file = &arguments.config;
    let reading = config::read(&[file]);
    let mut checked = reading.unwrap_or_else(|error| CheckedFiles::unreadable(file, &error));
    checked.judge(&env);
    let mut report = Report::default();
    configuration::check(&checked, &mut report);
    if let Some(config) = &checked.outcome.config {
        store::check(&checked, config, &mut report);
        audit_file::check(&checked, config, &mut report);
        machine::check(config, env.now(), &mut report);
        limits::check(config, &mut report);
        addresses::check(config, PROBE_TIMEOUT, &*env.clock, &mut report);
    }
    print_line(match arguments.output {
        OutputFormat::Text => report.to_text(),
        OutputFormat::Json => serde_json::to_string_pretty(&report.to_json())?,
    });
    Ok(if report.is_healthy() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
