//! Which columns a table has, and how their cells are written.

use crate::column::{Column, ColumnPlace, Tabular};
use crate::error::CliError;
use crate::grid::{Grid, Title};
use portcullis_domain::clock::Timestamp;

/// What users choose of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableChoice {
    /// Names or titles of columns, in order; none for those that the kind has by default.
    pub(crate) columns: Vec<String>,
    pub(crate) has_no_titles: bool,
}

/// Columns of a table whose rows are `L`.
pub(crate) struct TableLayout<L> {
    columns: Vec<Column<L>>,
    is_titled: bool,
    is_wide: bool,
    now: Timestamp,
}

impl<L: Tabular> TableLayout<L> {
    /// Lays out a table; a wide one has more columns by default, and times in full.
    pub(crate) fn new(
        choice: &TableChoice,
        is_wide: bool,
        now: Timestamp,
    ) -> Result<Self, CliError> {
        let known = L::columns();
        let columns = if choice.columns.is_empty() {
            by_default(&known, is_wide)
        } else {
            choose(&known, &choice.columns)?
        };
        Ok(Self {
            columns,
            is_titled: !choice.has_no_titles,
            is_wide,
            now,
        })
    }

    /// A table without rows.
    pub(crate) fn grid(&self) -> Grid {
        let titles = self.columns.iter().map(|column| Title {
            text: column.title,
            is_uncut: column.is_uncut,
        });
        Grid::with_titles(titles, self.is_titled)
    }

    /// The rows with a text below, or without titles nothing else.
    pub(crate) fn finish(&self, grid: Grid, footer: String) -> Grid {
        if self.is_titled {
            grid.footer(footer)
        } else {
            grid
        }
    }

    /// The cells of a row.
    pub(crate) fn row(&self, entity: &L) -> Vec<String> {
        let cells = self.columns.iter().map(|column| {
            let cell = (column.cell)(entity, self.now);
            if self.is_wide {
                cell.long()
            } else {
                cell.short(self.now)
            }
        });
        cells.collect()
    }
}

fn by_default<L>(known: &[Column<L>], is_wide: bool) -> Vec<Column<L>> {
    let columns = known.iter().filter(|column| match column.place {
        ColumnPlace::All => true,
        ColumnPlace::Wide => is_wide,
        ColumnPlace::Chosen => false,
    });
    columns.copied().collect()
}

fn choose<L>(known: &[Column<L>], names: &[String]) -> Result<Vec<Column<L>>, CliError> {
    let chosen = names.iter().map(|name| {
        let is_called = |text: &str| text.eq_ignore_ascii_case(name);
        let by_name = known.iter().find(|column| is_called(column.name));
        let found = by_name.or_else(|| known.iter().find(|column| is_called(column.title)));
        found.copied().ok_or_else(|| unknown(known, name))
    });
    chosen.collect()
}

/// Lists of one command may have different columns, which its arguments do not tell apart.
fn unknown<L>(known: &[Column<L>], name: &str) -> CliError {
    let names: Vec<_> = known.iter().map(|column| column.name).collect();
    CliError::usage(format!("this list has no column `{name}`"))
        .hint(format!("its columns are {}", names.join(", ")))
}

/// The cells of a row of an ordinary table.
#[cfg(test)]
pub(crate) fn row<L: Tabular>(entity: &L, now: Timestamp) -> Vec<String> {
    let layout = TableLayout::new(&TableChoice::default(), false, now);
    layout.unwrap().row(entity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Render as _;
    use portcullis_domain::clock::SignedDuration;

    /// A cat with its time of birth.
    struct Cat(&'static str, Timestamp);

    impl Tabular for Cat {
        fn columns() -> Vec<Column<Self>> {
            vec![
                Column::new("name", "name", |cat, _| cat.0.into()),
                Column::new("bornAt", "born", |cat, _| cat.1.into()),
                Column::new("size", "size", |_, _| "small".into()).wide(),
                Column::new("tags", "tags", |_, _| "".into()).chosen(),
            ]
        }
    }

    fn rendered(choice: &TableChoice, is_wide: bool) -> Result<String, CliError> {
        let now: Timestamp = "2031-04-05T06:07:08Z".parse().unwrap();
        let layout = TableLayout::<Cat>::new(choice, is_wide, now)?;
        let mut grid = layout.grid();
        grid.push(layout.row(&Cat("tom", now - SignedDuration::from_mins(5))));
        Ok(grid.render(None))
    }

    #[test]
    fn wide_tables_have_more_columns_and_full_times() {
        let choice = TableChoice::default();
        let narrow = rendered(&choice, false).unwrap();
        assert_eq!(narrow, "NAME  BORN\ntom   5m ago\n");
        assert_eq!(
            rendered(&choice, true).unwrap(),
            "NAME  BORN                  SIZE\ntom   2031-04-05T06:02:08Z  small\n"
        );
    }

    #[test]
    fn columns_are_chosen_in_order() {
        let mut choice = TableChoice {
            columns: vec!["size".to_owned(), "NAME".to_owned(), "born".to_owned()],
            has_no_titles: true,
        };
        assert_eq!(rendered(&choice, false).unwrap(), "small  tom  5m ago\n");
        choice.columns.push("colour".to_owned());
        let refused = rendered(&choice, false).unwrap_err();
        assert_eq!(refused.message(), "this list has no column `colour`");
    }
}
