//! Lexer, which yields one token at a time, so that the first mistake in the text is reported.
//!
//! The longest match wins, so `order` is a symbol and not `or` followed by something else. Unlike in
//! OpenZiti, unknown characters are refused instead of dropped: `cost = .5` would silently mean
//! `cost = 5`, and `!isAdmin` would be another symbol.

mod datetime;
mod number;
mod string;
mod word;

use crate::error::{Problem, SpannedError};
use crate::query::CompareOp;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// A cursor over the text of a query.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    position: usize,
    /// Whether the previous token was a symbol, after which a digit is a likely mistake.
    after_symbol: bool,
}

impl<'t> Lexer<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self {
            text,
            position: 0,
            after_symbol: false,
        }
    }

    /// The next token; at the end of the text always [`TokenKind::End`].
    pub(crate) fn next(&mut self) -> Result<Token<'t>, SpannedError> {
        let blanks = blank_length(self.rest());
        self.position += blanks;
        let start = self.position;
        let blank_before = blanks > 0;
        let (length, kind) = self.scan(blank_before)?;
        self.position += length;
        self.after_symbol = matches!(kind, TokenKind::Symbol(_));
        Ok(Token {
            kind,
            span: Span::new(start, self.position),
            blank_before,
        })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// The span of `length` bytes at the cursor.
    fn ahead(&self, length: usize) -> Span {
        Span::new(self.position, self.position + length)
    }

    fn scan(&self, blank_before: bool) -> Result<(usize, TokenKind<'t>), SpannedError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok((0, TokenKind::End));
        };
        let touches_symbol = self.after_symbol && !blank_before;
        match first {
            '(' => Ok((1, TokenKind::Open)),
            ')' => Ok((1, TokenKind::Close)),
            '[' => Ok((1, TokenKind::ListOpen)),
            ']' => Ok((1, TokenKind::ListClose)),
            ',' => Ok((1, TokenKind::Comma)),
            '"' => string::scan(rest, self.position),
            '\'' => self.quoted(rest),
            '=' | '<' | '>' | '!' => self.comparison(rest, first),
            '0'..='9' if touches_symbol => Err(SpannedError::new(self.ahead(1), Problem::DigitInSymbol)),
            '.' | '-' if touches_symbol => Err(self.unexpected(
                first,
                Some("names consist of letters and `_`; after a dot and a letter, `-` is allowed too"),
            )),
            '-' | '0'..='9' => self.number(rest, first),
            'a'..='z' | 'A'..='Z' => self.word(rest),
            _ => Err(self.unknown(first)),
        }
    }

    fn comparison(&self, rest: &str, first: char) -> Result<(usize, TokenKind<'t>), SpannedError> {
        let with_equals = rest.as_bytes().get(1) == Some(&b'=');
        let (length, op) = match (first, with_equals) {
            ('=', _) => (1, CompareOp::Equal),
            ('!', true) => (2, CompareOp::NotEqual),
            ('<', true) => (2, CompareOp::LessOrEqual),
            ('<', false) => (1, CompareOp::Less),
            ('>', true) => (2, CompareOp::GreaterOrEqual),
            ('>', false) => (1, CompareOp::Greater),
            _ => return Err(self.unknown(first)),
        };
        Ok((length, TokenKind::Compare(op)))
    }

    fn number(&self, rest: &str, first: char) -> Result<(usize, TokenKind<'t>), SpannedError> {
        let Some(length) = number::length(rest) else {
            return Err(self.unknown(first));
        };
        let value = rest.get(..length).and_then(number::value);
        let value = value
            .ok_or_else(|| SpannedError::new(self.ahead(length), Problem::NumberOutOfRange))?;
        Ok((length, TokenKind::Number(value)))
    }

    fn word(&self, rest: &'t str) -> Result<(usize, TokenKind<'t>), SpannedError> {
        if let Some(inside) = rest.strip_prefix("datetime(") {
            let Some((length, instant)) = datetime::scan(inside) else {
                let end = inside.find([')', '"']).unwrap_or(inside.len());
                let span = self.ahead("datetime(".len() + end);
                return Err(SpannedError::new(span, Problem::InvalidTimestamp));
            };
            return Ok(("datetime(".len() + length, TokenKind::Datetime(instant)));
        }
        Ok(word::scan(rest))
    }

    /// A symbol in single quotes, which is part of the grammar although no schema has such a symbol.
    fn quoted(&self, rest: &'t str) -> Result<(usize, TokenKind<'t>), SpannedError> {
        let inside = rest.get(1..).unwrap_or_default();
        match inside.find(['\'', '\n']) {
            Some(end) if inside.get(end..).is_some_and(|tail| tail.starts_with('\'')) => {
                let length = end + 2;
                Ok((
                    length,
                    TokenKind::Symbol(rest.get(..length).unwrap_or_default()),
                ))
            },
            _ => Err(self.unknown('\'')),
        }
    }

    fn unknown(&self, character: char) -> SpannedError {
        let hint = match character {
            '&' => Some("write `and`"),
            '|' => Some("write `or`"),
            '!' => Some("write `not`"),
            '\'' | '`' | '“' | '”' | '„' => Some("write strings in double quotes"),
            '.' => Some("numbers must begin and end with a digit"),
            '+' | '-' => Some("numbers must begin with a digit, or a minus sign and a digit"),
            _ => None,
        };
        self.unexpected(character, hint)
    }

    fn unexpected(&self, character: char, hint: Option<&'static str>) -> SpannedError {
        let span = self.ahead(character.len_utf8());
        SpannedError::new(span, Problem::UnknownCharacter { character, hint })
    }
}

/// Whether the byte is white space in the language.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Length of the white space at the start of `text`.
fn blank_length(text: &str) -> usize {
    text.bytes().take_while(|byte| is_blank(*byte)).count()
}

#[cfg(test)]
mod tests;
