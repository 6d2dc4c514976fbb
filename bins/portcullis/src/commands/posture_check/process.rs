//! Posture checks of processes.

mod text;

use super::requirement::{Requirement, invalid_requirement};
use crate::commands::semantic::Semantic;
use crate::error::CliError;
use clap::Args;
use portcullis_domain::posture_check::{
    Check, CheckPatch, CheckedProcess, CheckedProcesses, ProcessCheck, ProcessMultiCheck,
    ProcessMultiPatch, ProcessPatch,
};
use portcullis_domain::roles;
pub(super) use text::{display_multi, display_single};

/// Arguments of process checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ProcessArgs {
    /// Operating system and binary, such as `Linux:/usr/sbin/clamd`, optionally followed by allowed
    /// hashes and the signer of the binary: `,hash=HEX` and `,signer=HEX`
    #[arg(long, value_name = "PROCESS", value_parser = text::parse)]
    process: Option<CheckedProcess>,
}

/// Arguments of multi-process checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ProcessMultiArgs {
    /// Operating system and binary, such as `Linux:/usr/sbin/clamd`, optionally followed by allowed
    /// hashes and signers of the binary: `,hash=HEX` and `,signer=HEX`; can be repeated
    #[arg(long = "process", value_name = "PROCESS", value_parser = text::parse)]
    processes: Option<Vec<CheckedProcess>>,

    /// Whether all or any of the processes must run (default for a new check: all)
    #[arg(long, value_name = "SEMANTIC", value_enum, ignore_case = true)]
    semantic: Option<Semantic>,
}

impl ProcessArgs {
    fn read(&self) -> Result<Option<ProcessCheck>, CliError> {
        let Some(process) = &self.process else {
            return Ok(None);
        };
        let mut signers = process.signers.iter();
        let signer = signers.next().cloned();
        if signers.next().is_some() {
            return Err(
                CliError::usage("--process: only one signer can be required")
                    .hint("a check of type process-multi accepts several"),
            );
        }
        Ok(Some(ProcessCheck {
            os_type: process.os_type,
            path: process.path.clone(),
            hashes: process.hashes.clone(),
            signer,
        }))
    }
}

impl ProcessMultiArgs {
    fn read(&self) -> Result<Option<CheckedProcesses>, CliError> {
        let processes = self.processes.clone().map(CheckedProcesses::new);
        processes
            .transpose()
            .map_err(|error| invalid_requirement("--process", error))
    }
}

impl Requirement for ProcessArgs {
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check create process guard --process Linux:/usr/sbin/clamd
  portcullis posture-check create process guard-on-windows \\
      --process \"Windows:C:\\Program Files\\guard.exe,signer=$SIGNER\"";
    const UPDATE_EXAMPLES: &'static str = "\
Hashes and signers that are not given with the process are no longer required.

Examples:
  portcullis posture-check update process guard --process Linux:/usr/local/sbin/clamd
  portcullis posture-check update process guard --role-attributes server";
    const USAGE_HINT: &'static str = "--process PROCESS";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Process))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        let patch = self.read()?.map(|process| ProcessPatch {
            os_type: Some(process.os_type),
            path: Some(process.path),
            hashes: Some(process.hashes),
            signer: Some(process.signer),
        });
        Ok(CheckPatch::Process(patch.unwrap_or_default()))
    }
}

impl Requirement for ProcessMultiArgs {
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check create process-multi guarded --semantic any-of \\
      --process Linux:/usr/sbin/clamd --process 'Windows:C:\\Program Files\\guard.exe'
  portcullis posture-check create process-multi signed \\
      --process \"macOS:/Applications/Guard.app,signer=$SIGNER\"";
    const UPDATE_EXAMPLES: &'static str = "\
Processes are replaced as a whole.

Examples:
  portcullis posture-check update process-multi guarded --semantic all-of
  portcullis posture-check update process-multi guarded --process Linux:/usr/sbin/clamd";
    const USAGE_HINT: &'static str = "--process PROCESS";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        let semantic = self.semantic.unwrap_or(Semantic::AllOf).into();
        let check = self.read()?.map(|processes| ProcessMultiCheck {
            semantic,
            processes,
        });
        Ok(check.map(Check::ProcessMulti))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        Ok(CheckPatch::ProcessMulti(ProcessMultiPatch {
            semantic: self.semantic.map(roles::Semantic::from),
            processes: self.read()?,
        }))
    }
}
