//! Results as text for people.

use crate::terminal::escape_control_characters;

/// A result that people read.
pub(crate) trait Render {
    /// Renders lines that do not end with blanks, within a width if there is a limit.
    fn render(&self, room: Option<usize>) -> String;
}

/// Escapes line feeds and control characters.
pub(crate) fn one_line(text: &str) -> String {
    escape_control_characters(text).replace('\n', "\\n")
}

/// Renders the text below a result.
pub(crate) fn footer(text: Option<&str>) -> String {
    text.map(|text| format!("{}\n", escape_control_characters(text)))
        .unwrap_or_default()
}

/// Appends blanks.
pub(crate) fn push_blanks(text: &mut String, number: usize) {
    text.extend(std::iter::repeat_n(' ', number));
}
