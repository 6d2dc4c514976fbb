//! Rows and commands of what is printed at the end of a command, for narrow terminals.

use crate::output::one_line;
use std::borrow::Cow;
use std::path::Path;

/// Columns of the smallest usual terminal.
pub(super) const WIDTH: usize = 80;

/// Column at which the values begin.
const VALUE_COLUMN: usize = 17;

/// A label with its value: in one line if it fits, or else one line for each part.
pub(super) fn row(label: &str, parts: &[impl AsRef<str>]) -> String {
    let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
    let whole = parts.join(" ");
    let lines = if VALUE_COLUMN + whole.chars().count() <= WIDTH {
        vec![whole.as_str()]
    } else {
        parts
    };
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    let lines = labels.zip(lines);
    let lines = lines.map(|(label, line)| format!("  {label:<15}{line}\n"));
    lines.collect()
}

/// A command in one line if it fits, or else with its last option in a second one. A shell reads both
/// as one command.
pub(super) fn command(words: &[&str]) -> String {
    let whole = format!("  {}", words.join(" "));
    match words.split_last() {
        Some((last, before)) if whole.chars().count() > WIDTH => {
            format!("  {} \\\n    {last}", before.join(" "))
        },
        _ => whole,
    }
}

/// A path in one line.
pub(super) fn shown(path: &Path) -> String {
    let path: Cow<'_, str> = path.to_string_lossy();
    one_line(&path).into_owned()
}
