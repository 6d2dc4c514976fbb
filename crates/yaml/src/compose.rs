//! Parsing YAML text into a tree.

mod brackets;
mod builder;
mod events;
mod merge;
mod prepared_text;
mod syntax_error;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::compose::builder::Builder;
use crate::compose::events::Events;
use crate::compose::prepared_text::PreparedText;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::location::{SourceId, SourceLocation};
use crate::node::Node;
use crate::path::{KeyPath, Segment};

/// The first document of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Value of the document, normally a map.
    pub root: Node,
    /// Findings that need no knowledge of the keys, such as duplicate keys.
    pub diagnostics: Vec<Diagnostic>,
}

thread_local! {
    /// Whether this thread is inside [`parse`].
    static PARSING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside [`parse`].
///
/// The underlying parser panics on a few malformed texts. The panic is caught and becomes an error,
/// but the panic hook of the program runs first: a hook that does nothing here reports real bugs
/// only.
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

/// Parses the first document of `text`.
///
/// Everything after it is ignored, with a warning. Aliases and `<<` are resolved; environment
/// variables are not, see [`expand_environment`](crate::expand_environment).
///
/// # Errors
///
/// The first problem that prevents parsing the text within `limits`.
pub fn parse(text: &str, source: SourceId, limits: &Limits) -> Result<Document, ParseError> {
    check_characters(text, source, limits)?;
    // The parser reads past the end of a text that ends inside an escape; a newline stops it.
    let closed;
    let text = if text.ends_with('\\') {
        closed = format!("{text}\n");
        &closed
    } else {
        text
    };
    // The parser panics on a tag followed by a comma, as in `[!a,b]`.
    PARSING.set(true);
    let parsed = catch_unwind(AssertUnwindSafe(|| parse_checked(text, source, limits)));
    PARSING.set(false);
    parsed.unwrap_or_else(|_| {
        let problem = "a space is missing after the tag".to_owned();
        let place = SourceLocation::from_offset(text, find_unterminated_tag(text), source);
        Err(ParseError::new(ParseErrorKind::Syntax { problem }, place))
    })
}

/// The most likely position of a tag with a comma after it.
fn find_unterminated_tag(text: &str) -> usize {
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
    let mut prepared = PreparedText::new(text);
    loop {
        let error = match try_parse(text, &prepared, source, limits) {
            Ok(document) => return Ok(document),
            Err(error) => error,
        };
        match prepared.adapt(&error, limits) {
            Ok(true) => {},
            Ok(false) => return Err(error.into_final()),
            Err(fault) => return Err(fault.with_path(&error.path)),
        }
    }
}

fn try_parse(
    text: &str,
    prepared: &PreparedText<'_>,
    source: SourceId,
    limits: &Limits,
) -> Result<Document, ParseError> {
    let mut diagnostics = Diagnostics::default();
    let mut events = Events::new(prepared, source, brackets::max_brackets(limits));
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
                return Err(error.with_path(&path));
            },
        }
    };
    if let Some(place) = events.trailing_content() {
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

/// Finds the key on a line with a second colon, on which the parser fails before it returns the key.
fn key_of_second_colon<'text>(text: &'text str, error: &ParseError) -> Option<(usize, &'text str)> {
    let start = error.location.span.start;
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
        let place = SourceLocation {
            source,
            line: 1,
            column: 1,
            ..SourceLocation::default()
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
                SourceLocation::from_offset(text, offset, source),
            ))
        },
    }
}

#[cfg(test)]
mod tests;
