//! Arguments of the commands for a router that runs.

use clap::{Args, ValueHint};
use std::path::PathBuf;

pub(super) const QUIESCE_EXAMPLES: &str = "\
What is hosted at the router gets the precedence `failed`: clients use it only
where nothing else is left. Circuits go on, and so does what SDKs begin to host
afterwards. `dequiesce` takes it back.

Examples:
  portcullis-router quiesce r1.yml      before the router is stopped, say";

pub(super) const DEQUIESCE_EXAMPLES: &str = "\
Examples:
  portcullis-router dequiesce r1.yml";

pub(super) const RENEW_EXAMPLES: &str = "\
Routers renew their certificates by themselves when a third of their time is
left. The key stays.

Examples:
  portcullis-router renew r1.yml";

pub(super) const DECOMMISSION_EXAMPLES: &str = "\
The controller deletes the router and what is hosted at it, as
`portcullis edge-router delete` does. Its files stay, and lead nowhere.

Examples:
  portcullis-router decommission r1.yml --yes";

/// Arguments of the commands for a router that runs on this computer.
#[derive(Debug, Args)]
pub(crate) struct OrderArgs {
    /// Configuration file that the router runs with
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: PathBuf,
}

/// Arguments of `decommission`.
#[derive(Debug, Args)]
pub(crate) struct DecommissionArgs {
    #[command(flatten)]
    pub(crate) router: OrderArgs,

    /// Confirm that the router is to be deleted
    #[arg(long, required = true)]
    yes: bool,
}
