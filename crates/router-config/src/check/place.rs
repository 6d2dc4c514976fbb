//! Positions of findings about values.

use portcullis_yaml::{Field, KeyPath, Kind, Place};

/// The position of a scalar, or of the key of a list or map.
pub(crate) fn report_place(field: &Field<'_>) -> Place {
    match field.node().kind() {
        Kind::List | Kind::Map => field.key_place(),
        _ => field.place(),
    }
}

/// The path of a list item: with its index when it has a line of its own, that of the list when the
/// whole list is on the line of its key.
pub(crate) fn report_path(list: &Field<'_>, item: &Field<'_>) -> KeyPath {
    let is_inline = item.place().line == list.key_place().line;
    if is_inline { list } else { item }.path().clone()
}
