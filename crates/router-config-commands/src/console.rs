//! The program around the commands.

use crate::failure::Failure;
use portcullis_router_config::{Finding, LoadedConfig};
use serde_json::Value;
use std::path::Path;

/// What documents are written as, unless a command is told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// For people.
    Text,
    Json,
    Yaml,
}

/// How a program shows what its commands find.
pub trait Console {
    /// What ends the program.
    type Error: From<Failure>;

    /// The words before `check` and the others, such as `portcullis router-config`.
    fn command(&self) -> &'static str;

    fn format(&self) -> DocumentFormat;

    /// Columns for results; `None` if there is no limit.
    fn stdout_columns(&self) -> Option<usize>;

    /// Columns for messages; `None` if there is no limit.
    fn stderr_columns(&self) -> Option<usize>;

    /// What the program finds in a file beside what is said of every file, for the check.
    fn own_findings(&self, _loaded: &LoadedConfig) -> Vec<Finding> {
        Vec::new()
    }

    /// Writes a result to standard output.
    fn write(&self, text: &str) -> Result<(), Self::Error>;

    /// Whether an error of [`write`](Self::write) says that nobody reads the output any more.
    fn is_closed(error: &Self::Error) -> bool;

    /// Writes a document in the program's format; as JSON if that is text.
    fn write_document(&self, document: &Value) -> Result<(), Self::Error>;

    /// Writes a document as JSON.
    fn write_json(&self, document: &Value) -> Result<(), Self::Error>;

    /// Writes rendered text to standard error.
    fn write_stderr(&self, text: &str);

    /// Writes a file that everybody may read, and says so. One that exists is an error unless it is to be
    /// replaced.
    fn write_file(&self, path: &Path, replace: bool, text: &str) -> Result<(), Self::Error>;
}
