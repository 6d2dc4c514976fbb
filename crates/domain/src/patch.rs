//! What partial updates have in common.

/// Puts a value in its place, if there is one.
pub(crate) fn assign<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
