//! Output of API responses.

use crate::error::CliError;
use crate::output::{self, Format, Output};
use portcullis_client::Reply;

/// Prints a response: JSON in the output format, anything else unchanged. Control characters are
/// escaped on a terminal.
pub(super) fn print_response(output: Output, reply: &Reply) -> Result<(), CliError> {
    match (output.format(), parse_json(reply)) {
        // Parsed as JSON, so it is UTF-8.
        (Format::Json, Some(_)) => output::write_json(&String::from_utf8_lossy(&reply.body)),
        (_, Some(document)) => output.write_document(&document),
        (_, None) => output::write_untrusted(&reply.body),
    }
}

/// The response if it is JSON, preserving the order of members.
fn parse_json(reply: &Reply) -> Option<serde_yaml::Value> {
    let content_type = reply.headers.get("content-type")?.to_str().ok()?;
    if content_type.starts_with("application/json") {
        serde_json::from_slice(&reply.body).ok()
    } else {
        None
    }
}
