//! How a list is answered: from an order of the catalog, from what an identity owns, or by looking
//! at every record.

use super::{Listing, page};
use crate::app::{App, View};
use crate::error::AppError;
use portcullis_domain::ids::Number;
use portcullis_domain::view::Page;
use portcullis_filter::{CompareOp, Comparison, Direction as Asked, Predicate, Subject, Test};
use portcullis_index::{Direction, SortKey};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Entity, Found};

/// How a list is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Everything, in an order that the catalog has.
    Walk(SortKey, Direction),
    /// What the identity of this id owns, by id.
    Owned(String),
    /// Whatever matches, found by looking at all.
    Scan,
}

/// Finds out how to answer `listing`.
pub(crate) fn plan(listing: &Listing) -> Plan {
    let Some((sort, direction)) = catalogued(listing) else {
        return Plan::Scan;
    };
    match &listing.predicate {
        Predicate::Constant(true) => Plan::Walk(sort, direction),
        Predicate::Test {
            subject: Subject::Value(symbol),
            test:
                Test::Text(Comparison::Is {
                    op: CompareOp::Equal,
                    operand,
                }),
        } if symbol.name() == "identity"
            && (sort, direction) == (SortKey::Id, Direction::Ascending) =>
        {
            Plan::Owned(operand.clone())
        },
        _ => Plan::Scan,
    }
}

/// The order of the catalog that is the one asked for, if there is one: by one field, and then by
/// id ascending.
fn catalogued(listing: &Listing) -> Option<(SortKey, Direction)> {
    let (first, rest) = listing.order.keys().split_first()?;
    let sort = match first.symbol.name() {
        "id" => SortKey::Id,
        "name" => SortKey::Name,
        "createdAt" => SortKey::CreatedAt,
        _ => return None,
    };
    let ends_by_id = match rest {
        [] => sort == SortKey::Id,
        [last] => last.symbol.name() == "id" && last.direction == Asked::Ascending,
        _ => false,
    };
    let direction = match first.direction {
        Asked::Ascending => Direction::Ascending,
        Asked::Descending => Direction::Descending,
    };
    ends_by_id.then_some((sort, direction))
}

/// Reads the records of a page whose numbers the catalog hands out.
///
/// The view is opened after the first numbers are known: it shows all that they name, and what is
/// gone meanwhile is made up for by what follows.
pub(crate) fn page_of<E: Entity>(
    app: &App,
    listing: &Listing,
    total: usize,
    mut numbers: impl FnMut(u64, usize) -> Vec<Number>,
    key: impl Fn(Number) -> Option<RecordKey>,
) -> Result<(View, Page<Found<E>>), AppError> {
    let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
    let wanted = listing.page.limit.rows().unwrap_or(usize::MAX);
    let mut offset = count(listing.page.offset.rows());
    let mut batch = numbers(offset, wanted);
    let view = app.snapshot()?;
    let mut found = Vec::new();
    while !batch.is_empty() {
        offset += count(batch.len());
        for key in batch.into_iter().filter_map(&key) {
            if let Some(entity) = view.rows().get(&key)? {
                found.push(Found { key, entity });
            }
        }
        let missing = wanted - found.len();
        batch = if missing == 0 {
            Vec::new()
        } else {
            numbers(offset, missing)
        };
    }
    Ok((view, page(listing, found, total)))
}
