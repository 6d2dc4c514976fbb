//! `portcullis authenticator`.

mod create;
mod request_extend;
mod reset;
mod show;
pub(crate) mod update;

use crate::commands::entity_command::{
    Deletable, EntityCommand, ListArgs, Noun, Positional, ShowArgs, UsualVerbs, VerbHelp,
};
use crate::commands::identity_filter::{IdentityFilterArgs, OwnedDeleteArgs};
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::authenticator::AuthenticatorDetail;

/// Help footer of `authenticator`.
pub(crate) const EXAMPLES: &str = "\
An authenticator is a credential of an identity: a certificate, or a username and password.

Examples:
  portcullis authenticator list --identity laptop
  portcullis authenticator show v1kz.YB3Rs
  portcullis authenticator reset v1kz.YB3Rs --output-jwt laptop.jwt";

pub(crate) type AuthenticatorCommand = EntityCommand<AuthenticatorDetail>;

impl Noun for AuthenticatorDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List authenticators",
        examples: "\
Examples:
  portcullis authenticator list
  portcullis authenticator list --identity laptop
  portcullis authenticator list --filter 'method = \"updb\"' --sort 'createdAt desc' --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an authenticator",
        examples: "\
Examples:
  portcullis authenticator show v1kz.YB3Rs
  portcullis authenticator show v1kz.YB3Rs --output json | jq -r .certPem > laptop.crt",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the authenticator, as shown by `authenticator list`",
    };
}

impl Deletable for AuthenticatorDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete authenticators",
        examples: "\
Logins with a deleted authenticator fail, and the sessions that it opened end at once. Deleting
several, or with --filter or --identity, asks for confirmation unless --yes is given.

Examples:
  portcullis authenticator delete v1kz.YB3Rs
  portcullis authenticator delete --identity laptop --yes
  portcullis authenticator delete --filter 'method = \"updb\"' --dry-run",
    };
}

impl UsualVerbs for AuthenticatorDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self, IdentityFilterArgs>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = OwnedDeleteArgs<Self>;
    type Other = AuthenticatorOtherCommand;
}

/// Further subcommands for authenticators.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthenticatorOtherCommand {
    #[command(display_order = 51)]
    Reset(reset::ResetArgs),
    #[command(display_order = 52)]
    RequestExtend(request_extend::RequestExtendArgs),
}

delegate_verbs!(AuthenticatorOtherCommand: Reset, RequestExtend);
