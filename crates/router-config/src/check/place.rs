//! Where a mistake in a value is shown.

use portcullis_yaml::{Field, Kind, Place};

/// A scalar is shown itself, a list or a map by its key.
pub(crate) fn place(field: &Field<'_>) -> Place {
    match field.node().kind() {
        Kind::List | Kind::Map => field.key_place(),
        _ => field.place(),
    }
}
