//! Commands of the policies that select both of their sides: which identities may use which services,
//! and through which routers.

mod create;
mod edge_router;
mod roles;
mod service;
mod service_edge_router;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::entity::Entity;
use crate::error::CliError;
use clap::{Args, Subcommand};
use portcullis_client::Client;
use portcullis_domain::roles::Semantic;
use std::fmt;

/// A kind of policies.
pub(crate) trait Policy: Entity {
    /// Shown below the help of its command.
    const EXAMPLES: &'static str;
    /// Shown below the help of `create`.
    const CREATE: &'static str;
    /// Shown below the help of `list`.
    const LISTING: &'static str;
    /// Shown below the help of `show`.
    const SHOW: &'static str;
    /// Shown below the help of `update`.
    const UPDATE: &'static str;
    /// Shown below the help of `delete`.
    const DELETE: &'static str;

    /// What a new policy needs beside name and semantic.
    type New: Args + fmt::Debug;
    /// What of a policy can be changed beside these.
    type Changes: Args + fmt::Debug + Default + PartialEq;

    /// A new policy.
    async fn body(
        client: &Client,
        name: String,
        semantic: Semantic,
        new: &Self::New,
    ) -> Result<Self::Create, CliError>;

    /// A change of a policy.
    async fn change(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &Self::Changes,
    ) -> Result<Self::Merge, CliError>;
}

/// What to do with policies of a kind.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand<P: Policy> {
    /// Create a policy
    #[command(after_long_help = P::CREATE)]
    Create(create::CreateArgs<P>),
    /// List policies
    #[command(visible_alias = "ls", after_long_help = P::LISTING)]
    List(PageArgs),
    /// Show a policy
    #[command(after_long_help = P::SHOW)]
    Show(NamedArgs),
    /// Change a policy
    #[command(after_long_help = P::UPDATE)]
    Update(update::UpdateArgs<P>),
    /// Delete policies
    #[command(visible_alias = "rm", after_long_help = P::DELETE)]
    Delete(NamedDeletionArgs),
}

impl<P: Policy> PolicyCommand<P> {
    /// Refuses arguments that make no sense together.
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
