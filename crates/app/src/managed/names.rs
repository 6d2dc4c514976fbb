//! Entities that others name by id.

use crate::error::AppError;
use portcullis_domain::FieldError;
use portcullis_domain::roles::Roles;
use portcullis_domain::view::Names;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Entity, IndexedId, Rows, reference};

/// The names of those of some entities that there are.
pub(crate) fn names<'i, E: Entity, I: IndexedId + 'i>(
    rows: Rows<'_>,
    ids: impl IntoIterator<Item = &'i I>,
    name: impl Fn(E) -> String,
) -> Result<Names<I>, StoreError> {
    let mut names = Names::new();
    for id in ids {
        if let Some(found) = rows.find::<E>(&reference(id))? {
            names.insert(id.clone(), name(found.entity));
        }
    }
    Ok(names)
}

/// How many ids that lead nowhere an error lists.
const SHOWN: usize = 10;

/// Checks that what the member `field`, a list of selectors, names exists; `exists` tells, and `kind`
/// is the word for several of them.
///
/// # Errors
///
/// A fault of `field` with the ids that lead nowhere.
pub(crate) fn check_named<I: IndexedId>(
    rows: Rows<'_>,
    (field, kind): (&str, &str),
    roles: &Roles<I>,
    exists: impl Fn(Rows<'_>, &I) -> Result<bool, StoreError>,
) -> Result<(), AppError> {
    let mut unknown = Vec::new();
    let mut count = 0_usize;
    for id in roles.ids() {
        if !exists(rows, id)? {
            count += 1;
            if unknown.len() < SHOWN {
                unknown.push(id.as_str());
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut shown = unknown.join(", ");
    if count > unknown.len() {
        let more = count - unknown.len();
        shown = format!("{shown} and {more} more");
    }
    // The value has the form that lists have in errors.
    let value = format!("[{}]", unknown.join(" "));
    let reason = format!("no {kind} with the given ids exist: {shown}");
    Err(FieldError::new(field, reason, value).into())
}
