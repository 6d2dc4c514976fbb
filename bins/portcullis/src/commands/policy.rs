//! Commands of service policies, edge-router policies and service-edge-router policies.

mod create;
mod edge_router;
mod selector_args;
mod service;
mod service_edge_router;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::entity::Named;
use crate::error::CliError;
use clap::{Args, Subcommand};
use portcullis_client::{Client, Creatable, Patchable};
use portcullis_domain::roles::Semantic;
use std::fmt;

/// A policy kind.
pub(crate) trait Policy: Named + Creatable + Patchable {
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

    /// Arguments of a new policy beside name and semantic.
    type CreateOptions: Args + fmt::Debug;
    /// Arguments of an update beside name and semantic.
    type UpdateOptions: Args + fmt::Debug + Default + PartialEq;

    /// Builds the request to create a policy.
    async fn create_body(
        client: &Client,
        name: String,
        semantic: Semantic,
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
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand<P: Policy> {
    /// Create a policy
    #[command(after_long_help = P::CREATE_EXAMPLES)]
    Create(create::CreateArgs<P>),
    /// List policies
    #[command(visible_alias = "ls", after_long_help = P::LIST_EXAMPLES)]
    List(PageArgs),
    /// Show a policy
    #[command(after_long_help = P::SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Update a policy
    #[command(after_long_help = P::UPDATE_EXAMPLES)]
    Update(update::UpdateArgs<P>),
    /// Delete policies
    #[command(visible_alias = "rm", after_long_help = P::DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl<P: Policy> PolicyCommand<P> {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Update(arguments) => arguments.check(),
            Self::Create(_) | Self::List(_) | Self::Show(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run<P: Policy>(
    context: &Context,
    session: &Session,
    command: PolicyCommand<P>,
) -> Result<(), CliError> {
    match command {
        PolicyCommand::Create(arguments) => create::run(context, session, arguments).await,
        PolicyCommand::List(page) => entities::list::<P>(context, session, page).await,
        PolicyCommand::Show(arguments) => entities::show::<P>(context, session, &arguments).await,
        PolicyCommand::Update(arguments) => update::run(context, session, arguments).await,
        PolicyCommand::Delete(arguments) => {
            named_deletion::run::<P>(context, session, &arguments).await
        },
    }
}
