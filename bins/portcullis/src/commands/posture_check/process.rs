//! Checks of processes, as arguments.

mod text;

use super::question::{Question, refused};
use crate::commands::semantic::Semantic;
use crate::error::CliError;
use clap::Args;
use portcullis_domain::posture_check::{
    Check, CheckPatch, CheckedProcess, ProcessCheck, ProcessMultiCheck, ProcessMultiPatch,
    ProcessPatch, Processes,
};
use portcullis_domain::roles;
pub(super) use text::{several, single};

/// Which process has to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ProcessArgs {
    /// The process: its operating system and its binary, as `Linux:/usr/sbin/clamd`. Allowed
    /// hashes of the binary may follow, and its signer: `,hash=HEX` and `,signer=HEX`
    #[arg(long, value_name = "PROCESS", value_parser = text::parse)]
    process: Option<CheckedProcess>,
}

/// Which processes have to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ProcessMultiArgs {
    /// A process: its operating system and its binary, as `Linux:/usr/sbin/clamd`. Allowed
    /// hashes of the binary and signers may follow: `,hash=HEX` and `,signer=HEX`. Give it once for
    /// each process
    #[arg(long = "process", value_name = "PROCESS", value_parser = text::parse)]
    processes: Option<Vec<CheckedProcess>>,

    /// How many of the processes must run; all of them in a new check
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
                    .hint("a check of the type process-multi takes several"),
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
    fn read(&self) -> Result<Option<Processes>, CliError> {
        let processes = self.processes.clone().map(Processes::new);
        processes
            .transpose()
            .map_err(|error| refused("--process", error))
    }
}

impl Question for ProcessArgs {
    const CREATE: &'static str = "\
Examples:
  portcullis posture-check create process guard --process Linux:/usr/sbin/clamd
  portcullis posture-check create process guard-on-windows \\
      --process 'Windows:C:\\Program Files\\guard.exe,signer=79437f5edda13f9c0669b978dd7a9066dd2059f1'";
    const UPDATE: &'static str = "\
Hashes and signer that are not given with the process are no longer required.

Examples:
  portcullis posture-check update process guard --process Linux:/usr/local/sbin/clamd
  portcullis posture-check update process guard --role-attributes server";
    const HOW: &'static str = "--process PROCESS";

    fn check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Process))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        let patch = self.read()?.map(|process| ProcessPatch {
            os_type: Some(process.os_type),
            path: Some(process.path),
            hashes: Some(process.hashes),
            signer: Some(process.signer),
        });
        Ok(CheckPatch::Process(patch.unwrap_or_default()))
    }
}

impl Question for ProcessMultiArgs {
    const CREATE: &'static str = "\
Examples:
  portcullis posture-check create process-multi guarded --semantic any-of \\
      --process Linux:/usr/sbin/clamd --process 'Windows:C:\\Program Files\\guard.exe'
  portcullis posture-check create process-multi signed \\
      --process 'macOS:/Applications/Guard.app,signer=79437f5edda13f9c0669b978dd7a9066dd2059f1'";
    const UPDATE: &'static str = "\
Processes are replaced as a whole.

Examples:
  portcullis posture-check update process-multi guarded --semantic all-of
  portcullis posture-check update process-multi guarded --process Linux:/usr/sbin/clamd";
    const HOW: &'static str = "--process PROCESS";

    fn check(&self) -> Result<Option<Check>, CliError> {
        let semantic = self.semantic.unwrap_or(Semantic::AllOf).into();
        let check = self.read()?.map(|processes| ProcessMultiCheck {
            semantic,
            processes,
        });
        Ok(check.map(Check::ProcessMulti))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        Ok(CheckPatch::ProcessMulti(ProcessMultiPatch {
            semantic: self.semantic.map(roles::Semantic::from),
            processes: self.read()?,
        }))
    }
}
