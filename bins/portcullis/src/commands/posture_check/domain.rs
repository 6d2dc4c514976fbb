//! Posture checks of Windows domains.

use super::requirement::{Requirement, invalid_requirement};
use crate::error::CliError;
use crate::text::split_all_commas;
use clap::Args;
use portcullis_domain::posture_check::{Check, CheckPatch, DomainCheck};

/// Arguments of domain checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct DomainArgs {
    /// Comma-separated Windows domains; the device must belong to one of them
    #[arg(short = 'd', long, value_name = "DOMAINS")]
    domains: Option<Vec<String>>,
}

impl DomainArgs {
    fn read(&self) -> Result<Option<DomainCheck>, CliError> {
        let domains = self.domains.as_deref().map(split_all_commas);
        let check = domains.map(DomainCheck::new);
        check
            .transpose()
            .map_err(|error| invalid_requirement("--domains", error))
    }
}

impl Requirement for DomainArgs {
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check create domain office --domains berlin.example.com
  portcullis posture-check create domain office -d BERLIN,PARIS --role-attributes desktop";
    const UPDATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check update domain office --domains berlin.example.com,paris.example.com
  portcullis posture-check update domain office --name berlin";
    const USAGE_HINT: &'static str = "--domains DOMAINS";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Domain))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Domain)
    }
}
