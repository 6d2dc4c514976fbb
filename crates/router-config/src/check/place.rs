//! Where a mistake in a value is shown.

use portcullis_yaml::{Field, KeyPath, Kind, Place};

/// A scalar is shown itself, a list or a map by its key.
pub(crate) fn place(field: &Field<'_>) -> Place {
    match field.node().kind() {
        Kind::List | Kind::Map => field.key_place(),
        _ => field.place(),
    }
}

/// A value in a list is named as it is written: by its position when it stands on a line of its own, by
/// the list when all of it stands on the line of the key.
pub(crate) fn path_in_list(list: &Field<'_>, item: &Field<'_>) -> KeyPath {
    let is_inline = item.place().line == list.key_place().line;
    if is_inline { list } else { item }.path().clone()
}
