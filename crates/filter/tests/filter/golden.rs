//! What a recorded OpenZiti controller accepted and refused.
//!
//! The recordings lie beside the workspace; without them there is nothing to compare with.

use crate::support::*;
use portcullis_filter::{Listing, ListingError, Parameters, Schema};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

/// Steps whose recorded answer is a defect that is not repeated; all of these are accepted here, but for
/// the sort by a tag, which is refused as the user's mistake that it is.
const DEFECTS: &[&str] = &["sort by tag", "tag between"];

fn recording(name: &str) -> Option<Json> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("../shared/golden").join(name))
        .find(|path: &PathBuf| path.exists());
    let Some(path) = found else {
        println!("skipped: no recording {name}");
        return None;
    };
    let text = fs::read_to_string(path).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// The kind that a path lists and its parameters, if this crate knows the kind.
fn request(path: &str) -> Option<(&'static Schema, Vec<(String, String)>)> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let schema = match path {
        "/identities" => &IDENTITIES,
        "/services" => &SERVICES,
        "/identity-role-attributes" | "/identity-role-attribute-usage" => &ROLE_ATTRIBUTES,
        _ => return None,
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    Some((
        schema,
        pairs
            .map(|(name, value)| (name.to_owned(), decoded(value)))
            .collect(),
    ))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            },
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}

fn first<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    pairs
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

fn answer(schema: &'static Schema, pairs: &[(String, String)]) -> Result<Listing, ListingError> {
    if std::ptr::eq(schema, &raw const ROLE_ATTRIBUTES) {
        return Listing::from_filter(schema, first(pairs, "filter"));
    }
    let parameters = Parameters {
        filter: first(pairs, "filter"),
        limit: first(pairs, "limit"),
        offset: first(pairs, "offset"),
        sort: first(pairs, "sort"),
    };
    Listing::from_parameters(schema, &parameters)
}

fn check(step: &Json) {
    let name = step["name"].as_str().unwrap();
    if step["method"] != "GET" || DEFECTS.contains(&name) {
        return;
    }
    let Some((schema, pairs)) = request(step["path"].as_str().unwrap()) else {
        return;
    };
    let answer = answer(schema, &pairs);
    let body = &step["response"]["body"];
    match body["error"]["code"].as_str() {
        Some("INVALID_FILTER") => {
            assert!(
                matches!(answer, Err(ListingError::Filter(_))),
                "{name}: {answer:?}"
            );
        },
        Some("INVALID_SORT_IDENTIFIER") => {
            assert!(
                matches!(answer, Err(ListingError::Sort(_))),
                "{name}: {answer:?}"
            );
        },
        // Refused for a parameter that is not of this crate.
        Some(_) => {},
        None => {
            let page = answer
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .page;
            let recorded = &body["meta"]["pagination"];
            assert_eq!(recorded["limit"], page.limit.on_wire(), "{name}");
            assert_eq!(recorded["offset"], page.offset.on_wire(), "{name}");
        },
    }
}

#[test]
fn recorded_lists_are_accepted_and_refused_alike() {
    for (name, least) in [("query-language.json", 30), ("identities-list.json", 40)] {
        let Some(recording) = recording(name) else {
            continue;
        };
        let steps = recording["steps"].as_array().unwrap();
        assert!(steps.len() > least, "{name} has only {} steps", steps.len());
        steps.iter().for_each(check);
    }
}
