//! Names and existence of entities that others reference by id.

use crate::error::AppError;
use portcullis_domain::FieldError;
use portcullis_domain::roles::RoleSelectors;
use portcullis_domain::view::NamesById;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Entity, IndexedId, Rows, reference};

/// The names of the entities with the given ids, as far as they exist.
pub(crate) fn load_names<'i, E: Entity, I: IndexedId + 'i>(
    rows: Rows<'_>,
    ids: impl IntoIterator<Item = &'i I>,
    name: impl Fn(E) -> String,
) -> Result<NamesById<I>, StoreError> {
    let mut names = NamesById::new();
    for id in ids {
        if let Some(found) = rows.find::<E>(&reference(id))? {
            names.insert(id.clone(), name(found.entity));
        }
    }
    Ok(names)
}

/// Maximum number of unknown ids that an error lists.
const MAX_LISTED_IDS: usize = 10;

/// Validates that the ids in the selector list `field` exist according to `exists`; `kind` is the
/// plural noun for them.
///
/// # Errors
///
/// A [`FieldError`] for `field` with the unknown ids.
pub(crate) fn validate_references<I: IndexedId>(
    rows: Rows<'_>,
    (field, kind): (&str, &str),
    roles: &RoleSelectors<I>,
    exists: impl Fn(Rows<'_>, &I) -> Result<bool, StoreError>,
) -> Result<(), AppError> {
    let mut unknown = Vec::new();
    let mut count = 0_usize;
    for id in roles.ids() {
        if !exists(rows, id)? {
            count += 1;
            if unknown.len() < MAX_LISTED_IDS {
                unknown.push(id.as_str());
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut listed = unknown.join(", ");
    if count > unknown.len() {
        let more = count - unknown.len();
        listed = format!("{listed} and {more} more");
    }
    // Clients expect the format in which lists appear in errors.
    let value = format!("[{}]", unknown.join(" "));
    let reason = format!("no {kind} with the given ids exist: {listed}");
    Err(FieldError::new(field, reason, value).into())
}
