//! What an operation is to answer with a status.

use super::document::{Document, referred};
use super::exceptions::{Answered, Place};
use super::{exceptions, used};

/// What an answer is to be.
pub(super) enum Expected {
    /// JSON of the shape that a definition has.
    Shape(String),
    /// Something of one of these types, of which nothing more is said.
    Media(Vec<String>),
    /// Without a body.
    Nothing,
    /// Whatever it is.
    Anything,
    /// There is to be no such answer; this says why.
    Undescribed(String),
}

/// What an operation is to answer with a status, exceptions included.
pub(super) fn expected(document: &Document, operation: &str, status: u16) -> Expected {
    if let Some(expected) = excepted(operation, Some(status)) {
        return expected;
    }
    let Some(described) = document.operation(operation) else {
        let what = "the operation is not described";
        return excepted(operation, None).unwrap_or(Expected::Undescribed(what.to_owned()));
    };
    let Some(response) = described["responses"].get(status.to_string()) else {
        let what = "the status is not described";
        return excepted("*", Some(status)).unwrap_or(Expected::Undescribed(what.to_owned()));
    };
    match response.get("schema").and_then(referred) {
        Some(name) => Expected::Shape(name.to_owned()),
        None => Expected::Media(document.produces(described)),
    }
}

fn excepted(operation: &str, status: Option<u16>) -> Option<Expected> {
    let (index, answered) = exceptions()
        .iter()
        .enumerate()
        .find_map(|(index, exception)| match exception.place {
            Place::Answer {
                operation: its,
                status: of,
                answered,
            } if its == operation && of == status => Some((index, answered)),
            _ => None,
        })?;
    used(index);
    Some(match answered {
        Answered::As(name) => Expected::Shape(name.to_owned()),
        Answered::Nothing => Expected::Nothing,
        Answered::Anything => Expected::Anything,
    })
}
