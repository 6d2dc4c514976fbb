//! Passing over what is nested so deep in brackets that nobody keeps it.
//!
//! The parser looks at every open bracket for every word it reads. What is left out of the tree is
//! therefore given to it as one quoted string. Of the text inside only brackets, quotes and comments are
//! looked at, so other mistakes in there are not found.

use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::place::Place;

/// Puts a string in place of every list and map that is nested deeper than [`kept`], from the bracket
/// that ends `place`, the first of them, to the end of the outermost list or map that holds it.
///
/// # Errors
///
/// There are too many brackets in each other, or the wrong ones, or one that is never closed.
pub(super) fn pass_over(text: &str, place: Place, limits: &Limits) -> Result<String, ParseError> {
    let start = place.span.end.saturating_sub(1);
    let error = |at: usize, kind: ParseErrorKind| {
        ParseError::new(kind, Place::of_offset(text, at, place.source))
    };
    let syntax = |problem: String| ParseErrorKind::Syntax { problem };
    let (before, rest) = text.split_at_checked(start).unwrap_or((text, ""));
    let mut told = before.to_owned();
    let mut told_to = start;
    // Brackets that are open and will be left out, and how many are open around them.
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut kept = kept(limits);
    for (at, bracket) in Brackets::new(rest) {
        let at = start + at;
        match (bracket, open.last().copied()) {
            ('[' | '{', None) if kept < self::kept(limits) => kept += 1,
            ('[' | '{', _) => {
                if kept + open.len() >= limits.levels {
                    let limit = limits.levels;
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
                    told.push_str(text.get(told_to..opened).unwrap_or_default());
                    told.push_str(&quoted(text.get(opened + 1..at).unwrap_or_default()));
                    told_to = at + 1;
                }
            },
            (_, None) => {
                kept = kept.saturating_sub(1);
                if kept == 0 {
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
    Ok(told + text.get(told_to..).unwrap_or_default())
}

/// Brackets inside each other that the parser is to read: one more than are kept, so that the last is
/// found to be left out.
pub(super) const fn kept(limits: &Limits) -> usize {
    limits.depth.saturating_add(1)
}

/// Writes text between quotes so that every character keeps its place.
fn quoted(text: &str) -> String {
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

/// The brackets of a text that begins within brackets, those in strings and comments left out.
struct Brackets<'text> {
    text: &'text str,
    at: usize,
    /// Whether a string without quotes has begun.
    plain: bool,
    /// Whether the last character was a blank or a line end.
    blank: bool,
}

impl<'text> Brackets<'text> {
    const fn new(text: &'text str) -> Self {
        Self {
            text,
            at: 0,
            plain: false,
            blank: false,
        }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes to the first of some characters.
    fn skip_to(&mut self, is_end: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(is_end).unwrap_or(rest.len());
    }

    /// Goes behind the second of two quotes; the first was passed.
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
            let after_blank = std::mem::replace(&mut self.blank, letter.is_whitespace());
            match letter {
                '[' | '{' | ']' | '}' => {
                    self.plain = false;
                    return Some((at, letter));
                },
                ',' => self.plain = false,
                '#' if after_blank => self.skip_to(|c| c == '\n' || c == '\r'),
                '"' | '\'' if !self.plain => self.skip_quoted(letter),
                '&' | '*' | '!' if !self.plain => {
                    self.skip_to(|c| c.is_whitespace() || "[]{},".contains(c));
                },
                ':' if self.rest().starts_with(|c: char| c.is_whitespace()) => self.plain = false,
                letter if letter.is_whitespace() => {},
                _ => self.plain = true,
            }
        }
    }
}
