//! `portcullis ca`.

mod claim;
mod create;
mod jwt;
mod rules;
mod show;
mod update;
mod verify;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, Positional, ShowArgs, UsualVerbs,
    VerbHelp,
};
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::ca::CaDetail;

/// Help footer of `ca`.
pub(crate) const EXAMPLES: &str = "\
Certificates of a third-party CA are accepted in this network once the CA is verified, which proves
that the administrator holds its key.

Examples:
  portcullis ca create corporate ca.pem
  portcullis ca verify corporate --ca-key ca.key
  portcullis identity create server --ottca corporate --output-jwt server.jwt";

pub(crate) type CaCommand = EntityCommand<CaDetail>;

impl Noun for CaDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List third-party CAs",
        examples: "\
The columns show whether the CA is verified, and whether its certificates can be used to log in,
to enroll with a token, and to create identities automatically.

Examples:
  portcullis ca list
  portcullis ca list --filter 'isVerified = false' --sort name --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a third-party CA",
        examples: "\
Examples:
  portcullis ca show corporate
  portcullis ca show corporate --output json | jq -r .verificationToken",
    };
    const REFERENCE: Positional = Positional {
        id: "ca",
        value_name: "CA",
        help: "Id or name of the CA",
    };
}

impl Deletable for CaDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete third-party CAs; their certificates are no longer accepted",
        examples: "\
Pending enrollments for its certificates are deleted too. Identities that enrolled with one stay,
but can no longer log in with it. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ca delete corporate
  portcullis ca delete --filter 'isVerified = false' --dry-run",
    };
}

impl UsualVerbs for CaDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = CaOtherCommand;
}

/// Further subcommands for third-party CAs.
#[derive(Debug, Subcommand)]
pub(crate) enum CaOtherCommand {
    #[command(display_order = 11)]
    Verify(verify::VerifyArgs),
    #[command(display_order = 12)]
    Jwt(jwt::JwtArgs),
}

delegate_verbs!(CaOtherCommand: Verify, Jwt);
