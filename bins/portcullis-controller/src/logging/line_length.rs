//! How long a line of the log may get: what clients send must not fill disks.

use serde_json::Value;
use std::borrow::Cow;

/// Bytes of a line, without the line break.
pub(super) const LIMIT: usize = 8 * 1024;
/// Put in the place of what is cut off.
const MARK: &str = "…";

/// A line of text that is no longer than [`LIMIT`].
pub(super) fn text(line: &str) -> Cow<'_, str> {
    cut(line, LIMIT)
}

/// A line that holds one JSON document and is no longer than [`LIMIT`]: its texts are cut, so that it
/// still is one.
pub(super) fn document(line: &str) -> Cow<'_, str> {
    if line.len() <= LIMIT {
        return Cow::Borrowed(line);
    }
    let Ok(mut document) = serde_json::from_str::<Value>(line) else {
        return text(line);
    };
    for bound in [LIMIT / 4, LIMIT / 16, LIMIT / 64] {
        shorten(&mut document, bound);
        let line = document.to_string();
        if line.len() <= LIMIT {
            return Cow::Owned(line);
        }
    }
    // It has too many members for all of them to be kept.
    if let Value::Object(members) = &mut document {
        members.retain(|name, _| ["timestamp", "level", "target", "message"].contains(&&**name));
    }
    Cow::Owned(document.to_string())
}

fn shorten(value: &mut Value, bound: usize) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shorter) = cut(text, bound) {
                *text = shorter;
            }
        },
        Value::Array(values) => values.iter_mut().for_each(|value| shorten(value, bound)),
        Value::Object(members) => members.values_mut().for_each(|value| shorten(value, bound)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {},
    }
}

fn cut(text: &str, bound: usize) -> Cow<'_, str> {
    if text.len() <= bound {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(bound.saturating_sub(MARK.len()));
    let kept = text.get(..end).unwrap_or_default();
    Cow::Owned(format!("{kept}{MARK}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_lines_are_cut_and_stay_what_they_are() {
        for filling in ["x", "é", "\\\"", "\u{1}"] {
            let long = filling.repeat(LIMIT);
            assert!(text(&long).len() <= LIMIT);
            let whole = json!({"level": "INFO", "name": long, "list": [long, {"in": long}]});
            let line = whole.to_string();
            let cut = document(&line);
            assert!(cut.len() <= LIMIT, "{}", cut.len());
            let cut: Value = serde_json::from_str(&cut).unwrap();
            assert_eq!(cut["level"], "INFO");
            assert!(cut["name"].as_str().unwrap().ends_with(MARK));
        }
        let short = json!({"level": "INFO"}).to_string();
        assert_eq!(document(&short), short);
    }

    #[test]
    fn too_many_members_leave_the_message() {
        let mut members = serde_json::Map::new();
        for number in 0..LIMIT {
            members.insert(number.to_string(), json!(number));
        }
        members.insert("message".to_owned(), json!("said"));
        let line = Value::Object(members).to_string();
        assert_eq!(document(&line), r#"{"message":"said"}"#);
    }
}
