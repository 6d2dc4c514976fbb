//! The text as it is passed to the parser.
//!
//! Some characters mean something else to the parser than to `yaml.v2`. They are replaced by
//! characters that the file does not use and restored in the scalars afterwards. What is left out
//! of the tree is shortened, because the parser's work grows with every open bracket.

use std::borrow::Cow;

use crate::compose::brackets;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;

/// Maximum number of bytes to parse again; a file of usual size may need thousands of replacements.
const MAX_REPARSED_BYTES: usize = 8 << 20;

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The text as it is passed to the parser; offsets in it are offsets in the file.
pub(super) struct PreparedText<'text> {
    text: Cow<'text, str>,
    /// Replacement for a colon before `,`, `[`, `]`, `{` or `}`. In `[a:, b]` the colon belongs to
    /// the text for `yaml.v2`, and is a mistake for the parser.
    colon_substitute: Option<char>,
    /// Replacement for a byte order mark at the start of a later line. It belongs to the text for
    /// `yaml.v2`; the parser drops it.
    mark_substitute: Option<char>,
    remaining_work: usize,
}

impl<'text> PreparedText<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let starts_line = |(at, _): (usize, &str)| {
            at > 0
                && body
                    .get(..at)
                    .is_some_and(|before| before.ends_with(['\n', '\r']))
        };
        let mark = if body.match_indices(BYTE_ORDER_MARK).any(starts_line) {
            // As long as the mark, so that offsets stay the same.
            ('\u{E000}'..='\u{F8FF}').find(|letter| !text.contains(*letter))
        } else {
            None
        };
        let text = mark.map_or(Cow::Borrowed(text), |mark| {
            let (first, rest) = text.split_at(text.len() - body.len());
            let stand_in = mark.encode_utf8(&mut [0; 4]).to_owned();
            Cow::Owned(first.to_owned() + &rest.replace(BYTE_ORDER_MARK, &stand_in))
        });
        Self {
            text,
            colon_substitute: None,
            mark_substitute: mark,
            remaining_work: MAX_REPARSED_BYTES,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Restores the original characters in a scalar.
    pub(super) fn restore(&self, value: &mut String, plain: bool) {
        let colon = self
            .colon_substitute
            .filter(|_| plain)
            .map(|colon| (colon, ":"));
        let mark = self.mark_substitute.map(|mark| (mark, "\u{FEFF}"));
        for (stand_in, written) in colon.into_iter().chain(mark) {
            if value.contains(stand_in) {
                *value = value.replace(stand_in, written);
            }
        }
    }

    /// Changes the text at the location of `error`; returns whether to try again.
    ///
    /// # Errors
    ///
    /// A syntax error in the brackets that were skipped.
    pub(super) fn adapt(
        &mut self,
        error: &ParseError,
        limits: &Limits,
    ) -> Result<bool, ParseError> {
        let Some(work) = self.remaining_work.checked_sub(self.text.len()) else {
            return Ok(false);
        };
        let changed = match &error.kind {
            ParseErrorKind::Syntax { problem } if problem.ends_with("found unexpected ':'") => {
                self.replace_colon(error.location.span.start)
            },
            ParseErrorKind::NestingOmitted { .. } => {
                let text = brackets::skip_deep_brackets(&self.text, error.location, limits)?;
                self.text = Cow::Owned(text);
                true
            },
            _ => false,
        };
        self.remaining_work = work;
        Ok(changed)
    }

    fn replace_colon(&mut self, at: usize) -> bool {
        let is_colon = self
            .text
            .get(at..)
            .is_some_and(|rest| rest.starts_with(':'));
        let stand_in = self
            .colon_substitute
            .or_else(|| unused_character(&self.text));
        let (true, Some(stand_in)) = (is_colon, stand_in) else {
            return false;
        };
        self.colon_substitute = Some(stand_in);
        let mut bytes = [0; 4];
        let stand_in = stand_in.encode_utf8(&mut bytes);
        self.text.to_mut().replace_range(at..=at, stand_in);
        true
    }
}

/// Finds a one-byte character without special meaning inside YAML text that the text does not use.
fn unused_character(text: &str) -> Option<char> {
    let mut letters = ('0'..='9').chain('A'..='Z').chain('a'..='z');
    let mut signs = ";^=~_+()$/\\<>".chars();
    let is_unused = |letter: &char| !text.contains(*letter);
    signs.find(is_unused).or_else(|| letters.find(is_unused))
}
