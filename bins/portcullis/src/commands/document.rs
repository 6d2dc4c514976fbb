//! JSON documents as input.

use crate::error::CliError;
use crate::files;
use portcullis_api::decode::Decode;
use serde_json::Value;
use std::path::Path;

/// Reads a request body from a JSON file, or standard input for `-`. Members other than `known`,
/// given by path, are rejected; members nested deeper are not checked.
pub(crate) fn read_json<D: Decode>(path: &Path, known: &[&str]) -> Result<D, CliError> {
    let text = files::read_text(path)?;
    let document = serde_json::from_str(&text).unwrap_or_default();
    if let Some(member) = find_unknown_member("", &document, known) {
        let path = path.display();
        return Err(CliError::usage(format!("{path}: unknown key `{member}`")));
    }
    parse(path, &text)
}

/// Path of the first member that is not in `known`.
fn find_unknown_member(folder: &str, document: &Value, known: &[&str]) -> Option<String> {
    let members = document.as_object()?;
    members.iter().find_map(|(name, value)| {
        let path = format!("{folder}{name}");
        let folder = format!("{path}.");
        if !known.contains(&path.as_str()) {
            return Some(path);
        }
        if known.iter().any(|other| other.starts_with(&folder)) {
            return find_unknown_member(&folder, value, known);
        }
        None
    })
}

fn parse<D: Decode>(path: &Path, text: &str) -> Result<D, CliError> {
    D::from_body(text.as_bytes()).map_err(|error| {
        CliError::usage(format!("{} is invalid", path.display())).with_source(error)
    })
}
