//! Identities as JSON lines.

use super::mistake::{Mistake, suggestion};
use super::row::Row;
use crate::commands::identity::identity_type::{IdentityType, TYPE_TAG};
use clap::ValueEnum as _;
use serde_json::{Map, Value, json};

/// Members of the API.
const MEMBERS: [&str; 14] = [
    "name",
    "type",
    "isAdmin",
    "roleAttributes",
    "tags",
    "authPolicyId",
    "externalId",
    "enrollment",
    "appData",
    "permissions",
    "defaultHostingCost",
    "defaultHostingPrecedence",
    "serviceHostingCosts",
    "serviceHostingPrecedences",
];

/// Reads all rows, and the mistakes of those that are not right.
pub(super) fn read(text: &str) -> (Vec<Row>, Vec<Mistake>) {
    let (mut rows, mut mistakes) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        match read_row(line, text) {
            Ok(row) => rows.push(row),
            Err(found) => mistakes.extend(found),
        }
    }
    (rows, mistakes)
}

fn read_row(line: u64, text: &str) -> Result<Row, Vec<Mistake>> {
    let mut body = match serde_json::from_str(text) {
        Ok(Value::Object(body)) => body,
        Ok(_) => {
            let message = "a JSON object is needed, such as {\"name\":\"laptop\"}";
            return Err(vec![Mistake::in_line(line, message)]);
        },
        Err(error) => {
            let message = if error.is_eof() {
                "the JSON object ends early; each has to be on one line".to_owned()
            } else {
                format!("unexpected JSON at column {}", error.column())
            };
            return Err(vec![Mistake::in_line(line, message)]);
        },
    };
    let unknown = body.keys().filter(|key| !MEMBERS.contains(&key.as_str()));
    let mut mistakes: Vec<_> = unknown
        .map(|key| {
            let message = format!("there is no such member{}", suggestion(key, &MEMBERS));
            Mistake::in_field(line, key, message)
        })
        .collect();
    if !body.contains_key("name") {
        mistakes.push(Mistake::in_field(line, "name", "is missing"));
    }
    if mistakes.is_empty() {
        fill_in(&mut body);
        Row::judge(line, body, str::to_owned).map_err(|mistake| vec![mistake])
    } else {
        Err(mistakes)
    }
}

/// Adds what `identity create` adds: a one-time token unless something is said, and a type that can be
/// shown.
fn fill_in(body: &mut Map<String, Value>) {
    let kind = body.get("type").and_then(Value::as_str);
    let kind = kind.and_then(|kind| IdentityType::from_str(kind, true).ok());
    if let Some(kind) = kind {
        let tags = body.entry("tags").or_insert_with(|| json!({}));
        if let Some(tags) = tags.as_object_mut() {
            tags.entry(TYPE_TAG).or_insert_with(|| kind.name().into());
        }
    }
    if kind.is_some() || !body.contains_key("type") {
        body.insert("type".to_owned(), "Default".into());
    }
    body.entry("isAdmin").or_insert(Value::Bool(false));
    if !body.contains_key("externalId") {
        body.entry("enrollment")
            .or_insert_with(|| json!({"ott": true}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_those_of_the_api() {
        let (rows, mistakes) = read(
            "{\"name\":\"a\",\"type\":\"Device\"}\r\n\n{\"name\":\"b\",\"enrollment\":{},\"permissions\":[\"identity.read\"]}",
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let bodies: Vec<_> = rows
            .iter()
            .map(|row| Value::Object(row.body.clone()))
            .collect();
        assert_eq!(
            bodies,
            [
                json!({"name": "a", "type": "Default", "isAdmin": false, "tags": {"type": "device"},
                    "enrollment": {"ott": true}}),
                json!({"name": "b", "type": "Default", "isAdmin": false, "enrollment": {},
                    "permissions": ["identity.read"]}),
            ]
        );
        assert_eq!((rows[0].line, rows[1].line), (1, 3));
        assert!(rows[0].has_token() && !rows[1].has_token());
    }

    #[test]
    fn mistakes_name_line_and_member() {
        for (text, field, expected) in [
            ("{\"name\":\"a\"", None, "the JSON object ends early"),
            ("[1]", None, "a JSON object is needed"),
            ("{\"name\":a}", None, "unexpected JSON at column 9"),
            (
                "{\"nam\":\"a\"}",
                Some("nam"),
                "there is no such member; did you mean `name`?",
            ),
            ("{\"name\":\" \"}", Some("name"), ""),
            ("{\"name\":7}", None, ""),
            (
                "{\"name\":\"a\",\"roleAttributes\":[\"@x\"]}",
                Some("roleAttributes"),
                "role attributes",
            ),
            (
                "{\"name\":\"a\",\"type\":\"Router\"}",
                Some("type"),
                "router identities",
            ),
        ] {
            let (_, mistakes) = read(&format!("\n{text}\n"));
            let first = mistakes.first().unwrap();
            assert_eq!(
                (first.line, first.field.as_deref()),
                (2, field),
                "{mistakes:?}"
            );
            assert!(first.message.starts_with(expected), "{mistakes:?}");
        }
    }
}
