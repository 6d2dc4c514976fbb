//! Helpers for partial updates.

/// Assigns `value` if there is one.
pub(crate) fn assign<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
