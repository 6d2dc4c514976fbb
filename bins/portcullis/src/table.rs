//! Tables for terminals.

use crate::terminal::escape_control_characters;
use crate::text_width::truncate;
use comfy_table::{ContentArrangement, presets};

/// Widest cell, in columns.
const MAX_CELL_WIDTH: usize = 64;

/// Widest last cell of a row, in columns.
const MAX_LAST_CELL_WIDTH: usize = 512;

/// Widest property value, in columns.
const MAX_VALUE_WIDTH: usize = 4096;

/// A table with a header, or a list of properties, and a footer.
pub(crate) struct Table {
    inner: comfy_table::Table,
    footer: Option<String>,
}

impl Table {
    /// A table with a header.
    pub(crate) fn with_columns(columns: &[&str]) -> Self {
        let mut table = Self::new_plain();
        table
            .inner
            .set_header(columns.iter().map(|name| name.to_uppercase()));
        table
    }

    /// A list of properties.
    pub(crate) fn with_properties() -> Self {
        Self::new_plain()
    }

    fn new_plain() -> Self {
        let mut inner = comfy_table::Table::new();
        inner.load_preset(presets::NOTHING);
        // A row is one line on any terminal, so that ids can be copied.
        inner.set_content_arrangement(ContentArrangement::Disabled);
        Self {
            inner,
            footer: None,
        }
    }

    /// Adds a row, truncating very wide cells.
    pub(crate) fn add_row<C: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut cells = cells.into_iter().peekable();
        let mut row = Vec::new();
        while let Some(cell) = cells.next() {
            let is_last = cells.peek().is_none();
            let width = if is_last {
                MAX_LAST_CELL_WIDTH
            } else {
                MAX_CELL_WIDTH
            };
            row.push(truncate(&one_line(cell.as_ref()), width));
        }
        self.inner.add_row(row);
    }

    /// Adds a property, unless its value is empty.
    #[must_use]
    pub(crate) fn property(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let value = value.as_ref();
        if !value.is_empty() {
            self.inner.add_row([
                format!("{name}:"),
                truncate(&one_line(value), MAX_VALUE_WIDTH),
            ]);
        }
        self
    }

    /// Sets the text below the table.
    #[must_use]
    pub(crate) fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = Some(text.into());
        self
    }

    /// Renders the table without trailing blanks, and without a header if there are no rows.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        let is_empty = self.inner.row_count() == 0;
        for line in self.inner.lines().filter(|_| !is_empty) {
            // Cells start with a blank.
            let line = line.strip_prefix(' ').unwrap_or(&line);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if let Some(footer) = &self.footer {
            text.push_str(&escape_control_characters(footer));
            text.push('\n');
        }
        text
    }
}

/// Escapes line feeds and control characters.
fn one_line(cell: &str) -> String {
    escape_control_characters(cell).replace('\n', "\\n")
}

/// Formats a count with its noun.
pub(crate) fn pluralize(number: usize, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_width::width;

    #[test]
    fn rows_stand_below_their_header() {
        let mut table = Table::with_columns(&["id", "name"]);
        table.add_row(["a1", "lap\ntop"]);
        table.add_row(["b", ""]);
        let table = table.footer("2 of 5");
        assert_eq!(table.render(), "ID  NAME\na1  lap\\ntop\nb\n2 of 5\n");
    }

    #[test]
    fn nothing_has_no_header() {
        let table = Table::with_columns(&["id"]).footer("no cats");
        assert_eq!(table.render(), "no cats\n");
    }

    #[test]
    fn properties_without_value_are_left_out() {
        let table = Table::with_properties()
            .property("name", "x")
            .property("tags", "");
        assert_eq!(table.render(), "name:  x\n");
    }

    #[test]
    fn long_cells_are_cut() {
        let mut table = Table::with_columns(&["name", "id", "attributes"]);
        let long = "x".repeat(65536);
        table.add_row([&long, "a1", &long]);
        table.add_row(["short", &"i".repeat(64), "漢".repeat(300).as_str()]);
        let text = table.render();
        let lines: Vec<_> = text.lines().collect();
        let first = format!("{}…  a1 ", "x".repeat(63));
        assert!(lines[1].starts_with(&first), "{text}");
        assert!(lines[1].ends_with("x…"));
        assert!(lines[2].contains(&format!("  {}  漢", "i".repeat(64))));
        let widest = 64 + 2 + 64 + 2 + 512;
        assert!(lines.iter().all(|line| width(line) <= widest), "{text}");
        // One value gets less in the way of another.
        let table = Table::with_properties().property("name", &long);
        let expected = format!("name:  {}…\n", "x".repeat(4095));
        assert!(table.render() == expected);
    }

    #[test]
    fn nouns_fit_their_number() {
        assert_eq!(pluralize(0, "entry", "entries"), "0 entries");
        assert_eq!(pluralize(1, "entry", "entries"), "1 entry");
    }
}
