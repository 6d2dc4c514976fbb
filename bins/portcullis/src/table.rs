//! Tables for people.

use crate::columns::cut;
use crate::output::printable;
use comfy_table::{ContentArrangement, presets};

/// How wide a cell is at most that others follow in its row.
const WIDEST: usize = 64;

/// How wide the last cell of a row is at most.
const WIDEST_LAST: usize = 512;

/// How wide the value of a property is at most.
const WIDEST_VALUE: usize = 4096;

/// A table with a header, or pairs of a name and a value, and a line below.
pub(crate) struct Table {
    inner: comfy_table::Table,
    footer: Option<String>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn with_columns(columns: &[&str]) -> Self {
        let mut table = Self::bare();
        table
            .inner
            .set_header(columns.iter().map(|name| name.to_uppercase()));
        table
    }

    /// A table of names and values.
    pub(crate) fn of_properties() -> Self {
        Self::bare()
    }

    fn bare() -> Self {
        let mut inner = comfy_table::Table::new();
        inner.load_preset(presets::NOTHING);
        // A row is a line, however narrow the terminal: ids have to stay whole to be copied.
        inner.set_content_arrangement(ContentArrangement::Disabled);
        Self {
            inner,
            footer: None,
        }
    }

    /// Adds a row. Cells that would make the table unreadable are cut.
    pub(crate) fn row<C: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut cells = cells.into_iter().peekable();
        let mut row = Vec::new();
        while let Some(cell) = cells.next() {
            let is_last = cells.peek().is_none();
            let width = if is_last { WIDEST_LAST } else { WIDEST };
            row.push(cut(&one_line(cell.as_ref()), width));
        }
        self.inner.add_row(row);
    }

    /// Adds a name with its value, unless there is none.
    #[must_use]
    pub(crate) fn property(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let value = value.as_ref();
        if !value.is_empty() {
            self.inner
                .add_row([format!("{name}:"), cut(&one_line(value), WIDEST_VALUE)]);
        }
        self
    }

    /// Adds a line below the table.
    #[must_use]
    pub(crate) fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = Some(text.into());
        self
    }

    /// Writes the table without blanks at the ends of lines. A header without rows is left out: the
    /// line below says that there is nothing.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        let is_empty = self.inner.row_count() == 0;
        for line in self.inner.lines().filter(|_| !is_empty) {
            // Cells begin with a blank, which the first column can do without.
            let line = line.strip_prefix(' ').unwrap_or(&line);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if let Some(footer) = &self.footer {
            text.push_str(&printable(footer));
            text.push('\n');
        }
        text
    }
}

/// A cell is one line, whatever is in it.
fn one_line(cell: &str) -> String {
    printable(cell).replace('\n', "\\n")
}

/// Writes a count with its noun.
pub(crate) fn count(number: usize, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::width;

    #[test]
    fn rows_stand_below_their_header() {
        let mut table = Table::with_columns(&["id", "name"]);
        table.row(["a1", "lap\ntop"]);
        table.row(["b", ""]);
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
        let table = Table::of_properties()
            .property("name", "x")
            .property("tags", "");
        assert_eq!(table.render(), "name:  x\n");
    }

    #[test]
    fn long_cells_are_cut() {
        let mut table = Table::with_columns(&["name", "id", "attributes"]);
        let long = "x".repeat(65536);
        table.row([&long, "a1", &long]);
        table.row(["short", &"i".repeat(64), "漢".repeat(300).as_str()]);
        let text = table.render();
        let lines: Vec<_> = text.lines().collect();
        let first = format!("{}…  a1 ", "x".repeat(63));
        assert!(lines[1].starts_with(&first), "{text}");
        assert!(lines[1].ends_with("x…"));
        assert!(lines[2].contains(&format!("  {}  漢", "i".repeat(64))));
        let widest = 64 + 2 + 64 + 2 + 512;
        assert!(lines.iter().all(|line| width(line) <= widest), "{text}");
        // One value gets less in the way of another.
        let table = Table::of_properties().property("name", &long);
        let expected = format!("name:  {}…\n", "x".repeat(4095));
        assert!(table.render() == expected);
    }

    #[test]
    fn nouns_fit_their_number() {
        assert_eq!(count(0, "entry", "entries"), "0 entries");
        assert_eq!(count(1, "entry", "entries"), "1 entry");
    }
}
