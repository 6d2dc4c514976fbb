//! `portcullis terminator`.

mod args;
mod create;
mod list;
pub(crate) mod parts;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, Positional, ShowArgs, UsualVerbs,
    VerbHelp,
};
use portcullis_api::terminator::TerminatorDetail;
use std::convert::Infallible;

/// Help footer of `terminator`.
pub(crate) const EXAMPLES: &str = "\
A terminator is the router, and the address that it connects to, at which a service is available.
Programs that bind a service create their own; create terminators here for programs without an SDK.
Terminators have ids, but no names.

Examples:
  portcullis terminator create wiki r1 tcp:localhost:8080
  portcullis terminator list --service wiki";

pub(crate) type TerminatorCommand = EntityCommand<TerminatorDetail>;

impl Noun for TerminatorDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List terminators",
        examples: "\
Examples:
  portcullis terminator list --service wiki
  portcullis terminator list --filter 'router.name = \"r1\"' --sort address --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a terminator",
        examples: "\
Examples:
  portcullis terminator show 3Tn4aRb2kx
  portcullis terminator show 3Tn4aRb2kx --output json | jq .address",
    };
    const REFERENCE: Positional = parts::REFERENCE;
}

impl Deletable for TerminatorDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete terminators",
        examples: "\
Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis terminator delete 3Tn4aRb2kx
  portcullis terminator delete --filter 'service.name = \"wiki\"' --dry-run",
    };
    const TARGETS: Positional = parts::TARGETS;
}

impl UsualVerbs for TerminatorDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self, list::ServiceFilterArgs>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = Infallible;
}
