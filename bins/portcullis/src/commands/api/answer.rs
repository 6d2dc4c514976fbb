//! Printing answers.

use crate::error::CliError;
use crate::output::{self, Format, Output};
use portcullis_client::Reply;

/// Prints an answer: JSON as the form of the output demands, anything else as it is. What others wrote
/// into either does not drive a terminal.
pub(super) fn show(output: Output, reply: &Reply) -> Result<(), CliError> {
    match (output.format(), document(reply)) {
        // It was read as JSON, so it is UTF-8.
        (Format::Json, Some(_)) => output::write_json(&String::from_utf8_lossy(&reply.body)),
        (Format::Yaml | Format::Table, Some(document)) => output.document(&document),
        (_, None) => output::write_foreign(&reply.body),
    }
}

/// The answer if it is JSON, its members in their order.
fn document(reply: &Reply) -> Option<serde_yaml::Value> {
    let content_type = reply.headers.get("content-type")?.to_str().ok()?;
    if content_type.starts_with("application/json") {
        serde_json::from_slice(&reply.body).ok()
    } else {
        None
    }
}
