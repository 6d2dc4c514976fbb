//! Strings in double quotes.

use crate::error::{Problem, SpannedError};
use crate::span::Span;
use crate::token::TokenKind;

/// Scans the string at the start of `text`; `offset` is its position in the query.
///
/// Escapes are decoded once from left to right. OpenZiti decodes in several passes, which turns an
/// escaped backslash followed by `n` into a line feed.
pub(super) fn scan<'t>(text: &str, offset: usize) -> Result<(usize, TokenKind<'t>), SpannedError> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((at + 1, TokenKind::Text(value))),
            '\\' => {
                let escaped = characters.next();
                value.push(unescape(escaped, offset + at, offset + text.len())?);
            },
            '\0'..='\u{1f}' => {
                let span = Span::new(offset + at, offset + at + 1);
                return Err(SpannedError::new(
                    span,
                    Problem::ControlCharacter(character),
                ));
            },
            _ => value.push(character),
        }
    }
    Err(SpannedError::new(
        Span::new(offset, offset + text.len()),
        Problem::UnclosedString,
    ))
}

/// Decodes the escape sequence with the backslash at `start`.
fn unescape(
    escaped: Option<(usize, char)>,
    start: usize,
    end: usize,
) -> Result<char, SpannedError> {
    match escaped {
        Some((_, '"')) => Ok('"'),
        Some((_, '\\')) => Ok('\\'),
        Some((_, 'f')) => Ok('\u{c}'),
        Some((_, 'n')) => Ok('\n'),
        Some((_, 'r')) => Ok('\r'),
        Some((_, 't')) => Ok('\t'),
        Some((_, other)) => {
            let span = Span::new(start, start + 1 + other.len_utf8());
            Err(SpannedError::new(span, Problem::UnknownEscape))
        },
        None => Err(SpannedError::new(
            Span::new(start, end),
            Problem::UnclosedString,
        )),
    }
}
