//! `portcullis identity`.

mod create;
mod disable;
mod identity_type;
mod import;
mod list;
mod mfa_remove;
pub(crate) mod show;
pub(crate) mod state;
mod trace;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, Positional, ShowArgs, UsualVerbs,
    VerbHelp,
};
use crate::commands::role_attributes::RoleAttributesArgs;
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::identity::IdentityDetail;

/// Help footer of `identity`.
pub(crate) const EXAMPLES: &str = "\
Identities are given by name or id. If a text is both the name of one identity and the id of
another, write `id:TEXT` or `name:TEXT`.

Examples:
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis identity list --filter 'name contains \"lap\"'
  portcullis identity show laptop";

pub(crate) type IdentityCommand = EntityCommand<IdentityDetail>;

impl Noun for IdentityDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List identities",
        examples: "\
Examples:
  portcullis identity list --sort 'createdAt desc' --limit 100
  portcullis identity list --type device --all
  portcullis identity list --role sales --role berlin
  portcullis identity list --filter 'name contains \"lap\" and isAdmin = false'
  portcullis identity list --all --output json | jq -r '.[].name'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an identity",
        examples: "\
Examples:
  portcullis identity show laptop
  portcullis identity show laptop --output json | jq -r .enrollment.ott.jwt",
    };
    const REFERENCE: Positional = Positional {
        id: "identity",
        value_name: "IDENTITY",
        help: "Id or name of the identity",
    };
}

impl Deletable for IdentityDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete identities and everything that belongs to them",
        examples: "\
The sessions, certificates, passwords and enrollments of an identity are deleted too: its access
ends at once. Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis identity delete laptop
  portcullis identity delete laptop printer --yes
  portcullis identity delete --filter 'name contains \"test-\"' --dry-run
  portcullis identity delete --filter 'name contains \"test-\"'",
    };
}

impl UsualVerbs for IdentityDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self, list::IdentityListFilter>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = IdentityOtherCommand;
}

/// Further subcommands for identities.
#[derive(Debug, Subcommand)]
pub(crate) enum IdentityOtherCommand {
    #[command(display_order = 11)]
    Import(import::ImportArgs),
    #[command(display_order = 21)]
    RoleAttributes(RoleAttributesArgs<IdentityDetail>),
    #[command(display_order = 41)]
    Disable(disable::DisableArgs),
    #[command(display_order = 42)]
    Enable(disable::EnableArgs),
    #[command(display_order = 43)]
    Trace(trace::TraceArgs),
    #[command(display_order = 44)]
    MfaRemove(mfa_remove::MfaRemoveArgs),
}

delegate_verbs!(IdentityOtherCommand: Import, RoleAttributes, Disable, Enable, Trace, MfaRemove);
