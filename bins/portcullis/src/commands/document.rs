//! Documents that people write, and change what a command does.

use crate::error::CliError;
use crate::files;
use portcullis_api::decode::Decode;
use serde_json::Value;
use std::path::Path;

/// Reads a JSON file, or the standard input for `-`, in the form of requests. Only the members
/// `known`, by their paths, may stand in it; what lies deeper than these is anybody's.
pub(crate) fn read_known<D: Decode>(path: &Path, known: &[&str]) -> Result<D, CliError> {
    let text = files::read_text(path)?;
    let document = serde_json::from_str(&text).unwrap_or_default();
    if let Some(member) = unknown("", &document, known) {
        let path = path.display();
        return Err(CliError::usage(format!(
            "{path} cannot be used: unknown key `{member}`"
        )));
    }
    parse(path, &text)
}

/// The path of the first member that is not among those known.
fn unknown(folder: &str, document: &Value, known: &[&str]) -> Option<String> {
    let members = document.as_object()?;
    members.iter().find_map(|(name, value)| {
        let path = format!("{folder}{name}");
        let folder = format!("{path}.");
        if !known.contains(&path.as_str()) {
            return Some(path);
        }
        if known.iter().any(|other| other.starts_with(&folder)) {
            return unknown(&folder, value, known);
        }
        None
    })
}

fn parse<D: Decode>(path: &Path, text: &str) -> Result<D, CliError> {
    D::from_body(text.as_bytes()).map_err(|error| {
        CliError::usage(format!("{} cannot be used", path.display())).because(error)
    })
}
