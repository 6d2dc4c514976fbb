//! JSON writer, with the escapes that OpenZiti uses.

use memchr::{memchr, memchr3};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// Initial capacity for a response, in bytes.
const INITIAL_CAPACITY: usize = 2048;

/// Writes `value` as compact JSON with one newline at the end.
///
/// `<`, `>`, `&` and the line separators U+2028 and U+2029 are escaped, so that a response can be
/// embedded in a page or a script unchanged.
///
/// # Panics
///
/// Never for the types of this crate; for others, if serialization fails or a map has keys that are
/// not strings.
///
/// # Examples
///
/// ```
/// let bytes = portcullis_api::json::to_bytes(&["a<b>"]);
/// assert_eq!(bytes, b"[\"a\\u003cb\\u003e\"]\n");
/// ```
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(INITIAL_CAPACITY);
    write(&mut bytes, value);
    bytes.push(b'\n');
    bytes
}

/// Writes `value` as pretty-printed JSON: a line for each member, indented by four spaces, with one
/// newline at the end.
///
/// # Panics
///
/// Like [`to_bytes`].
#[expect(
    clippy::expect_used,
    reason = "a type that cannot be written is a defect, whatever the request was"
)]
pub fn to_pretty_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    let formatter = PrettyFormatter::with_indent(b"    ");
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        .expect("the value can be written as JSON");
    bytes.push(b'\n');
    bytes
}

/// Appends `value` to `bytes` in the same form, but without the newline.
#[expect(
    clippy::expect_used,
    reason = "a type that cannot be written is a defect, whatever the request was"
)]
pub(crate) fn write(bytes: &mut Vec<u8>, value: &impl Serialize) {
    let from = bytes.len();
    value
        .serialize(&mut Serializer::new(&mut *bytes))
        .expect("the value can be written as JSON");
    escape(bytes, from);
}

/// Appends what is JSON already, in the same form.
pub(crate) fn write_raw(bytes: &mut Vec<u8>, json: &str) {
    let from = bytes.len();
    bytes.extend_from_slice(json.as_bytes());
    escape(bytes, from);
}

/// Escapes characters that are special in HTML or JavaScript, in the JSON that begins at `from`.
///
/// They occur in strings only, so all of the JSON can be scanned at once. There is rarely anything to
/// escape.
fn escape(bytes: &mut Vec<u8>, from: usize) {
    let written = bytes.get(from..).unwrap_or_default();
    if memchr3(b'<', b'>', b'&', written).is_none() && memchr(0xE2, written).is_none() {
        return;
    }
    let written = bytes.split_off(from);
    bytes.reserve(written.len());
    let mut rest = written.as_slice();
    while let Some((before, suspect)) = split_at_suspect(rest) {
        bytes.extend_from_slice(before);
        let (instead, after) = find_escape(suspect).unwrap_or_else(|| suspect.split_at(1));
        bytes.extend_from_slice(instead);
        rest = after;
    }
    bytes.extend_from_slice(rest);
}

/// Splits JSON before the first byte that may begin a character to escape. U+2028 and U+2029 share
/// their first byte with many other characters.
fn split_at_suspect(json: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_suspect = |byte: &u8| matches!(byte, b'<' | b'>' | b'&' | 0xE2);
    json.split_at_checked(json.iter().position(is_suspect)?)
}

/// The escape for the character that `text` begins with, if there is one, and what follows it.
const fn find_escape(text: &[u8]) -> Option<(&'static [u8], &[u8])> {
    match text {
        [b'<', after @ ..] => Some((br"\u003c", after)),
        [b'>', after @ ..] => Some((br"\u003e", after)),
        [b'&', after @ ..] => Some((br"\u0026", after)),
        [0xE2, 0x80, 0xA8, after @ ..] => Some((br"\u2028", after)),
        [0xE2, 0x80, 0xA9, after @ ..] => Some((br"\u2029", after)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_survive() {
        for (text, written) in [
            ("plain", r#""plain""#),
            ("<", r#""\u003c""#),
            ("a<b>&c", r#""a\u003cb\u003e\u0026c""#),
            ("quote \" & line\n", r#""quote \" \u0026 line\n""#),
            ("ä<ß\u{2028}", r#""ä\u003cß\u2028""#),
            ("€<\u{2027}\u{2029}€", "\"€\\u003c\u{2027}\\u2029€\""),
            ("", r#""""#),
        ] {
            let bytes = to_bytes(&text);
            assert_eq!(bytes, format!("{written}\n").into_bytes());
            let back: String = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(back, text);
        }
    }

    #[test]
    fn member_names_are_escaped_too() {
        let value = serde_json::json!({"<k>": [1, null]});
        assert_eq!(to_bytes(&value), b"{\"\\u003ck\\u003e\":[1,null]}\n");
    }
}
