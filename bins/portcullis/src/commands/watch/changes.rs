//! What is new in a list since it was last seen.

use crate::commands::listing::Listing;
use crate::context::Context;
use crate::error::CliError;
use crate::listable::Listable;
use crate::output;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The entities of a list as they were written, by id.
#[derive(Debug, Default)]
pub(super) struct Changes(BTreeMap<String, Written>);

#[derive(Debug)]
struct Written {
    document: Value,
    /// Its row of the table, if there is one.
    row: String,
}

/// What became of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    New,
    Changed,
    Gone,
}

/// A change as programs read it.
#[derive(Serialize)]
struct ChangeDocument<'c> {
    change: Change,
    entity: &'c Value,
}

impl Change {
    const fn mark(self) -> char {
        match self {
            Self::New => '+',
            Self::Changed => '~',
            Self::Gone => '-',
        }
    }
}

impl Changes {
    /// Writes what differs from the last time, each on a line of its own.
    pub(super) fn write<L: Listable>(
        &mut self,
        context: &Context,
        listing: &Listing,
        entities: &[L],
    ) -> Result<(), CliError> {
        let rows = listing.rows(context, entities)?;
        let mut before = std::mem::take(&mut self.0);
        for (entity, row) in entities.iter().zip(rows) {
            let document = output::document(entity)?;
            let written = Written { document, row };
            let change = match before.remove(entity.id()) {
                None => Some(Change::New),
                Some(last) if last.document != written.document => Some(Change::Changed),
                Some(_) => None,
            };
            if let Some(change) = change {
                write(context, change, entity.reference(), &written)?;
            }
            self.0.insert(entity.id().to_owned(), written);
        }
        before
            .iter()
            .try_for_each(|(id, gone)| write(context, Change::Gone, id, gone))
    }
}

fn write(context: &Context, change: Change, name: &str, of: &Written) -> Result<(), CliError> {
    let document = ChangeDocument {
        change,
        entity: &of.document,
    };
    let line = format!("{} {}\n", change.mark(), of.row);
    context.output.write_line(name, &document, &line)
}
