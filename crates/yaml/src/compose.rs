//! From text to tree.

mod brackets;
mod builder;
mod events;
mod fault;
mod merge;
mod prepared;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::compose::builder::Builder;
use crate::compose::events::Events;
use crate::compose::prepared::Prepared;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::node::Node;
use crate::path::{KeyPath, Segment};
use crate::place::{Place, SourceId};

/// The first document of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Value of the document, normally a map.
    pub root: Node,
    /// What can be said about the file without knowing its keys, such as keys given twice.
    pub diagnostics: Vec<Diagnostic>,
}

thread_local! {
    /// Whether this thread is inside [`parse`].
    static PARSING: Cell<bool> = const { Cell::new(false) };
}

/// Tells whether this thread is inside [`parse`].
///
/// The parser underneath panics on a few malformed texts. That is caught and becomes an error, but the
/// panic hook of the program is called before: a hook that keeps silent here tells of true faults only.
///
/// # Examples
///
/// ```
/// use portcullis_yaml::{Limits, SourceId, is_parsing, parse};
/// use std::panic::{set_hook, take_hook};
///
/// let tell = take_hook();
/// set_hook(Box::new(move |panic| {
///     if !is_parsing() {
///         tell(panic);
///         std::process::exit(1);
///     }
/// }));
/// assert!(parse("[!a,b]", SourceId::default(), &Limits::default()).is_err());
/// assert!(!is_parsing());
/// ```
pub fn is_parsing() -> bool {
    PARSING.get()
}

/// Reads the first document of `text`.
///
/// Everything after it is left unread, with a warning. Aliases and `<<` are put in place; environment
/// variables are not, see [`expand_environment`](crate::expand_environment).
///
/// # Errors
///
/// The first thing that keeps the text from being a document within `limits`.
pub fn parse(text: &str, source: SourceId, limits: &Limits) -> Result<Document, ParseError> {
    check_characters(text, source, limits)?;
    // The parser runs over the end of a text that stops inside an escape; a line end stops it.
    let closed;
    let text = if text.ends_with('\\') {
        closed = format!("{text}\n");
        &closed
    } else {
        text
    };
    // A tag followed by a comma, as in `[!a,b]`, is beyond the parser, which panics.
    PARSING.set(true);
    let parsed = catch_unwind(AssertUnwindSafe(|| parse_checked(text, source, limits)));
    PARSING.set(false);
    parsed.unwrap_or_else(|_| {
        let problem = "a space is missing after the tag".to_owned();
        let place = Place::of_offset(text, find_unended_tag(text), source);
        Err(ParseError::new(ParseErrorKind::Syntax { problem }, place))
    })
}

/// Finds what looks most like a tag with a comma behind it.
fn find_unended_tag(text: &str) -> usize {
    let looks_so = |&(at, _): &(usize, &str)| {
        let (before, after) = text.split_at(at);
        let starts = before
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || "[{,:".contains(c));
        let end = after.find(|c: char| c.is_whitespace() || ",[]{}".contains(c));
        starts && end.is_some_and(|end| after.get(end..).is_some_and(|rest| rest.starts_with(',')))
    };
    text.match_indices('!')
        .find(looks_so)
        .map_or(0, |(at, _)| at)
}

fn parse_checked(text: &str, source: SourceId, limits: &Limits) -> Result<Document, ParseError> {
    let mut prepared = Prepared::new(text);
    loop {
        let error = match attempt(text, &prepared, source, limits) {
            Ok(document) => return Ok(document),
            Err(error) => error,
        };
        match prepared.change(&error, limits) {
            Ok(true) => {},
            Ok(false) => return Err(error.final_word()),
            Err(fault) => return Err(fault.at(&error.path)),
        }
    }
}

fn attempt(
    text: &str,
    prepared: &Prepared<'_>,
    source: SourceId,
    limits: &Limits,
) -> Result<Document, ParseError> {
    let mut diagnostics = Diagnostics::default();
    let mut events = Events::new(prepared, source, brackets::kept(limits));
    let root = {
        let mut builder = Builder::new(&mut events, limits, &mut diagnostics);
        match builder.document() {
            Ok(root) => root,
            Err(error) => {
                let mut path = builder.path().clone();
                if let Some((start, key)) = key_of_second_colon(text, &error)
                    && !builder.is_within(start)
                {
                    path.push(Segment::Key(key.to_owned()));
                }
                return Err(error.at(&path));
            },
        }
    };
    if let Some(place) = events.leftover() {
        diagnostics.push(Diagnostic::new(
            Severity::Warning,
            "yaml-second-document",
            KeyPath::root(),
            place,
            "only the first document is read; everything from here on is ignored",
        ));
    }
    Ok(Document {
        root,
        diagnostics: diagnostics.into_sorted(),
    })
}

/// Finds the key on a line with a second colon, which the parser stumbles over before it gives the key.
fn key_of_second_colon<'text>(text: &'text str, error: &ParseError) -> Option<(usize, &'text str)> {
    let start = error.place.span.start;
    let before = text.get(..start)?;
    let line = before.rsplit(['\n', '\r']).next()?;
    let colon = text.get(start..)?.starts_with(':');
    let written = line.trim_start_matches([' ', '-']);
    let (key, _) = written.split_once(": ")?;
    let known = colon && !key.contains([':', '{', '[', '"', '\'']);
    known.then_some((start - written.len(), key))
}

fn check_characters(text: &str, source: SourceId, limits: &Limits) -> Result<(), ParseError> {
    if text.len() > limits.size {
        let place = Place {
            source,
            line: 1,
            column: 1,
            ..Place::default()
        };
        return Err(ParseError::new(
            ParseErrorKind::TooLarge { limit: limits.size },
            place,
        ));
    }
    let forbidden = text.char_indices().find(|(_, character)| {
        !matches!(character, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
    });
    match forbidden {
        None => Ok(()),
        Some((offset, character)) => {
            let kind = ParseErrorKind::ControlCharacter {
                code: character.into(),
            };
            Err(ParseError::new(
                kind,
                Place::of_offset(text, offset, source),
            ))
        },
    }
}

#[cfg(test)]
mod tests;
