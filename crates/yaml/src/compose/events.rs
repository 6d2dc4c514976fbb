//! Parser events with locations of this crate.

use std::collections::HashSet;

use libyaml_safer::{Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};

use crate::compose::prepared_text::PreparedText;
use crate::compose::syntax_error;
use crate::error::{ParseError, ParseErrorKind};
use crate::location::{SourceId, SourceLocation, Span};

/// What `yaml.v2` counts as a nesting level; it ignores a list in the same column as its key, and a
/// map written as `[key: value]`.
#[derive(Clone, Copy)]
enum Level {
    Indent,
    Bracket,
}

/// Parser events with locations of this crate.
pub(super) struct Events<'text> {
    prepared: &'text PreparedText<'text>,
    parser: Parser<&'text [u8]>,
    source: SourceId,
    /// Names after a `*`: anchors that an alias may refer to.
    pub(super) alias_names: HashSet<&'text str>,
    /// Length of a leading byte order mark, which the parser does not count.
    skipped: usize,
    /// Open lists and maps.
    open: Vec<Option<Level>>,
    /// Number of open levels by indentation.
    pub(super) indent_depth: usize,
    /// Number of open levels by brackets.
    bracket_depth: usize,
    /// Maximum number of open brackets.
    max_brackets: usize,
}

impl<'text> Events<'text> {
    pub(super) fn new(
        prepared: &'text PreparedText<'_>,
        source: SourceId,
        max_brackets: usize,
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
            alias_names: find_alias_names(text),
            skipped: text.len() - body.len(),
            open: Vec::new(),
            indent_depth: 0,
            bracket_depth: 0,
            max_brackets,
        }
    }

    pub(super) fn next(&mut self) -> Result<(EventData, SourceLocation), ParseError> {
        let (mut event, place) = self.parse_event()?;
        match &mut event {
            EventData::Scalar { value, style, .. } => {
                self.check_scalar(value, *style == ScalarStyle::Plain, place)?;
            },
            EventData::SequenceStart { style, .. } => {
                self.begin_collection(*style == SequenceStyle::Flow, place)?;
            },
            EventData::MappingStart { style, .. } => {
                self.begin_collection(*style == MappingStyle::Flow, place)?;
            },
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.end_collection();
            },
            _ => {},
        }
        Ok((event, place))
    }

    /// Counts the start of a list or map.
    fn begin_collection(&mut self, flow: bool, place: SourceLocation) -> Result<(), ParseError> {
        let level = if flow || self.bracket_depth > 0 {
            self.is_at(place, ['[', '{']).then_some(Level::Bracket)
        } else {
            (!self.is_at(place, ['-', '-'])).then_some(Level::Indent)
        };
        self.open.push(level);
        match level {
            Some(Level::Indent) => self.indent_depth += 1,
            Some(Level::Bracket) => self.bracket_depth += 1,
            None => {},
        }
        if self.bracket_depth > self.max_brackets {
            let limit = self.max_brackets.saturating_sub(1);
            return Err(ParseError::new(
                ParseErrorKind::NestingOmitted { limit },
                place,
            ));
        }
        Ok(())
    }

    /// Counts the end of a list or map.
    fn end_collection(&mut self) {
        match self.open.pop().flatten() {
            Some(Level::Indent) => self.indent_depth = self.indent_depth.saturating_sub(1),
            Some(Level::Bracket) => self.bracket_depth = self.bracket_depth.saturating_sub(1),
            None => {},
        }
    }

    /// Whether the text at `location` ends with one of two characters; an anchor may come before it.
    fn is_at(&self, place: SourceLocation, characters: [char; 2]) -> bool {
        let span = place.span.start..place.span.end;
        let text = self.prepared.text().get(span);
        text.is_some_and(|text| text.ends_with(characters))
    }

    /// Restores the original characters, and rejects `?` in a plain scalar within brackets as
    /// `yaml.v2` does.
    fn check_scalar(
        &self,
        value: &mut String,
        plain: bool,
        place: SourceLocation,
    ) -> Result<(), ParseError> {
        self.prepared.restore(value, plain);
        if plain && self.bracket_depth > 0 && value.contains('?') {
            let problem = "a `?` is not allowed in text between brackets".to_owned();
            return Err(ParseError::new(ParseErrorKind::Syntax { problem }, place));
        }
        Ok(())
    }

    fn parse_event(&mut self) -> Result<(EventData, SourceLocation), ParseError> {
        match self.parser.parse() {
            Ok(Event {
                data,
                start_mark,
                end_mark,
                ..
            }) => Ok((data, self.location(start_mark, end_mark))),
            Err(error) => {
                let mark = error
                    .problem_mark()
                    .or(error.context_mark())
                    .unwrap_or_default();
                let context = error.context_mark().unwrap_or(mark);
                let (context, noticed) =
                    (self.location(context, context), self.location(mark, mark));
                let (name, problem) = (error.context().unwrap_or_default(), error.problem());
                Err(syntax_error::locate_error(
                    self.prepared.text(),
                    (name, context),
                    (problem, noticed),
                ))
            },
        }
    }

    /// The location of content after the first document.
    pub(super) fn trailing_content(&mut self) -> Option<SourceLocation> {
        match self.next() {
            Ok((EventData::DocumentEnd { .. }, _)) => match self.next() {
                Ok((EventData::StreamEnd, _)) => None,
                Ok((_, place)) => Some(place),
                Err(error) => Some(error.location),
            },
            Ok((_, place)) => Some(place),
            Err(error) => Some(error.location),
        }
    }

    fn location(&self, start: Mark, end: Mark) -> SourceLocation {
        let offset = |mark: Mark| {
            usize::try_from(mark.index)
                .unwrap_or(usize::MAX)
                .saturating_add(self.skipped)
        };
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
        SourceLocation {
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

/// All names that may be those of aliases.
fn find_alias_names(text: &str) -> HashSet<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let parts = text.split('*').skip(1);
    parts
        .map(|rest| {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            rest.get(..end).unwrap_or_default()
        })
        .collect()
}
