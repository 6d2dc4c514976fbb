//! Columns of tables.

use crate::moment;
use crate::text::yes_or_empty;
use portcullis_api::time::WireTime;
use portcullis_domain::clock::Timestamp;

/// A column of a table whose rows are `L`.
pub(crate) struct Column<L> {
    /// Name in `--columns`: that of the member in the API, if there is one.
    pub(crate) name: &'static str,
    /// Title in lower case.
    pub(crate) title: &'static str,
    pub(crate) place: ColumnPlace,
    /// Whether its cells are useless if they are cut.
    pub(crate) is_uncut: bool,
    pub(crate) cell: fn(&L, Timestamp) -> Cell,
}

/// What rows of tables are made of.
pub(crate) trait Tabular: Sized {
    /// The columns of its tables, in their order.
    fn columns() -> Vec<Column<Self>>;
}

/// The tables that a column is part of if no columns are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnPlace {
    All,
    /// Wide tables.
    Wide,
    /// None.
    Chosen,
}

impl<L> Column<L> {
    /// A column of all tables.
    pub(crate) const fn new(
        name: &'static str,
        title: &'static str,
        cell: fn(&L, Timestamp) -> Cell,
    ) -> Self {
        Self {
            name,
            title,
            place: ColumnPlace::All,
            is_uncut: false,
            cell,
        }
    }

    /// A column of ids.
    pub(crate) const fn id(
        name: &'static str,
        title: &'static str,
        cell: fn(&L, Timestamp) -> Cell,
    ) -> Self {
        Self {
            is_uncut: true,
            ..Self::new(name, title, cell)
        }
    }

    /// Restricts the column to wide tables.
    pub(crate) const fn wide(self) -> Self {
        Self {
            place: ColumnPlace::Wide,
            ..self
        }
    }

    /// Restricts the column to tables for which it is chosen.
    pub(crate) const fn chosen(self) -> Self {
        Self {
            place: ColumnPlace::Chosen,
            ..self
        }
    }
}

impl<L> Clone for Column<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Column<L> {}

/// What stands in a row below a title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    Text(String),
    Time(Timestamp),
}

impl Cell {
    /// The text in ordinary tables.
    pub(crate) fn short(self, now: Timestamp) -> String {
        match self {
            Self::Text(text) => text,
            Self::Time(time) => moment::relative(time, now),
        }
    }

    /// The text in wide tables.
    pub(crate) fn long(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Time(time) => moment::absolute(time),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// `yes`, or nothing.
impl From<bool> for Cell {
    fn from(is_so: bool) -> Self {
        yes_or_empty(is_so).into()
    }
}

impl From<Timestamp> for Cell {
    fn from(time: Timestamp) -> Self {
        Self::Time(time)
    }
}

impl From<WireTime> for Cell {
    fn from(time: WireTime) -> Self {
        Self::Time(time.0)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Text(String::new()), Into::into)
    }
}
