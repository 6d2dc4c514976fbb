//! Named values below each other.

use crate::render::{self, Render, one_line, push_blanks};
use portcullis_command_line::fit;
use portcullis_command_line::text_width::width;
use std::fmt::Display;

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

    /// Sets the command that probably follows, if there is one, as the text below the values.
    #[must_use]
    pub(crate) fn next(self, command: Option<impl Display>) -> Self {
        match command {
            Some(command) => self.footer(format!("next: {command}")),
            None => self,
        }
    }
}

impl Render for Table {
    /// Values are wrapped, not cut.
    fn render(&self, room: Option<usize>) -> String {
        let names = self.properties.iter().map(|(name, _)| width(name));
        let indent = names.max().unwrap_or_default() + GAP;
        let mut text = String::new();
        for (name, value) in &self.properties {
            text.push_str(name);
            push_blanks(&mut text, indent - width(name));
            text.push_str(&fit(value, room, indent));
            text.push('\n');
        }
        text.push_str(&render::footer(self.footer.as_deref(), room));
        text
    }
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
    fn wrapped_values_hang() {
        let table = Table::with_properties()
            .property("name", "x")
            .property("role", "one two three four five six");
        let wrapped = "name:  x\nrole:  one two three four five\n       six\n";
        assert_eq!(table.render(Some(31)), wrapped);
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
