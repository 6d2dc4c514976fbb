//! Named values below each other.

use crate::render::{self, Render, one_line, push_blanks};
use crate::text_width::{char_width, width};

/// Least room for values beside their names.
const LEAST_ROOM: usize = 20;

/// Blanks between names and values.
const GAP: usize = 2;

/// Named values, each on lines of its own, and a footer.
#[derive(Debug, Default)]
pub(crate) struct Table {
    properties: Vec<(String, String)>,
    footer: Option<String>,
}

impl Table {
    pub(crate) fn with_properties() -> Self {
        Self::default()
    }

    /// Adds a named value, unless it is empty.
    #[must_use]
    pub(crate) fn property(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let value = value.as_ref();
        if !value.is_empty() {
            let property = (format!("{name}:"), one_line(value));
            self.properties.push(property);
        }
        self
    }

    /// Sets the text below the values.
    #[must_use]
    pub(crate) fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = Some(text.into());
        self
    }
}

impl Render for Table {
    /// Values are wrapped, not cut.
    fn render(&self, room: Option<usize>) -> String {
        let names = self.properties.iter().map(|(name, _)| width(name));
        let indent = names.max().unwrap_or_default() + GAP;
        let room = room.map(|room| room.saturating_sub(indent).max(LEAST_ROOM));
        let mut text = String::new();
        for (name, value) in &self.properties {
            text.push_str(name);
            let mut column = width(name);
            for line in wrap(value, room.unwrap_or(usize::MAX)) {
                push_blanks(&mut text, indent - column);
                text.push_str(line);
                text.push('\n');
                column = 0;
            }
        }
        text.push_str(&render::footer(self.footer.as_deref()));
        text
    }
}

/// Breaks a text at blanks into lines of at most `room` columns. A longer word stays in one piece,
/// so that it can be copied.
fn wrap(text: &str, room: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end_matches(' ');
    while let Some(end) = find_break(rest, room) {
        let (line, next) = rest.split_at(end);
        lines.push(line);
        rest = next.trim_start_matches(' ');
    }
    lines.push(rest);
    lines
}

/// Where a text breaks that is wider than `room`: at the last blank that fits, or else at the first.
fn find_break(text: &str, room: usize) -> Option<usize> {
    let mut taken = 0;
    let mut end = None;
    for (place, character) in text.char_indices() {
        if character == ' ' && place > 0 {
            end = Some(place);
        }
        taken += char_width(character);
        if taken > room && end.is_some() {
            return end;
        }
    }
    None
}

/// Formats a count with its noun.
pub(crate) fn pluralize(number: usize, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_fit_their_number() {
        assert_eq!(pluralize(0, "entry", "entries"), "0 entries");
        assert_eq!(pluralize(1, "entry", "entries"), "1 entry");
    }

    #[test]
    fn lines_break_between_words() {
        for (text, lines) in [
            ("one two three", &["one two", "three"][..]),
            ("one, two, three", &["one,", "two,", "three"]),
            ("a long-long-word b", &["a", "long-long-word", "b"]),
            ("long-long-word", &["long-long-word"]),
            ("漢字 漢字", &["漢字", "漢字"]),
            ("eight ch r", &["eight ch", "r"]),
        ] {
            assert_eq!(wrap(text, 8), lines);
        }
    }

    #[test]
    fn wrapped_values_hang() {
        let table = Table::with_properties()
            .property("name", "x")
            .property("role", "one two three four five six");
        let wrapped = "name:  x\nrole:  one two three four\n       five six\n";
        assert_eq!(table.render(Some(28)), wrapped);
        assert!(table.render(None).ends_with("three four five six\n"));
    }

    #[test]
    fn values_that_are_empty_are_left_out() {
        let table = Table::with_properties()
            .property("name", "x")
            .property("tags", "");
        assert_eq!(table.render(None), "name:  x\n");
    }
}
