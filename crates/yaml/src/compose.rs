//! From text to tree.

mod brackets;
mod builder;
mod fault;
mod merge;
mod prepared;

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};

use crate::compose::builder::Builder;
use crate::compose::prepared::Prepared;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;
use crate::node::Node;
use crate::path::{KeyPath, Segment};
use crate::place::{Place, SourceId, Span};

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
        let problem = "a blank was expected after the tag".to_owned();
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
            "only the first document is read, everything from here on is ignored",
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

/// What the original counts of a list or map; nothing of a list that stands as far left as its key, nor
/// of a map that is written as `[key: value]`.
#[derive(Clone, Copy)]
enum Level {
    Indent,
    Bracket,
}

/// The parser's events with places of ours.
struct Events<'text> {
    prepared: &'text Prepared<'text>,
    parser: Parser<&'text [u8]>,
    source: SourceId,
    /// Names behind a `*`: anchors that an alias may name.
    named: HashSet<&'text str>,
    /// Bytes before the first that the parser counts: a byte order mark left in the text.
    skipped: usize,
    /// Lists and maps that are open.
    open: Vec<Option<Level>>,
    /// How many of them are indented.
    indents: usize,
    /// How many of them stand in brackets of their own.
    brackets: usize,
    /// Brackets that may be open.
    most_brackets: usize,
}

impl<'text> Events<'text> {
    fn new(prepared: &'text Prepared<'_>, source: SourceId, most_brackets: usize) -> Self {
        let text = prepared.text();
        let body = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut parser = Parser::new();
        parser.set_encoding(libyaml_safer::Encoding::Utf8);
        parser.set_input(body.as_bytes());
        Self {
            prepared,
            parser,
            source,
            named: aliases(text),
            skipped: text.len() - body.len(),
            open: Vec::new(),
            indents: 0,
            brackets: 0,
            most_brackets,
        }
    }

    fn next(&mut self) -> Result<(EventData, Place), ParseError> {
        let (mut event, place) = self.parsed()?;
        match &mut event {
            EventData::Scalar { value, style, .. } => {
                self.scalar(value, *style == ScalarStyle::Plain, place)?;
            },
            EventData::SequenceStart { style, .. } => {
                self.start(*style == SequenceStyle::Flow, place)?;
            },
            EventData::MappingStart { style, .. } => {
                self.start(*style == MappingStyle::Flow, place)?;
            },
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.end();
            },
            _ => {},
        }
        Ok((event, place))
    }

    /// Counts a list or map that begins.
    fn start(&mut self, flow: bool, place: Place) -> Result<(), ParseError> {
        let level = if flow || self.brackets > 0 {
            self.is_at(place, ['[', '{']).then_some(Level::Bracket)
        } else {
            (!self.is_at(place, ['-', '-'])).then_some(Level::Indent)
        };
        self.open.push(level);
        match level {
            Some(Level::Indent) => self.indents += 1,
            Some(Level::Bracket) => self.brackets += 1,
            None => {},
        }
        if self.brackets > self.most_brackets {
            let limit = self.most_brackets.saturating_sub(1);
            return Err(ParseError::new(ParseErrorKind::LeftOut { limit }, place));
        }
        Ok(())
    }

    /// Counts a list or map that ends.
    fn end(&mut self) {
        match self.open.pop().flatten() {
            Some(Level::Indent) => self.indents = self.indents.saturating_sub(1),
            Some(Level::Bracket) => self.brackets = self.brackets.saturating_sub(1),
            None => {},
        }
    }

    /// Tells whether one of two characters ends what `place` is about; an anchor may stand before it.
    fn is_at(&self, place: Place, characters: [char; 2]) -> bool {
        let span = place.span.start..place.span.end;
        let text = self.prepared.text().get(span);
        text.is_some_and(|text| text.ends_with(characters))
    }

    /// Puts back what stands in the file, and ends a scalar without quotes in brackets at `?` as
    /// `yaml.v2` does, which is a mistake.
    fn scalar(&self, value: &mut String, plain: bool, place: Place) -> Result<(), ParseError> {
        self.prepared.restore(value, plain);
        if plain && self.brackets > 0 && value.contains('?') {
            let problem = "a `?` cannot stand in text between brackets".to_owned();
            return Err(ParseError::new(ParseErrorKind::Syntax { problem }, place));
        }
        Ok(())
    }

    fn parsed(&mut self) -> Result<(EventData, Place), ParseError> {
        match self.parser.parse() {
            Ok(Event {
                data,
                start_mark,
                end_mark,
                ..
            }) => Ok((data, self.place(start_mark, end_mark))),
            Err(error) => {
                let mark = error
                    .problem_mark()
                    .or(error.context_mark())
                    .unwrap_or_default();
                let context = error.context_mark().unwrap_or(mark);
                let (context, noticed) = (self.place(context, context), self.place(mark, mark));
                let (name, problem) = (error.context().unwrap_or_default(), error.problem());
                Err(fault::locate(
                    self.prepared.text(),
                    (name, context),
                    (problem, noticed),
                ))
            },
        }
    }

    /// Finds what follows the first document.
    fn leftover(&mut self) -> Option<Place> {
        match self.next() {
            Ok((EventData::DocumentEnd { .. }, _)) => match self.next() {
                Ok((EventData::StreamEnd, _)) => None,
                Ok((_, place)) => Some(place),
                Err(error) => Some(error.place),
            },
            Ok((_, place)) => Some(place),
            Err(error) => Some(error.place),
        }
    }

    fn place(&self, start: Mark, end: Mark) -> Place {
        let offset = |mark: Mark| {
            usize::try_from(mark.index)
                .unwrap_or(usize::MAX)
                .saturating_add(self.skipped)
        };
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
        Place {
            source: self.source,
            span: Span {
                start: offset(start),
                end: offset(end).max(offset(start)),
            },
            line: count(start.line),
            column: count(start.column),
        }
    }
}

/// Finds all names that may be those of aliases.
fn aliases(text: &str) -> HashSet<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let parts = text.split('*').skip(1);
    parts
        .map(|rest| {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            rest.get(..end).unwrap_or_default()
        })
        .collect()
}

#[cfg(test)]
mod tests;
