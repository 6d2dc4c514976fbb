//! Validation of entity names.

use crate::FieldError;

/// Validates an entity name.
///
/// # Errors
///
/// [`FieldError`] on `name` when it is blank.
pub fn validate_name(name: &str) -> Result<(), FieldError> {
    if name.trim().is_empty() {
        Err(FieldError::new("name", "must not be blank", name))
    } else {
        Ok(())
    }
}
