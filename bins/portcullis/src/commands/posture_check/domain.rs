//! Checks of Windows domains, as arguments.

use super::question::{Question, refused};
use crate::error::CliError;
use crate::words::in_all;
use clap::Args;
use portcullis_domain::posture_check::{Check, CheckPatch, DomainCheck};

/// Which Windows domains will do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct DomainArgs {
    /// Windows domains, separated by commas; the machine must belong to one of them
    #[arg(short = 'd', long, value_name = "DOMAINS")]
    domains: Option<Vec<String>>,
}

impl DomainArgs {
    fn read(&self) -> Result<Option<DomainCheck>, CliError> {
        let domains = self.domains.as_deref().map(in_all);
        let check = domains.map(DomainCheck::new);
        check
            .transpose()
            .map_err(|error| refused("--domains", error))
    }
}

impl Question for DomainArgs {
    const CREATE: &'static str = "\
Examples:
  portcullis posture-check create domain office --domains berlin.example.com
  portcullis posture-check create domain office -d BERLIN,PARIS --role-attributes desktop";
    const UPDATE: &'static str = "\
Examples:
  portcullis posture-check update domain office --domains berlin.example.com,paris.example.com
  portcullis posture-check update domain office --name berlin";
    const HOW: &'static str = "--domains DOMAINS";

    fn check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Domain))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Domain)
    }
}
