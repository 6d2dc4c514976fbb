//! `portcullis ext-jwt-signer`.

mod args;
mod create;
mod list;
mod network_jwt;
mod public;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, Noun, Positional, ShowArgs, UsualVerbs, VerbHelp,
};
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;

/// Help footer of `ext-jwt-signer`.
pub(crate) const EXAMPLES: &str = "\
An external signer, such as an OpenID provider, issues JWTs with which identities log in. A claim of
the JWT holds the id or external id of the identity.

Examples:
  portcullis ext-jwt-signer create okta --issuer https://okta.test --audience portcullis \\
      --jwks-endpoint https://okta.test/keys --use-external-id true
  portcullis identity create anna --external-id anna@okta.test
  portcullis login https://localhost:1280 --ext-jwt anna.token";

pub(crate) type ExtJwtSignerCommand = EntityCommand<ExternalJwtSignerDetail>;

impl Noun for ExternalJwtSignerDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List external signers",
        examples: "\
Examples:
  portcullis ext-jwt-signer list
  portcullis ext-jwt-signer list --public            # what clients can see before logging in
  portcullis ext-jwt-signer list --filter 'enabled = true' --sort name --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an external signer",
        examples: "\
Examples:
  portcullis ext-jwt-signer show okta
  portcullis ext-jwt-signer show okta --output json | jq -r .jwksEndpoint",
    };
    const REFERENCE: Positional = Positional {
        id: "signer",
        value_name: "SIGNER",
        help: "Id or name of the signer",
    };
}

impl Deletable for ExternalJwtSignerDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete unused external signers",
        examples: "\
JWTs of a deleted signer are no longer accepted, and the sessions that they opened end. Signers that
a policy uses cannot be deleted. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis ext-jwt-signer delete okta
  portcullis ext-jwt-signer delete --filter 'enabled = false' --dry-run",
    };
}

impl UsualVerbs for ExternalJwtSignerDetail {
    type Create = create::CreateArgs;
    type List = list::ListArgs;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = ExtJwtSignerOtherCommand;
}

/// Further subcommands for external signers.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtJwtSignerOtherCommand {
    #[command(display_order = 51)]
    NetworkJwt(network_jwt::NetworkJwtArgs),
}

delegate_verbs!(ExtJwtSignerOtherCommand: NetworkJwt);
