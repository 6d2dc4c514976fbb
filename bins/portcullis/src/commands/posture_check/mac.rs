//! Checks of MAC addresses, as arguments.

use super::question::{Question, refused};
use crate::error::CliError;
use crate::words::in_all;
use clap::Args;
use portcullis_domain::posture_check::{Check, CheckPatch, MacCheck};

/// Which MAC addresses will do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct MacArgs {
    /// MAC addresses, separated by commas; the machine must have one of them
    #[arg(short = 'm', long, value_name = "ADDRESSES")]
    mac_addresses: Option<Vec<String>>,
}

impl MacArgs {
    fn read(&self) -> Result<Option<MacCheck>, CliError> {
        let addresses = self.mac_addresses.as_deref().map(in_all);
        let check = addresses.map(|addresses| MacCheck::new(&addresses));
        check
            .transpose()
            .map_err(|error| refused("--mac-addresses", error))
    }
}

impl Question for MacArgs {
    const CREATE: &'static str = "\
Examples:
  portcullis posture-check create mac lab-1 --mac-addresses 00:0c:29:be:84:aa
  portcullis posture-check create mac lab -m 000c29be84aa,000c29be84ab --role-attributes lab";
    const UPDATE: &'static str = "\
Examples:
  portcullis posture-check update mac lab --mac-addresses 000c29be84aa,000c29be84ac
  portcullis posture-check update mac lab --name laboratory";
    const HOW: &'static str = "--mac-addresses ADDRESSES";

    fn check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Mac))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Mac)
    }
}
