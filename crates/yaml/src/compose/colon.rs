//! Colons in front of `,`, `[`, `]`, `{` and `}`.
//!
//! In `[a:, b]` the colon belongs to the text for `yaml.v2`, and is a mistake for the parser used here.
//! Such a colon is given to the parser as a character that the file does not use, and is put back into
//! the scalar afterwards.

use std::borrow::Cow;

use crate::error::{ParseError, ParseErrorKind};

/// Bytes that are read again at most; a file of usual size may have thousands of such colons.
const WORK: usize = 8 << 20;

/// The text as the parser gets it.
pub(super) struct Colons<'text> {
    text: Cow<'text, str>,
    stand_in: Option<char>,
    work: usize,
}

impl<'text> Colons<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            stand_in: None,
            work: WORK,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Gives the character that stands for a colon, if there is one.
    pub(super) const fn stand_in(&self) -> Option<char> {
        self.stand_in
    }

    /// Replaces the colon that `error` is about; tells whether the text deserves another try.
    pub(super) fn replace(&mut self, error: &ParseError) -> bool {
        let ParseErrorKind::Syntax { problem } = &error.kind else {
            return false;
        };
        let at = error.place.span.start;
        let is_colon = problem.ends_with("found unexpected ':'")
            && self
                .text
                .get(at..)
                .is_some_and(|rest| rest.starts_with(':'));
        let (true, Some(work)) = (is_colon, self.work.checked_sub(self.text.len())) else {
            return false;
        };
        let Some(stand_in) = self.stand_in.or_else(|| unused(&self.text)) else {
            return false;
        };
        self.work = work;
        self.stand_in = Some(stand_in);
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
