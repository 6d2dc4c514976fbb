//! Commands of service policies, edge-router policies and service-edge-router policies.

mod create;
mod edge_router;
mod selector_args;
mod service;
mod service_edge_router;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, ShowArgs, UsualVerbs, VerbHelp,
};
use crate::commands::tags::PatchTags;
use crate::entity::Named;
use crate::error::CliError;
use clap::Args;
use portcullis_client::{Client, Creatable, Patchable};
use portcullis_domain::roles::Semantic;
use portcullis_domain::tags::Tags;
use std::convert::Infallible;
use std::fmt;

/// What new policies of all kinds have.
pub(crate) struct PolicyBasics {
    pub(crate) name: String,
    pub(crate) semantic: Semantic,
    pub(crate) tags: Tags,
}

/// A policy kind.
pub(crate) trait Policy:
    Named + Creatable + Patchable<Patch: PatchTags> + fmt::Debug
{
    /// Help footer of its command.
    const EXAMPLES: &'static str;
    /// Help footer of `create`.
    const CREATE_EXAMPLES: &'static str;
    /// Help footer of `list`.
    const LIST_EXAMPLES: &'static str;
    /// Help footer of `show`.
    const SHOW_EXAMPLES: &'static str;
    /// Help footer of `update`.
    const UPDATE_EXAMPLES: &'static str;
    /// Help footer of `delete`.
    const DELETE_EXAMPLES: &'static str;

    /// Arguments of a new policy beside those of all kinds.
    type CreateOptions: Args + fmt::Debug;
    /// Arguments of an update beside those of all kinds.
    type UpdateOptions: Args + fmt::Debug + Default + PartialEq;

    /// Builds the request to create a policy.
    async fn create_body(
        client: &Client,
        basics: PolicyBasics,
        new: &Self::CreateOptions,
    ) -> Result<Self::Create, CliError>;

    /// Builds the request to update a policy.
    async fn patch_body(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &Self::UpdateOptions,
    ) -> Result<Self::Patch, CliError>;
}

/// Subcommands for policies of a kind.
pub(crate) type PolicyCommand<P> = EntityCommand<P>;

impl<P: Policy> Noun for P {
    const LIST: VerbHelp = VerbHelp {
        about: "List policies",
        examples: P::LIST_EXAMPLES,
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a policy",
        examples: P::SHOW_EXAMPLES,
    };
}

impl<P: Policy> Deletable for P {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete policies",
        examples: P::DELETE_EXAMPLES,
    };
}

impl<P: Policy> UsualVerbs for P {
    type Create = create::CreateArgs<P>;
    type List = ListArgs<P>;
    type Show = ShowArgs<P>;
    type Update = update::UpdateArgs<P>;
    type Delete = DeleteArgs<P>;
    type Other = Infallible;
}
