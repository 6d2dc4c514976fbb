//! From bytes to text.

use crate::error::{ParseError, ParseErrorKind};
use crate::place::{Place, SourceId};

/// Turns the bytes of a file into text: UTF-8, or UTF-16 announced by a byte order mark.
///
/// A byte order mark is removed. Every place that this crate reports counts in the text returned
/// here, so this is also the text to show to the reader.
///
/// # Errors
///
/// [`ParseErrorKind::NotText`] with the place of the first byte that cannot be read.
pub fn decode(bytes: &[u8], source: SourceId) -> Result<String, ParseError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, source),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, source),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, source),
        _ => utf8(bytes, source),
    }
}

fn utf8(bytes: &[u8], source: SourceId) -> Result<String, ParseError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let readable = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Err(not_text(
                "UTF-8",
                &String::from_utf8_lossy(readable),
                source,
            ))
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, source: SourceId) -> Result<String, ParseError> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => return Err(not_text("UTF-16", &text, source)),
        }
    }
    if odd.is_empty() {
        Ok(text)
    } else {
        Err(not_text("UTF-16", &text, source))
    }
}

fn not_text(encoding: &'static str, readable: &str, source: SourceId) -> ParseError {
    let place = Place::of_offset(readable, readable.len(), source);
    ParseError::new(ParseErrorKind::NotText { encoding }, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_with_and_without_a_mark_give_the_same_text() {
        let cases: [&[u8]; 4] = [
            b"a: \xC3\xA9",
            b"\xEF\xBB\xBFa: \xC3\xA9",
            b"\xFF\xFEa\0:\0 \0\xE9\0",
            b"\xFE\xFF\0a\0:\0 \0\xE9",
        ];
        for bytes in cases {
            assert_eq!(
                decode(bytes, SourceId(0)).as_deref(),
                Ok("a: é"),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_located() {
        let cases: [(&[u8], u32, u32); 4] = [
            (b"a: 1\nb: \xFF", 2, 4),
            (b"\xFF\xFEa\0b", 1, 2),
            (b"\xFF\xFE\x00\xD8a\0", 1, 1),
            (b"\xC3", 1, 1),
        ];
        for (bytes, line, column) in cases {
            let error = decode(bytes, SourceId(0)).expect_err("not text");
            assert_eq!(
                (error.place.line, error.place.column),
                (line, column),
                "{bytes:?}"
            );
        }
    }
}
