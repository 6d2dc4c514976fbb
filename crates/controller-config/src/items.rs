//! Items of lists.

use portcullis_yaml::Field;

/// Reads every item even when an earlier one is wrong, so that all mistakes are found.
pub(crate) fn read_all<'tree, T>(
    items: &[Field<'tree>],
    read: impl FnMut(&Field<'tree>) -> Option<T>,
) -> Option<Vec<T>> {
    let read: Vec<Option<T>> = items.iter().map(read).collect();
    read.into_iter().collect()
}
