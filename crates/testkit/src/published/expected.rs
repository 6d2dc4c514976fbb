//! Expected responses of operations by status.

use super::document::{Document, referenced_name};
use super::exceptions::{ExceptionBody, ExceptionScope};
use super::{exceptions, record_use};

/// The expected body of a response.
pub(super) enum Expected {
    /// JSON that matches a definition.
    Definition(String),
    /// One of these media types, without further requirements.
    MediaTypes(Vec<String>),
    Empty,
    Any,
    /// There should be no such response, for this reason.
    Undescribed(String),
}

/// The expected body for an operation and status, including exceptions.
pub(super) fn expected(document: &Document, operation: &str, status: u16) -> Expected {
    if let Some(expected) = find_exception(operation, Some(status)) {
        return expected;
    }
    let Some(described) = document.operation(operation) else {
        let what = "the operation is not described";
        return find_exception(operation, None).unwrap_or(Expected::Undescribed(what.to_owned()));
    };
    let Some(response) = described["responses"].get(status.to_string()) else {
        let what = "the status is not described";
        return find_exception("*", Some(status)).unwrap_or(Expected::Undescribed(what.to_owned()));
    };
    match response.get("schema").and_then(referenced_name) {
        Some(name) => Expected::Definition(name.to_owned()),
        None => Expected::MediaTypes(document.produces(described)),
    }
}

fn find_exception(operation: &str, status: Option<u16>) -> Option<Expected> {
    let (index, answered) = exceptions()
        .iter()
        .enumerate()
        .find_map(|(index, exception)| match exception.place {
            ExceptionScope::Response {
                operation: its,
                status: of,
                body: answered,
            } if its == operation && of == status => Some((index, answered)),
            _ => None,
        })?;
    record_use(index);
    Some(match answered {
        ExceptionBody::Definition(name) => Expected::Definition(name.to_owned()),
        ExceptionBody::Empty => Expected::Empty,
        ExceptionBody::Any => Expected::Any,
    })
}
