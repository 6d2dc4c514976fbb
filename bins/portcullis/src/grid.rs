//! Rows of cells.

mod widths;

use crate::render::{self, Render, one_line, push_blanks};
use portcullis_command_line::text_width::{truncate, width};
use widths::{ColumnWidth, GAP};

/// Width up to which a cell pushes aside the cells of other rows, where rows may have any width.
const MOST_PADDING: usize = 100;

/// Title of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Title {
    /// In lower case.
    pub(crate) text: &'static str,
    /// Whether the cells below are useless if they are cut.
    pub(crate) is_uncut: bool,
}

impl From<&'static str> for Title {
    fn from(text: &'static str) -> Self {
        Self {
            text,
            is_uncut: false,
        }
    }
}

/// Rows of cells, below titles if there are any, and a footer.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    titles: Vec<Title>,
    is_titled: bool,
    rows: Vec<Vec<String>>,
    footer: Option<String>,
}

impl Grid {
    /// A grid with titles, which may be hidden.
    pub(crate) fn with_titles(titles: impl IntoIterator<Item = Title>, is_titled: bool) -> Self {
        Self {
            titles: titles.into_iter().collect(),
            is_titled,
            ..Self::default()
        }
    }

    pub(crate) fn push<C: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let cells = cells.into_iter().map(|cell| one_line(cell.as_ref()));
        self.rows.push(cells.collect());
    }

    /// Sets the text below the rows.
    #[must_use]
    pub(crate) fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = Some(text.into());
        self
    }

    fn natural_widths(&self, lines: &[&Vec<String>]) -> Vec<ColumnWidth> {
        let count = lines.iter().map(|line| line.len()).max();
        let natural = |place: usize| {
            let cells = lines.iter().filter_map(|line| line.get(place));
            cells.map(|cell| width(cell)).max().unwrap_or_default()
        };
        (0..count.unwrap_or_default())
            .map(|place| {
                let title = self.titles.get(place);
                ColumnWidth {
                    natural: natural(place),
                    title: title.map_or(0, |title| width(title.text)),
                    is_uncut: title.is_none_or(|title| title.is_uncut),
                }
            })
            .collect()
    }
}

impl Render for Grid {
    /// Each row is one line. There are no titles if there are no rows.
    fn render(&self, room: Option<usize>) -> String {
        let titles = self.titles.iter().map(|title| title.text.to_uppercase());
        let titles: Vec<_> = titles.collect();
        let has_titles = self.is_titled && !self.rows.is_empty();
        let shown = Some(&titles).filter(|_| has_titles);
        let lines: Vec<_> = shown.into_iter().chain(&self.rows).collect();
        let natural = self.natural_widths(&lines);
        let padded = |column: &ColumnWidth| column.natural.min(MOST_PADDING);
        let widths = room.map_or_else(
            || natural.iter().map(padded).collect(),
            |room| widths::fit(&natural, room),
        );
        let mut text = String::new();
        for line in lines {
            let cells = line.iter().zip(&widths);
            let cells = cells.map(|(cell, most)| match room {
                Some(_) => truncate(cell, *most),
                None => cell.clone(),
            });
            push_line(&mut text, &cells.collect::<Vec<_>>(), &widths);
        }
        text.push_str(&render::footer(self.footer.as_deref(), room));
        text
    }
}

/// Appends the cells of a line, each padded to its width.
fn push_line(text: &mut String, cells: &[String], widths: &[usize]) {
    let mut line = String::new();
    for (cell, room) in cells.iter().zip(widths) {
        line.push_str(cell);
        push_blanks(&mut line, room.saturating_sub(width(cell)) + GAP);
    }
    text.push_str(line.trim_end_matches(' '));
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(titles: &[&'static str]) -> Grid {
        let titles = titles.iter().map(|text| Title {
            text,
            is_uncut: *text == "id",
        });
        Grid::with_titles(titles, true)
    }

    #[test]
    fn rows_stand_below_their_titles() {
        let mut grid = titled(&["name", "id"]);
        grid.push(["lap\ntop", "a1"]);
        grid.push(["", "b"]);
        let grid = grid.footer("2 of 5");
        let expected = "NAME      ID\nlap\\ntop  a1\n          b\n2 of 5\n";
        assert_eq!(grid.render(None), expected);
        assert_eq!(grid.render(Some(80)), expected);
    }

    #[test]
    fn nothing_has_no_titles() {
        let grid = titled(&["id"]).footer("no cats");
        assert_eq!(grid.render(None), "no cats\n");
    }

    #[test]
    fn titles_can_be_hidden() {
        let mut grid = titled(&["attributes", "id"]);
        grid.is_titled = false;
        grid.push(["x", "y"]);
        assert_eq!(grid.render(None), "x  y\n");
    }

    #[test]
    fn rows_fit_the_room_and_ids_stay() {
        let mut grid = titled(&["name", "attributes", "id"]);
        let long = "x".repeat(65536);
        grid.push([&long, &long, "0123456789"]);
        grid.push(["short", &"漢".repeat(300), "a1"]);
        for room in [40, 80, 120] {
            let text = grid.render(Some(room));
            assert!(text.lines().all(|line| width(line) <= room), "{text}");
            assert!(text.contains("…  0123456789\n"), "{text}");
        }
    }

    #[test]
    fn nothing_is_cut_without_limit() {
        let mut grid = titled(&["name", "id"]);
        let long = "x".repeat(65536);
        grid.push([&long, "a1"]);
        grid.push(["short", "a2"]);
        let text = grid.render(None);
        assert!(text.contains(&format!("{long}  a1\n")));
        let short = text.lines().last().unwrap();
        assert!(
            short.len() < 200,
            "one cell does not push aside all others: {short}"
        );
    }
}
