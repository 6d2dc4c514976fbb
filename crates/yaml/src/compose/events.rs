//! The parser's events, told as this crate tells them.

use std::collections::HashSet;

use libyaml_safer::{Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};

use crate::compose::fault;
use crate::compose::prepared::Prepared;
use crate::error::{ParseError, ParseErrorKind};
use crate::place::{Place, SourceId, Span};

/// What the original counts of a list or map; nothing of a list that stands as far left as its key, nor
/// of a map that is written as `[key: value]`.
#[derive(Clone, Copy)]
enum Level {
    Indent,
    Bracket,
}

/// The parser's events with places of ours.
pub(super) struct Events<'text> {
    prepared: &'text Prepared<'text>,
    parser: Parser<&'text [u8]>,
    source: SourceId,
    /// Names behind a `*`: anchors that an alias may name.
    pub(super) named: HashSet<&'text str>,
    /// Bytes before the first that the parser counts: a byte order mark left in the text.
    skipped: usize,
    /// Lists and maps that are open.
    open: Vec<Option<Level>>,
    /// How many of them are indented.
    pub(super) indents: usize,
    /// How many of them stand in brackets of their own.
    brackets: usize,
    /// Brackets that may be open.
    most_brackets: usize,
}

impl<'text> Events<'text> {
    pub(super) fn new(
        prepared: &'text Prepared<'_>,
        source: SourceId,
        most_brackets: usize,
    ) -> Self {
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

    pub(super) fn next(&mut self) -> Result<(EventData, Place), ParseError> {
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
            let problem = "a `?` is not allowed in text between brackets".to_owned();
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
    pub(super) fn leftover(&mut self) -> Option<Place> {
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
