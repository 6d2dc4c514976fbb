//! Sample values for members.

use portcullis_api::decode::{Constraint, FieldAccess, JsonType};
use serde_json::{Value, json};

/// Strings that some decoder accepts.
const SAMPLE_STRINGS: [&str; 12] = [
    "sample",
    "",
    "2031-04-05T06:07:08.009Z",
    "10m",
    "https://example.org/",
    "/sample",
    "00000000-0000-0000-0000-000000000000",
    "00:11:22:33:44:55",
    "0123456789abcdef0123456789abcdef01234567",
    "#all",
    "@sample",
    "1",
];

/// Items of one-item lists that some decoder accepts.
const SAMPLE_LIST_ITEMS: [&str; 7] = [
    "sample",
    "#all",
    "identity",
    "00:11:22:33:44:55",
    "0123456789abcdef0123456789abcdef01234567",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "1.2.3",
];

/// The value to try for a member after `attempt` others were refused.
pub(super) fn sample(access: &FieldAccess, attempt: usize) -> Option<Value> {
    match access.json_type? {
        JsonType::String => text(access, attempt),
        JsonType::StringList if attempt == SAMPLE_LIST_ITEMS.len() => Some(json!([])),
        JsonType::StringList => SAMPLE_LIST_ITEMS.get(attempt).map(|text| json!([text])),
        JsonType::Boolean => [true, false].get(attempt).map(|flag| json!(flag)),
        JsonType::Integer => [1, 0, 60].get(attempt).map(|number| json!(number)),
        JsonType::ObjectList => [json!([{}]), json!([])].get(attempt).cloned(),
        JsonType::Object
        | JsonType::Document
        | JsonType::FlatObject
        | JsonType::StringMap
        | JsonType::IntegerMap
        | JsonType::StringListMap => (attempt == 0).then(|| json!({})),
    }
}

fn text(access: &FieldAccess, attempt: usize) -> Option<Value> {
    if let Some(words) = super::choices(access) {
        return words.get(attempt).map(|word| json!(word));
    }
    let shortest = access.constraints.iter().find_map(|rule| match rule {
        Constraint::Length(length) => Some(*length.start()),
        _ => None,
    });
    let text = SAMPLE_STRINGS.get(attempt)?;
    Some(json!(format!("{text:x<0$}", shortest.unwrap_or_default())))
}
