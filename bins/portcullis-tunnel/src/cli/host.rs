//! Arguments of `host`.

use super::JoinArgs;
use clap::Args;

const EXAMPLES: &str = "\
Which servers are offered is said by the configurations `host.v1`, `host.v2` and
`ziti-tunneler-server.v1` of the services that the identity may host. Changes are
followed. No rights are needed. It runs until SIGTERM or SIGINT.

Examples:
  portcullis-tunnel host --identity server.json
  portcullis-tunnel --log debug host --identity server.json";

/// Arguments of `host`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct HostArgs {
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}
