//! How many of several role attributes are needed, as an argument.

use clap::ValueEnum;
use portcullis_client::RoleSemantic;
use portcullis_domain::roles;

/// How many of several role attributes are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantic {
    /// Each of them
    #[value(alias = "allof")]
    AllOf,
    /// At least one of them
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
