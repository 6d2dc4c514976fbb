//! `--semantic`.

use clap::ValueEnum;
use portcullis_client::RoleSemantic;
use portcullis_domain::roles;

/// Whether all or any of several values must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantic {
    /// All of them
    #[value(alias = "allof")]
    AllOf,
    /// Any of them
    #[value(alias = "anyof")]
    AnyOf,
}

impl From<Semantic> for RoleSemantic {
    fn from(semantic: Semantic) -> Self {
        match semantic {
            Semantic::AllOf => Self::AllOf,
            Semantic::AnyOf => Self::AnyOf,
        }
    }
}

impl From<Semantic> for roles::Semantic {
    fn from(semantic: Semantic) -> Self {
        match semantic {
            Semantic::AllOf => Self::AllOf,
            Semantic::AnyOf => Self::AnyOf,
        }
    }
}
