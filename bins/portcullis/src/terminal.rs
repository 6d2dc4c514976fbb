//! What terminals show and obey.

pub(crate) use portcullis_domain::terminal::escape_control_characters;

use std::io;
use terminal_size::{Height, Width, terminal_size_of};

/// Text with the style of an ANSI code such as `1;31`, where colors are shown.
pub(crate) fn styled(text: &str, code: &str, is_colored: bool) -> String {
    if is_colored {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Columns for results: `COLUMNS`, or the width of the terminal if standard output is one. `None` if
/// there is no limit.
pub(crate) fn stdout_width() -> Option<usize> {
    let chosen = std::env::var("COLUMNS").ok();
    let chosen = chosen.and_then(|columns| columns.trim().parse().ok());
    let terminal = || {
        let (Width(columns), _) = terminal_size_of(io::stdout())?;
        Some(usize::from(columns))
    };
    chosen.or_else(terminal).filter(|columns| *columns > 0)
}

/// Lines of the terminal that results go to; `None` if standard output goes elsewhere.
pub(crate) fn stdout_height() -> Option<usize> {
    let (_, Height(lines)) = terminal_size_of(io::stdout())?;
    Some(usize::from(lines)).filter(|lines| *lines > 0)
}

/// Columns of the terminal that messages go to; `None` if standard error goes elsewhere.
pub(crate) fn stderr_width() -> Option<usize> {
    let (Width(columns), _) = terminal_size_of(io::stderr())?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}
