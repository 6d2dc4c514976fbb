//! What a recorded OpenZiti controller accepted and refused.
//!
//! The recordings lie beside the workspace; without them there is nothing to compare with.

use crate::support::*;
use portcullis_filter::{Listing, ListingError, Parameters, Schema, Value};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

/// Steps whose recorded answer is a defect that is not repeated; all of these are accepted here, but for
/// the sort by a tag, which is refused as the user's mistake that it is.
const DEFECTS: &[&str] = &["sort by tag", "tag between", "numeric tag as integer"];

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

/// The identity that a step creates, as far as filters see it.
fn created(step: &Json, count: i64) -> Option<Entity> {
    if step["method"] != "POST" || step["path"] != "/identities" {
        return None;
    }
    let body = &step["request"]["body"];
    let id = step["capture"].as_object()?.keys().next()?;
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let attributes = body["roleAttributes"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let attributes: Vec<_> = attributes.iter().filter_map(Json::as_str).collect();
    let entity = Entity::new(&format!("<{id}>"))
        .with("name", text("name"))
        .with("externalId", text("externalId"))
        .with("type", text("type"))
        .with("isAdmin", body["isAdmin"].as_bool())
        .with("createdAt", jiff::Timestamp::from_second(count).unwrap())
        .with_set("roleAttributes", &attributes);
    let tags = body["tags"].as_object().into_iter().flatten();
    Some(tags.fold(entity, |entity, (key, value)| {
        let value = match value {
            Json::String(text) => text.clone().into(),
            Json::Bool(value) => (*value).into(),
            // The recorded controller stores every number as floating point.
            Json::Number(number) => number.as_f64().into(),
            _ => Value::Missing,
        };
        entity.with(&format!("tags.{key}"), value)
    }))
}

/// Compares one answer; yields whether its rows were compared, too.
fn check(step: &Json, rows: &[Entity]) -> bool {
    let name = step["name"].as_str().unwrap();
    if step["method"] != "GET" || DEFECTS.contains(&name) {
        return false;
    }
    let Some((schema, pairs)) = request(step["path"].as_str().unwrap()) else {
        return false;
    };
    let answer = answer(schema, &pairs);
    let body = &step["response"]["body"];
    match body["error"]["code"].as_str() {
        Some("INVALID_FILTER") => {
            assert!(
                matches!(answer, Err(ListingError::Filter(_))),
                "{name}: {answer:?}"
            );
            return false;
        },
        Some("INVALID_SORT_IDENTIFIER") => {
            assert!(
                matches!(answer, Err(ListingError::Sort(_))),
                "{name}: {answer:?}"
            );
            return false;
        },
        // Refused for a parameter that is not of this crate.
        Some(_) => return false,
        None => {},
    }
    let listing = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
    let recorded = &body["meta"]["pagination"];
    assert_eq!(recorded["limit"], listing.page.limit.on_wire(), "{name}");
    assert_eq!(recorded["offset"], listing.page.offset.on_wire(), "{name}");

    // Only rows of the recording itself are known, and roles are selected elsewhere.
    let own = first(&pairs, "filter").is_some_and(|filter| filter.contains("g<run>-"));
    if !std::ptr::eq(schema, &raw const IDENTITIES) || !own || first(&pairs, "roleFilter").is_some()
    {
        return false;
    }
    let found = listing.select(rows);
    let names: Vec<_> = found.rows.iter().map(|row| row.get("name")).collect();
    let expected: Vec<_> = body["data"].as_array().unwrap().iter().collect();
    let expected: Vec<Value<'_>> = expected
        .iter()
        .map(|identity| identity["name"].as_str().into())
        .collect();
    assert_eq!(names, expected, "{name}");
    assert_eq!(recorded["totalCount"], found.total, "{name}");
    true
}

#[test]
fn recorded_lists_are_accepted_and_refused_alike() {
    for (name, least) in [("query-language.json", 15), ("identities-list.json", 20)] {
        let Some(recording) = recording(name) else {
            continue;
        };
        let steps = recording["steps"].as_array().unwrap();
        let rows: Vec<_> = (0..)
            .zip(steps)
            .filter_map(|(n, step)| created(step, n))
            .collect();
        let compared = steps.iter().filter(|step| check(step, &rows)).count();
        assert!(
            compared >= least,
            "{name}: only {compared} answers were compared"
        );
    }
}
