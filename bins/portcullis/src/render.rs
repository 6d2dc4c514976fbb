//! Results as text for people.

use crate::invocation;
use crate::terminal::escape_control_characters;
use portcullis_command_line::fit;

/// A result that people read.
pub(crate) trait Render {
    /// Renders lines that do not end with blanks, within a width if there is a limit.
    fn render(&self, room: Option<usize>) -> String;
}

/// Escapes line feeds and control characters.
pub(crate) fn one_line(text: &str) -> String {
    escape_control_characters(text).replace('\n', "\\n")
}

/// Renders the text below a result. Items of lists hang below their dashes.
pub(crate) fn footer(text: Option<&str>, room: Option<usize>) -> String {
    let mut footer = String::new();
    let text = invocation::repeat_options(text.unwrap_or_default());
    for line in text.lines() {
        let line = escape_control_characters(line);
        match line.strip_prefix("- ") {
            Some(item) => {
                footer.push_str("- ");
                footer.push_str(&fit(item, room, 2));
            },
            None => footer.push_str(&fit(&line, room, 0)),
        }
        footer.push('\n');
    }
    footer
}

/// Appends blanks.
pub(crate) fn push_blanks(text: &mut String, number: usize) {
    text.extend(std::iter::repeat_n(' ', number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_below_a_result_hang() {
        let text = "Two things are missing:\n- an edge router of the service\n- a policy";
        let wrapped = "Two things are missing:\n- an edge router of the\n  service\n- a policy\n";
        assert_eq!(footer(Some(text), Some(26)), wrapped);
        assert_eq!(footer(Some(text), None), format!("{text}\n"));
        assert_eq!(footer(None, None), "");
    }
}
