//! `portcullis revocation`.

mod create;
mod kind;
mod show;

use crate::commands::entity_command::{ListArgs, Noun, Positional, ShowArgs, VerbHelp};
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::revocation::RevocationDetail;

/// Help footer of `revocation`.
pub(crate) const EXAMPLES: &str = "\
Revocations apply to the signed tokens of OIDC logins. They expire once no such token can be valid
any more, and cannot be deleted. This controller issues no such tokens yet: end its sessions with
`portcullis session delete`.

Examples:
  portcullis revocation create identity laptop
  portcullis revocation list --all";

/// Subcommands for revocations.
#[derive(Debug, Subcommand)]
pub(crate) enum RevocationCommand {
    Create(create::CreateArgs),
    #[command(visible_alias = "ls")]
    List(ListArgs<RevocationDetail>),
    #[command(alias = "get")]
    Show(ShowArgs<RevocationDetail>),
}

delegate_verbs!(RevocationCommand: Create, List, Show);

impl Noun for RevocationDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List revocations",
        examples: "\
Examples:
  portcullis revocation list --sort 'createdAt desc'
  portcullis revocation list --filter 'type = \"IDENTITY\"' --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a revocation",
        examples: "\
Examples:
  portcullis revocation show 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the revocation, which is the id of what it revokes",
    };
}
