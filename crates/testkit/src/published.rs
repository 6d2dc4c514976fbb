//! Validation of responses against the published API descriptions.
//!
//! The descriptions are not part of the repository: they are in a folder `shared/spec` beside it;
//! without it, nothing is validated. Where descriptions and recorded exchanges disagree, the
//! recordings win; [`EXCEPTIONS`] lists those places with the reason for each.

mod document;
mod exceptions;
mod expected;
mod json_schema;
#[cfg(test)]
mod tests;

pub use exceptions::{
    AllowedViolation, EXCEPTIONS, Exception, ExceptionBody, ExceptionScope, exceptions,
};

use crate::reply::Reply;
use document::{Document, published_document};
use expected::{Expected, expected};
use http::{Method, Uri, header};
use parking_lot::Mutex;
use portcullis_http::path::{self, Api};
use portcullis_http::route::{RouteLookup, RouteTable};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;

/// File names of the published documents in that folder.
pub const DOCUMENTS: [(Api, &str); 2] = [
    (Api::Client, "client.yml"),
    (Api::Management, "management.yml"),
];

/// Environment variable for the file that collects the exceptions used by this process, one per line.
const USED_FILE: &str = "PORTCULLIS_PUBLISHED_USED";

/// Validates a response against the description of its operation.
///
/// # Panics
///
/// If the response does not match the description, and no exception allows it.
pub(crate) fn check(table: &RouteTable, method: &Method, uri: &Uri, reply: &Reply) {
    let target = path::resolve(uri.path(), |api| table.serves(api));
    let Some(document) = published_document(target.api) else {
        return;
    };
    // A path without a route for the method, or without any, has no operation.
    let RouteLookup::Found(route, _) = table.find(target.api, &target.path, method) else {
        return;
    };
    if *method == Method::HEAD {
        return;
    }
    let operation = format!("{method} {}", route.path);
    let faults = find_violations(document, &operation, reply);
    assert!(
        faults.is_empty(),
        "{operation} of {}: response {} does not match the published description:\n  {}\n{}",
        target.api.binding(),
        reply.status,
        faults.join("\n  "),
        reply.text().chars().take(2000).collect::<String>(),
    );
}

/// The violations in a response.
fn find_violations(document: &Document, operation: &str, reply: &Reply) -> Vec<String> {
    match expected(document, operation, reply.status.as_u16()) {
        Expected::Definition(name) => body_violations(document, &name, reply),
        Expected::MediaTypes(types) => media_type_violations(&types, reply),
        Expected::Empty if reply.body.is_empty() => Vec::new(),
        Expected::Empty => vec!["unexpected body".to_owned()],
        Expected::Any => Vec::new(),
        Expected::Undescribed(what) => vec![what],
    }
}

/// The violations in a JSON body against a definition.
fn body_violations(document: &Document, name: &str, reply: &Reply) -> Vec<String> {
    let encoding = reply.headers.get(header::CONTENT_ENCODING);
    if encoding.is_some() {
        // Other tests compare it with the unencoded response.
        return Vec::new();
    }
    let faults = media_type_violations(&["application/json".to_owned()], reply);
    if !faults.is_empty() {
        return faults;
    }
    let body = match serde_json::from_slice(&reply.body) {
        // Maps may be null, whole bodies may not.
        Ok(Value::Null) => return vec!["the body is null".to_owned()],
        Ok(body) => body,
        Err(error) => return vec![format!("the body is not JSON: {error}")],
    };
    let validator = document.validator(name);
    let complaints = validator.iter_errors(&body).filter_map(|error| {
        let allowed = exceptions()
            .iter()
            .position(|exception| exception.allows(&error));
        if let Some(index) = allowed {
            record_use(index);
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

fn media_type_violations(types: &[String], reply: &Reply) -> Vec<String> {
    let content_type = reply.headers.get(header::CONTENT_TYPE);
    let content_type = content_type.map_or("", |value| value.to_str().unwrap());
    let media_type = |text: &str| text.split(';').next().unwrap_or_default().trim().to_owned();
    let is_one = |known: &String| media_type(known) == media_type(content_type);
    if types.iter().any(is_one) {
        return Vec::new();
    }
    vec![format!(
        "the content type is {content_type:?}, not {}",
        types.join(" or ")
    )]
}

/// Records that a response needed an exception.
fn record_use(index: usize) {
    static USED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let Some(file) = std::env::var_os(USED_FILE) else {
        return;
    };
    let mut used = USED.lock();
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
