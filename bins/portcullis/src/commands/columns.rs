//! Arguments for the columns of lists.

use crate::column::Tabular;
use crate::table_layout::TableChoice;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::marker::PhantomData;

/// Columns of the tables of a kind.
#[derive(Debug, Clone, Args)]
pub(crate) struct ColumnArgs<L: Tabular> {
    /// Columns of the table, in this order, separated by commas
    #[arg(
        long,
        value_name = "COLUMN",
        value_delimiter = ',',
        ignore_case = true,
        value_parser = PossibleValuesParser::new(names::<L>())
    )]
    columns: Vec<String>,

    /// Leave out the titles of the columns and the number of entries
    #[arg(long)]
    no_headers: bool,

    #[arg(skip)]
    kind: PhantomData<fn() -> L>,
}

fn names<L: Tabular>() -> Vec<&'static str> {
    let columns = L::columns();
    columns.iter().map(|column| column.name).collect()
}

impl<L: Tabular> ColumnArgs<L> {
    pub(crate) fn choice(self) -> TableChoice {
        TableChoice {
            columns: self.columns,
            has_no_titles: self.no_headers,
        }
    }
}
