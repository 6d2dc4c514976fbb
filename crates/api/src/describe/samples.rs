//! Values to be tried.

use crate::decode::{Asked, Rule, Shape};
use serde_json::{Value, json};

/// Texts that one reader or another takes.
const TEXTS: [&str; 12] = [
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

/// Lists of texts that one reader or another takes.
const LISTS: [&str; 7] = [
    "sample",
    "#all",
    "identity",
    "00:11:22:33:44:55",
    "0123456789abcdef0123456789abcdef01234567",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "1.2.3",
];

/// The value to be tried for a member after `turn` others were refused.
pub(super) fn sample(asked: &Asked, turn: usize) -> Option<Value> {
    match asked.shape? {
        Shape::Text => text(asked, turn),
        Shape::Texts if turn == LISTS.len() => Some(json!([])),
        Shape::Texts => LISTS.get(turn).map(|text| json!([text])),
        Shape::Flag => [true, false].get(turn).map(|flag| json!(flag)),
        Shape::Integer => [1, 0, 60].get(turn).map(|number| json!(number)),
        Shape::Objects => [json!([{}]), json!([])].get(turn).cloned(),
        Shape::Object
        | Shape::Document
        | Shape::Flat
        | Shape::TextMap
        | Shape::IntegerMap
        | Shape::TextsMap => (turn == 0).then(|| json!({})),
    }
}

fn text(asked: &Asked, turn: usize) -> Option<Value> {
    if let Some(words) = super::words(asked) {
        return words.get(turn).map(|word| json!(word));
    }
    let shortest = asked.rules.iter().find_map(|rule| match rule {
        Rule::Length(length) => Some(*length.start()),
        _ => None,
    });
    let text = TEXTS.get(turn)?;
    Some(json!(format!("{text:x<0$}", shortest.unwrap_or_default())))
}
