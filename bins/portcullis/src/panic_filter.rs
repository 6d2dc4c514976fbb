//! Suppression of panic messages from the YAML parser.

use std::panic;

/// Suppresses panic messages of the YAML parser. It panics on some malformed input, which is caught
/// and reported as a syntax error.
pub(crate) fn silence_parser_panics() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !portcullis_yaml::is_parsing() {
            tell(info);
        }
    }));
}
