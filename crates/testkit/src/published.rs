//! Answers, held against the published descriptions of the APIs.
//!
//! The descriptions are no part of the repository: they lie in a folder `shared/spec` beside it, and
//! where that is missing nothing is held against anything. Where descriptions and recorded exchanges
//! disagree, the recordings decide; [`EXCEPTIONS`] lists those places with the reason for each.

mod adapted;
mod answers;
mod document;
mod exceptions;
#[cfg(test)]
mod tests;

pub use exceptions::{Answered, EXCEPTIONS, Exception, Lets, Place, exceptions};

use crate::reply::Reply;
use answers::{Expected, expected};
use document::{Document, described};
use http::{Method, Uri, header};
use portcullis_http::path::{self, Api};
use portcullis_http::route::{Lookup, Table};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// The published documents, by their names in that folder.
pub const DOCUMENTS: [(Api, &str); 2] = [
    (Api::Client, "client.yml"),
    (Api::Management, "management.yml"),
];

/// Names the file that gets the exceptions that answers of this process made use of, one a line.
const USED_FILE: &str = "PORTCULLIS_PUBLISHED_USED";

/// Holds an answer against the description of its operation.
///
/// # Panics
///
/// If the answer is not as the description says, and no exception allows it.
pub(crate) fn hold(table: &Table, method: &Method, uri: &Uri, reply: &Reply) {
    let target = path::resolve(uri.path(), |api| table.serves(api));
    let Some(document) = described(target.api) else {
        return;
    };
    // What is found by its path but not by its method, or not at all, has no operation of its own.
    let Lookup::Found(route, _) = table.lookup(target.api, &target.path, method) else {
        return;
    };
    if *method == Method::HEAD {
        return;
    }
    let operation = format!("{method} {}", route.path);
    let faults = faults(document, &operation, reply);
    assert!(
        faults.is_empty(),
        "{operation} of {} answers {} otherwise than published:\n  {}\n{}",
        target.api.binding(),
        reply.status,
        faults.join("\n  "),
        reply.text().chars().take(2000).collect::<String>(),
    );
}

/// What is wrong with an answer.
fn faults(document: &Document, operation: &str, reply: &Reply) -> Vec<String> {
    match expected(document, operation, reply.status.as_u16()) {
        Expected::Shape(name) => faults_of_body(document, &name, reply),
        Expected::Media(types) => faults_of_media(&types, reply),
        Expected::Nothing if reply.body.is_empty() => Vec::new(),
        Expected::Nothing => vec!["there is to be no body".to_owned()],
        Expected::Anything => Vec::new(),
        Expected::Undescribed(what) => vec![what],
    }
}

/// What is wrong with a JSON body that is to have the shape of a definition.
fn faults_of_body(document: &Document, name: &str, reply: &Reply) -> Vec<String> {
    let encoding = reply.headers.get(header::CONTENT_ENCODING);
    if encoding.is_some() {
        // Other tests hold it against the same answer without.
        return Vec::new();
    }
    let faults = faults_of_media(&["application/json".to_owned()], reply);
    if !faults.is_empty() {
        return faults;
    }
    let body = match serde_json::from_slice(&reply.body) {
        // Maps may be null, whole answers may not.
        Ok(Value::Null) => return vec!["the body is null".to_owned()],
        Ok(body) => body,
        Err(error) => return vec![format!("the body is no JSON: {error}")],
    };
    let validator = document.validator(name);
    let complaints = validator.iter_errors(&body).filter_map(|error| {
        let allowed = exceptions()
            .iter()
            .position(|exception| exception.allows(&error));
        if let Some(index) = allowed {
            used(index);
            return None;
        }
        let place = error.instance_path();
        Some(format!(
            "{place}: {error} [{name}: {}]",
            error.schema_path()
        ))
    });
    complaints.collect()
}

fn faults_of_media(types: &[String], reply: &Reply) -> Vec<String> {
    let content_type = reply.headers.get(header::CONTENT_TYPE);
    let content_type = content_type.map_or("", |value| value.to_str().unwrap());
    let media_type = |text: &str| text.split(';').next().unwrap_or_default().trim().to_owned();
    let is_one = |known: &String| media_type(known) == media_type(content_type);
    if types.iter().any(is_one) {
        return Vec::new();
    }
    vec![format!(
        "its type is {content_type:?}, and not {}",
        types.join(" or ")
    )]
}

/// Takes down that an answer needed an exception.
fn used(index: usize) {
    static USED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let Some(file) = std::env::var_os(USED_FILE) else {
        return;
    };
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    if used.insert(index) {
        let exception = &exceptions()[index];
        let mut file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(file)
            .unwrap();
        writeln!(file, "{exception}").unwrap();
    }
}
