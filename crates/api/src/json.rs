//! Writing JSON the way clients have come to see it.

use memchr::{memchr, memchr3};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io;

/// Writes `value` as compact JSON with one newline at the end.
///
/// `<`, `>`, `&` and the line separators U+2028 and U+2029 are escaped, so that an answer can be
/// put into a page or a script as it is.
///
/// # Panics
///
/// Never for the types of this crate; for another one, if it refuses to be serialized or has a map
/// whose keys are no texts.
///
/// # Examples
///
/// ```
/// let bytes = portcullis_api::json::to_bytes(&["a<b>"]);
/// assert_eq!(bytes, b"[\"a\\u003cb\\u003e\"]\n");
/// ```
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    write(&mut bytes, value);
    bytes.push(b'\n');
    bytes
}

/// Writes `value` as JSON for the eyes of people: a line for each member, indented by four blanks, and
/// one newline at the end.
///
/// # Panics
///
/// As [`to_bytes`] does.
#[expect(
    clippy::expect_used,
    reason = "a type that cannot be written is a defect, whatever the request was"
)]
pub fn to_indented_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    let formatter = PrettyFormatter::with_indent(b"    ");
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        .expect("the value can be written as JSON");
    bytes.push(b'\n');
    bytes
}

/// Writes `value` behind what is there, in the same form but without the newline.
#[expect(
    clippy::expect_used,
    reason = "a type that cannot be written is a defect, whatever the request was"
)]
pub(crate) fn write(bytes: &mut Vec<u8>, value: &impl Serialize) {
    value
        .serialize(&mut Serializer::with_formatter(bytes, Escaping))
        .expect("the value can be written as JSON");
}

/// Writes compact JSON and escapes what has a meaning in HTML or JavaScript.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((before, escape, after)) = split_at_first_escape(rest) {
            CompactFormatter.write_string_fragment(writer, before)?;
            writer.write_all(escape)?;
            rest = after;
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

/// Splits `text` around the first character to escape and gives the escape for it.
///
/// Bytes are looked at before characters: nearly all texts have nothing to escape.
fn split_at_first_escape(text: &str) -> Option<(&str, &'static [u8], &str)> {
    let mut from = 0;
    loop {
        let position = from + first_suspect(text.as_bytes().get(from..)?)?;
        let (before, rest) = text.split_at_checked(position)?;
        let character = rest.chars().next()?;
        if let Some(escape) = escape_of(character) {
            return Some((before, escape, rest.get(character.len_utf8()..)?));
        }
        from = position + character.len_utf8();
    }
}

/// Where the first byte lies that a character to escape may begin with. U+2028 and U+2029 share
/// theirs with many others.
fn first_suspect(bytes: &[u8]) -> Option<usize> {
    let markup = memchr3(b'<', b'>', b'&', bytes);
    let until = markup.unwrap_or(bytes.len());
    memchr(0xE2, bytes.get(..until)?).or(markup)
}

const fn escape_of(character: char) -> Option<&'static [u8]> {
    match character {
        '<' => Some(br"\u003c"),
        '>' => Some(br"\u003e"),
        '&' => Some(br"\u0026"),
        '\u{2028}' => Some(br"\u2028"),
        '\u{2029}' => Some(br"\u2029"),
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
