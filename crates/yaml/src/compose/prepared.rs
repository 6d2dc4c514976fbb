//! The text as the parser gets it.
//!
//! Some characters mean something else to the parser than to `yaml.v2`. The parser is given others in
//! their place, which the file does not use and which are put back into the scalars afterwards. What is
//! left out of the tree is made short, because the parser's work grows with every bracket that is open.

use std::borrow::Cow;

use crate::compose::brackets;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::Limits;

/// Bytes that are read again at most; a file of usual size may have thousands of places to prepare.
const WORK: usize = 8 << 20;

/// A byte order mark.
const MARK: char = '\u{FEFF}';

/// The text as the parser gets it; places in it are places of the file.
pub(super) struct Prepared<'text> {
    text: Cow<'text, str>,
    /// Stands for a colon in front of `,`, `[`, `]`, `{` or `}`. In `[a:, b]` the colon belongs to the
    /// text for `yaml.v2`, and is a mistake for the parser.
    colon: Option<char>,
    /// Stands for a byte order mark at the start of a later line. For `yaml.v2` it belongs to the text,
    /// the parser drops it.
    mark: Option<char>,
    work: usize,
}

impl<'text> Prepared<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let body = text.strip_prefix(MARK).unwrap_or(text);
        let starts_line = |(at, _): (usize, &str)| {
            at > 0
                && body
                    .get(..at)
                    .is_some_and(|before| before.ends_with(['\n', '\r']))
        };
        let mark = if body.match_indices(MARK).any(starts_line) {
            // As long as the mark, so that every place stays.
            ('\u{E000}'..='\u{F8FF}').find(|letter| !text.contains(*letter))
        } else {
            None
        };
        let text = mark.map_or(Cow::Borrowed(text), |mark| {
            let (first, rest) = text.split_at(text.len() - body.len());
            let stand_in = mark.encode_utf8(&mut [0; 4]).to_owned();
            Cow::Owned(first.to_owned() + &rest.replace(MARK, &stand_in))
        });
        Self {
            text,
            colon: None,
            mark,
            work: WORK,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Puts into a scalar what stands in the file.
    pub(super) fn restore(&self, value: &mut String, plain: bool) {
        let colon = self.colon.filter(|_| plain).map(|colon| (colon, ":"));
        let mark = self.mark.map(|mark| (mark, "\u{FEFF}"));
        for (stand_in, written) in colon.into_iter().chain(mark) {
            if value.contains(stand_in) {
                *value = value.replace(stand_in, written);
            }
        }
    }

    /// Changes the text where `error` tells to; tells whether it deserves another try.
    ///
    /// # Errors
    ///
    /// What is wrong with the brackets that were passed over.
    pub(super) fn change(
        &mut self,
        error: &ParseError,
        limits: &Limits,
    ) -> Result<bool, ParseError> {
        let Some(work) = self.work.checked_sub(self.text.len()) else {
            return Ok(false);
        };
        let changed = match &error.kind {
            ParseErrorKind::Syntax { problem } if problem.ends_with("found unexpected ':'") => {
                self.replace_colon(error.place.span.start)
            },
            ParseErrorKind::LeftOut { .. } => {
                let text = brackets::pass_over(&self.text, error.place, limits)?;
                self.text = Cow::Owned(text);
                true
            },
            _ => false,
        };
        self.work = work;
        Ok(changed)
    }

    fn replace_colon(&mut self, at: usize) -> bool {
        let is_colon = self
            .text
            .get(at..)
            .is_some_and(|rest| rest.starts_with(':'));
        let stand_in = self.colon.or_else(|| unused(&self.text));
        let (true, Some(stand_in)) = (is_colon, stand_in) else {
            return false;
        };
        self.colon = Some(stand_in);
        let mut bytes = [0; 4];
        let stand_in = stand_in.encode_utf8(&mut bytes);
        self.text.to_mut().replace_range(at..=at, stand_in);
        true
    }
}

/// Finds a character of one byte that means nothing to YAML within a text and is not used in it.
fn unused(text: &str) -> Option<char> {
    let mut letters = ('0'..='9').chain('A'..='Z').chain('a'..='z');
    let mut signs = ";^=~_+()$/\\<>".chars();
    let is_unused = |letter: &char| !text.contains(*letter);
    signs.find(is_unused).or_else(|| letters.find(is_unused))
}
