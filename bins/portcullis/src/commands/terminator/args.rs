//! Settings of terminators, as arguments.

use clap::{Args, ValueEnum};
use portcullis_domain::identity;

/// Settings of a new or existing terminator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(super) struct TerminatorArgs {
    /// Router binding that connects circuits to the service (default for a new terminator:
    /// `edge_transport`)
    #[arg(long, value_name = "NAME")]
    pub(super) binding: Option<String>,

    /// Cost of using the terminator, from 0 to 65535; lower is preferred
    #[arg(
        short = 'c',
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true
    )]
    pub(super) cost: Option<u16>,

    /// Precedence among the terminators of the service
    #[arg(short = 'p', long, value_enum, ignore_case = true)]
    pub(super) precedence: Option<Precedence>,
}

/// Precedence of a terminator.
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
