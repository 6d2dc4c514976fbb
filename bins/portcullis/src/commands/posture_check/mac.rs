//! Posture checks of MAC addresses.

use super::requirement::{Requirement, invalid_requirement};
use crate::error::CliError;
use crate::text::split_all_commas;
use clap::Args;
use portcullis_domain::posture_check::{Check, CheckPatch, MacCheck};

/// Arguments of MAC address checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct MacArgs {
    /// Comma-separated MAC addresses; the device must have one of them
    #[arg(short = 'm', long, value_name = "ADDRESSES")]
    mac_addresses: Option<Vec<String>>,
}

impl MacArgs {
    fn read(&self) -> Result<Option<MacCheck>, CliError> {
        let addresses = self.mac_addresses.as_deref().map(split_all_commas);
        let check = addresses.map(|addresses| MacCheck::new(&addresses));
        check
            .transpose()
            .map_err(|error| invalid_requirement("--mac-addresses", error))
    }
}

impl Requirement for MacArgs {
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check create mac lab-1 --mac-addresses 00:0c:29:be:84:aa
  portcullis posture-check create mac lab -m 000c29be84aa,000c29be84ab --role-attributes lab";
    const UPDATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check update mac lab --mac-addresses 000c29be84aa,000c29be84ac
  portcullis posture-check update mac lab --name laboratory";
    const USAGE_HINT: &'static str = "--mac-addresses ADDRESSES";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Mac))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Mac)
    }
}
