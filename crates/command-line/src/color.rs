//! When to use colors.

use std::env;
use std::io::IsTerminal;

/// Whether to use colors on a stream: it is a terminal, and `NO_COLOR` is not set.
pub fn supports_color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && env::var_os("NO_COLOR").is_none()
}
