//! Length limit of log lines, so that client input cannot fill disks.

use serde_json::Value;
use std::borrow::Cow;

/// Maximum bytes of a line, without the line break.
pub(super) const MAX_LINE_LEN: usize = 8 * 1024;
/// Replaces truncated text.
const ELLIPSIS: &str = "…";

/// Truncates a line of text to [`MAX_LINE_LEN`].
pub(super) fn truncate_text(line: &str) -> Cow<'_, str> {
    truncate(line, MAX_LINE_LEN)
}

/// Truncates the strings in a line with a JSON document to fit [`MAX_LINE_LEN`], so that it remains
/// valid JSON.
pub(super) fn truncate_json(line: &str) -> Cow<'_, str> {
    if line.len() <= MAX_LINE_LEN {
        return Cow::Borrowed(line);
    }
    let Ok(mut document) = serde_json::from_str::<Value>(line) else {
        return truncate_text(line);
    };
    for bound in [MAX_LINE_LEN / 4, MAX_LINE_LEN / 16, MAX_LINE_LEN / 64] {
        shorten(&mut document, bound);
        let line = document.to_string();
        if line.len() <= MAX_LINE_LEN {
            return Cow::Owned(line);
        }
    }
    // There are too many members to keep all of them.
    if let Value::Object(members) = &mut document {
        members.retain(|name, _| ["timestamp", "level", "target", "message"].contains(&&**name));
    }
    Cow::Owned(document.to_string())
}

fn shorten(value: &mut Value, bound: usize) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shorter) = truncate(text, bound) {
                *text = shorter;
            }
        },
        Value::Array(values) => values.iter_mut().for_each(|value| shorten(value, bound)),
        Value::Object(members) => members.values_mut().for_each(|value| shorten(value, bound)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {},
    }
}

fn truncate(text: &str, bound: usize) -> Cow<'_, str> {
    if text.len() <= bound {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(bound.saturating_sub(ELLIPSIS.len()));
    let kept = text.get(..end).unwrap_or_default();
    Cow::Owned(format!("{kept}{ELLIPSIS}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_lines_are_cut_and_stay_what_they_are() {
        for filling in ["x", "é", "\\\"", "\u{1}"] {
            let long = filling.repeat(MAX_LINE_LEN);
            assert!(truncate_text(&long).len() <= MAX_LINE_LEN);
            let whole = json!({"level": "INFO", "name": long, "list": [long, {"in": long}]});
            let line = whole.to_string();
            let cut = truncate_json(&line);
            assert!(cut.len() <= MAX_LINE_LEN, "{}", cut.len());
            let cut: Value = serde_json::from_str(&cut).unwrap();
            assert_eq!(cut["level"], "INFO");
            assert!(cut["name"].as_str().unwrap().ends_with(ELLIPSIS));
        }
        let short = json!({"level": "INFO"}).to_string();
        assert_eq!(truncate_json(&short), short);
    }

    #[test]
    fn too_many_members_leave_the_message() {
        let mut members = serde_json::Map::new();
        for number in 0..MAX_LINE_LEN {
            members.insert(number.to_string(), json!(number));
        }
        members.insert("message".to_owned(), json!("said"));
        let line = Value::Object(members).to_string();
        assert_eq!(truncate_json(&line), r#"{"message":"said"}"#);
    }
}
