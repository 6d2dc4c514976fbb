//! Members of records that are omitted.

/// Whether a member has its default value, which records omit.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
