//! Explanations as text for a terminal.

use crate::explain::Explanation;
use crate::key::ConfigFile;
use crate::lookup::find_paths;

/// Most paths to suggest for an unknown path.
const MAX_SUGGESTIONS: usize = 8;

/// Column of descriptions in a list, unless a name is longer.
const LIST_COLUMN: usize = 20;
/// Column of the properties of a key.
const LABEL_COLUMN: usize = 12;
/// Widest line, in characters.
const MAX_LINE_WIDTH: usize = 80;

/// Lists keys, each with its meaning.
pub fn list(explanations: &[Explanation]) -> String {
    let longest = explanations.iter().map(|key| key.path.len()).max();
    let column = longest.map_or(0, |longest| longest + 1).max(LIST_COLUMN);
    let line = |key: &Explanation| {
        let about = key.state.as_deref().unwrap_or(key.doc);
        format!("{:column$}{about}\n", key.path)
    };
    wrap(&explanations.iter().map(line).collect::<String>(), column)
}

/// Writes everything about keys, a paragraph for each.
pub fn details(explanations: &[Explanation]) -> String {
    let paragraph = |key: &Explanation| format!("{key}\n");
    let paragraphs: String = explanations.iter().map(paragraph).collect();
    wrap(paragraphs.trim_end(), 0)
}

/// Suggests the keys that have the name at the end of an unknown path.
pub fn suggest_paths<F: ConfigFile>(path: &str) -> Option<String> {
    let last = path.rsplit('.').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    let places = find_paths::<F>(name);
    let shown: Vec<&str> = places
        .iter()
        .take(MAX_SUGGESTIONS)
        .map(String::as_str)
        .collect();
    let more = match places.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("did you mean {}{more}?", shown.join(", ")))
}

/// Wraps lines with a hanging indent; those of a list have theirs at `list_column`.
fn wrap(text: &str, list_column: usize) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let margin = match line.find(":  ") {
            Some(_) if line.starts_with("  ") => LABEL_COLUMN,
            _ if line.starts_with("  ") => 2,
            _ => list_column,
        };
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let width = word.chars().count();
            if column + width > MAX_LINE_WIDTH && column > margin {
                wrapped.truncate(wrapped.trim_end().len());
                wrapped.push('\n');
                wrapped.push_str(&" ".repeat(margin));
                column = margin;
            }
            wrapped.push_str(word);
            column += width;
        }
        wrapped.push('\n');
    }
    wrapped
}
