//! Positions of findings about values.

use portcullis_yaml::{Field, KeyPath, NodeType, SourceLocation};

/// The position of a scalar, or of the key of a list or map.
pub(crate) fn report_place(field: &Field<'_>) -> SourceLocation {
    match field.node().node_type() {
        NodeType::List | NodeType::Map => field.key_location(),
        _ => field.location(),
    }
}

/// The path of a list item: with its index when it has a line of its own, that of the list when the
/// whole list is on the line of its key.
pub(crate) fn report_path(list: &Field<'_>, item: &Field<'_>) -> KeyPath {
    let is_inline = item.location().line == list.key_location().line;
    if is_inline { list } else { item }.path().clone()
}
