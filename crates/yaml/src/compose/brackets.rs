//! Skipping lists and maps in brackets that are nested too deep to be kept.
//!
//! The parser checks every open bracket for every token. What is left out of the tree is therefore
//! replaced by one quoted string. Only brackets, quotes and comments are recognized inside, so other
//! mistakes in the skipped text are not found.

use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::location::SourceLocation;

/// Replaces every list and map that is nested deeper than [`max_brackets`] by a string, from the
/// bracket that ends `location`, the first of them, to the end of the outermost list or map around
/// it.
///
/// # Errors
///
/// There are too many nested brackets, mismatched ones, or one that is never closed.
pub(super) fn skip_deep_brackets(
    text: &str,
    place: SourceLocation,
    limits: &Limits,
) -> Result<String, ParseError> {
    let start = place.span.end.saturating_sub(1);
    let error = |at: usize, kind: ParseErrorKind| {
        ParseError::new(kind, SourceLocation::from_offset(text, at, place.source))
    };
    let syntax = |problem: String| ParseErrorKind::Syntax { problem };
    let (before, rest) = text.split_at_checked(start).unwrap_or((text, ""));
    let mut output = before.to_owned();
    let mut copied_to = start;
    // Open brackets that will be left out.
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut depth = max_brackets(limits);
    for (at, bracket) in Brackets::new(rest) {
        let at = start + at;
        match (bracket, open.last().copied()) {
            ('[' | '{', None) if depth < max_brackets(limits) => depth += 1,
            ('[' | '{', _) => {
                if depth + open.len() >= limits.skipped_depth {
                    let limit = limits.skipped_depth;
                    return Err(error(at, ParseErrorKind::TooDeep { limit }));
                }
                open.push((at, bracket));
            },
            (_, Some((opened, opening))) => {
                let wanted = if opening == '[' { ']' } else { '}' };
                if bracket != wanted {
                    let problem = format!("`{bracket}` cannot close `{opening}`");
                    return Err(error(at, syntax(problem)));
                }
                open.pop();
                if open.is_empty() {
                    output.push_str(text.get(copied_to..opened).unwrap_or_default());
                    output.push_str(&quote(text.get(opened + 1..at).unwrap_or_default()));
                    copied_to = at + 1;
                }
            },
            (_, None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            },
        }
    }
    if let Some((at, bracket)) = open.pop() {
        return Err(error(
            at,
            syntax(format!("the `{bracket}` is never closed")),
        ));
    }
    Ok(output + text.get(copied_to..).unwrap_or_default())
}

/// Nested brackets that the parser reads: one more than are kept, so that it reports the last one.
pub(super) const fn max_brackets(limits: &Limits) -> usize {
    limits.depth.saturating_add(1)
}

/// Quotes text so that every character keeps its position.
fn quote(text: &str) -> String {
    let inside: String = text
        .chars()
        .map(|letter| match letter {
            '"' => '\'',
            '\\' => '/',
            other => other,
        })
        .collect();
    format!("\"{inside}\"")
}

/// The brackets of a text that begins inside brackets, except those in strings and comments.
struct Brackets<'text> {
    text: &'text str,
    at: usize,
    /// Whether a plain (unquoted) string has begun.
    is_plain: bool,
    /// Whether the last character was white space.
    is_after_blank: bool,
}

impl<'text> Brackets<'text> {
    const fn new(text: &'text str) -> Self {
        Self {
            text,
            at: 0,
            is_plain: false,
            is_after_blank: false,
        }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips to the first character that matches.
    fn skip_to(&mut self, is_end: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(is_end).unwrap_or(rest.len());
    }

    /// Skips to after the closing quote; the opening one was consumed.
    fn skip_quoted(&mut self, quote: char) {
        let mut escaped = false;
        let end = self.rest().char_indices().find(|(_, letter)| {
            let ends = *letter == quote && !escaped;
            escaped = quote == '"' && *letter == '\\' && !escaped;
            ends
        });
        self.at += end.map_or(self.rest().len(), |(at, _)| at + 1);
    }
}

impl Iterator for Brackets<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let letter = self.rest().chars().next()?;
            self.at += letter.len_utf8();
            let after_blank = std::mem::replace(&mut self.is_after_blank, letter.is_whitespace());
            match letter {
                '[' | '{' | ']' | '}' => {
                    self.is_plain = false;
                    return Some((at, letter));
                },
                ',' => self.is_plain = false,
                '#' if after_blank => self.skip_to(|c| c == '\n' || c == '\r'),
                '"' | '\'' if !self.is_plain => self.skip_quoted(letter),
                '&' | '*' | '!' if !self.is_plain => {
                    self.skip_to(|c| c.is_whitespace() || "[]{},".contains(c));
                },
                ':' if self.rest().starts_with(|c: char| c.is_whitespace()) => {
                    self.is_plain = false;
                },
                letter if letter.is_whitespace() => {},
                _ => self.is_plain = true,
            }
        }
    }
}
