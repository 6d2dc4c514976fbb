//! `backup`: verify copies of the store, and restore one.

use crate::cli::{BackupCommand, BackupRestoreArgs, BackupVerifyArgs};
use crate::{backup, config, output};
use anyhow::bail;
use portcullis_storage::tables::Finding;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(command: &BackupCommand) -> anyhow::Result<ExitCode> {
    match command {
        BackupCommand::Verify(arguments) => verify(arguments),
        BackupCommand::Restore(arguments) => restore(arguments),
    }
}

fn verify(arguments: &BackupVerifyArgs) -> anyhow::Result<ExitCode> {
    let BackupVerifyArgs { copy, config } = arguments;
    let location = match config {
        Some(config) => Some(config::load(&[config])?.store),
        None => None,
    };
    let key = location.map(|location| location.sealing_key_path());
    let findings = backup::verify(copy, key.as_deref(), &portcullis_system::env())?;
    require_intact(copy, &findings)?;
    let key = match key {
        Some(key) => format!("the sealing key {} opens it", key.display()),
        None => "whether a sealing key opens it is checked with --config".to_owned(),
    };
    output::print_message(format_args!("{}: intact; {key}", copy.display()));
    Ok(ExitCode::SUCCESS)
}

fn restore(arguments: &BackupRestoreArgs) -> anyhow::Result<ExitCode> {
    let BackupRestoreArgs { config, copy } = arguments;
    let location = config::load(&[config])?.store;
    let env = portcullis_system::env();
    let findings = backup::verify(copy, Some(&location.sealing_key_path()), &env)?;
    require_intact(copy, &findings)?;
    let replaced = backup::put_in_place(copy, &location, &env)?;
    output::print_message(format_args!(
        "{} is now a copy of {}",
        location.store_path().display(),
        copy.display()
    ));
    if let Some(replaced) = replaced {
        output::print_message(format_args!(
            "the store that was there is kept as {}: remove it once it is not needed any more",
            replaced.display()
        ));
    }
    output::print_message(
        "Who was deleted or locked out since the copy was made is back: do again what matters.",
    );
    Ok(ExitCode::SUCCESS)
}

/// Fails if there is something wrong in a copy, after showing what.
fn require_intact(copy: &Path, findings: &[Finding]) -> anyhow::Result<()> {
    for finding in findings {
        output::eprint_line(output::one_line(&finding.to_string()));
    }
    if findings.is_empty() {
        return Ok(());
    }
    bail!(
        "{} is damaged: {}, shown above; take an earlier copy",
        copy.display(),
        output::counted(findings.len(), "finding"),
    )
}
