//! `portcullis fabric`.

mod circuit;
mod doctor;
mod inspect;
mod link;
mod roster;
mod router;
mod terminator;
mod top;

use crate::commands::entity_command::{Deletable, DeleteArgs, ShowArgs};
use crate::commands::verb::{Verb, delegate_verbs};
use crate::commands::watch::WatchedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;
use portcullis_api::fabric::circuit::CircuitDetail;
use portcullis_api::fabric::router::RouterDetail;
use portcullis_api::fabric::terminator::TerminatorDetail;

/// Help footer of `fabric`.
pub(crate) const EXAMPLES: &str = "\
Connected routers make links between each other. A circuit leads from a client over routers and
links to a terminator of a service.

Examples:
  portcullis fabric router list
  portcullis fabric link list --watch
  portcullis fabric top
  portcullis fabric doctor                          # do routers and controller agree?
  portcullis fabric circuit show 5kHj2mPqRs7tUvWxYz0aBc";

/// Subcommands for the network at the moment.
#[derive(Debug, Subcommand)]
pub(crate) enum FabricCommand {
    /// See which routers are connected
    #[command(subcommand, alias = "routers", after_long_help = router::EXAMPLES)]
    Router(LiveCommand<RouterDetail>),
    /// See and change the links between routers
    #[command(subcommand, alias = "links", after_long_help = link::EXAMPLES)]
    Link(link::LinkCommand),
    /// See and end circuits
    #[command(subcommand, alias = "circuits", after_long_help = circuit::EXAMPLES)]
    Circuit(LiveCommand<CircuitDetail>),
    /// See the terminators of services with their costs
    #[command(subcommand, alias = "terminators", after_long_help = terminator::EXAMPLES)]
    Terminator(LiveCommand<TerminatorDetail>),
    Inspect(inspect::InspectArgs),
    Doctor(doctor::DoctorArgs),
    Top(top::TopArgs),
}

delegate_verbs!(FabricCommand: Router, Link, Circuit, Terminator, Inspect, Doctor, Top);

/// Subcommands for what changes by itself.
#[derive(Debug, Subcommand)]
pub(crate) enum LiveCommand<E: Deletable> {
    #[command(display_order = 20, visible_alias = "ls")]
    List(WatchedListArgs<E>),
    #[command(display_order = 30, alias = "get")]
    Show(ShowArgs<E>),
    #[command(display_order = 50, visible_alias = "rm")]
    Delete(DeleteArgs<E>),
}

impl<E: Deletable> Verb for LiveCommand<E> {
    fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::List(verb) => verb.check(output),
            Self::Show(verb) => verb.check(output),
            Self::Delete(verb) => verb.check(output),
        }
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        match self {
            Self::List(verb) => verb.run(context, session).await,
            Self::Show(verb) => verb.run(context, session).await,
            Self::Delete(verb) => verb.run(context, session).await,
        }
    }
}
