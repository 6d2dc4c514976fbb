//! Arguments for the columns of lists.

use crate::column::Tabular;
use crate::table_layout::TableChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use std::ffi::OsStr;
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
        value_parser = ColumnParser(PossibleValuesParser::new(names::<L>()))
    )]
    columns: Vec<String>,

    /// Leave out the titles of the columns and the number of entries
    #[arg(long)]
    no_headers: bool,

    #[arg(skip)]
    kind: PhantomData<fn() -> L>,
}

/// The names of the columns, for which their titles stand too.
fn names<L: Tabular>() -> Vec<PossibleValue> {
    let columns = L::columns().into_iter();
    columns
        .map(|column| PossibleValue::new(column.name).alias(column.title))
        .collect()
}

/// Parser of the name of a column, with or without blanks around it.
#[derive(Clone)]
struct ColumnParser(PossibleValuesParser);

impl TypedValueParser for ColumnParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let name = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
        self.0.parse_ref(command, argument, name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

impl<L: Tabular> ColumnArgs<L> {
    pub(crate) fn choice(self) -> TableChoice {
        TableChoice {
            columns: self.columns,
            has_no_titles: self.no_headers,
        }
    }
}
