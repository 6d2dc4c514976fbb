//! Formats of results.

use clap::ValueEnum;

/// What results are written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    #[default]
    #[value(alias = "human")]
    Text,
    /// JSON
    Json,
}
