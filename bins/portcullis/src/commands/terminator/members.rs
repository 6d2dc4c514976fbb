//! What administrators decide about a terminator, as arguments.

use clap::{Args, ValueEnum};
use portcullis_domain::identity;

/// What can be given for every terminator, new or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(super) struct MemberArgs {
    /// Part of the router that connects circuits to the service; `edge_transport` for a new
    /// terminator
    #[arg(long, value_name = "NAME")]
    pub(super) binding: Option<String>,

    /// Cost of using it, from 0 to 65535; a lower cost is preferred
    #[arg(
        short = 'c',
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true
    )]
    pub(super) cost: Option<u16>,

    /// How it is preferred among those of the service
    #[arg(short = 'p', long, value_enum, ignore_case = true)]
    pub(super) precedence: Option<Precedence>,
}

/// How a terminator is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Precedence {
    /// By its cost
    Default,
    /// Before all others
    Required,
    /// After all others
    Failed,
}

impl From<Precedence> for identity::Precedence {
    fn from(precedence: Precedence) -> Self {
        match precedence {
            Precedence::Default => Self::Default,
            Precedence::Required => Self::Required,
            Precedence::Failed => Self::Failed,
        }
    }
}
