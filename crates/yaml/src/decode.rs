//! Decoding bytes to text.

use crate::error::{ParseError, ParseErrorKind};
use crate::location::{SourceId, SourceLocation};

/// Decodes the bytes of a file: UTF-8, or UTF-16 with a byte order mark.
///
/// A byte order mark is removed. All locations in this crate refer to the returned text, so this is
/// also the text to show to the user.
///
/// # Errors
///
/// [`ParseErrorKind::NotText`] with the location of the first invalid byte.
pub fn decode(bytes: &[u8], source: SourceId) -> Result<String, ParseError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest, source),
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes, source),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes, source),
        _ => decode_utf8(bytes, source),
    }
}

fn decode_utf8(bytes: &[u8], source: SourceId) -> Result<String, ParseError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let readable = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Err(invalid_encoding(
                "UTF-8",
                &String::from_utf8_lossy(readable),
                source,
            ))
        },
    }
}

fn decode_utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    source: SourceId,
) -> Result<String, ParseError> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => return Err(invalid_encoding("UTF-16", &text, source)),
        }
    }
    if odd.is_empty() {
        Ok(text)
    } else {
        Err(invalid_encoding("UTF-16", &text, source))
    }
}

fn invalid_encoding(encoding: &'static str, readable: &str, source: SourceId) -> ParseError {
    let place = SourceLocation::from_offset(readable, readable.len(), source);
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
                (error.location.line, error.location.column),
                (line, column),
                "{bytes:?}"
            );
        }
    }
}
