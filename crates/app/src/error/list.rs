//! Errors of list parameters.

/// Invalid list parameters. The text marks where the error is.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("{0}")]
    Filter(String),
    #[error("{0}")]
    Sort(String),
    #[error("{0}")]
    Roles(String),
    #[error("{parameter} must be an integer")]
    Number {
        parameter: &'static str,
        value: String,
    },
}
