//! What the YAML parser must not say.

use std::panic;

/// Keeps panics of the YAML parser off the standard error. It panics on a few malformed texts; that
/// is caught, and told as a syntax error.
pub(super) fn hush() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !portcullis_yaml::is_parsing() {
            tell(info);
        }
    }));
}
