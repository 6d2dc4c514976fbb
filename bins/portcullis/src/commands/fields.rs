//! Help on the fields of filters and orders.

use crate::entity::EntityKind;

/// Fields of all kinds.
const COMMON: [&str; 5] = ["id", "createdAt", "updatedAt", "tags", "isSystem"];

/// Widest line of the help.
const WIDTH: usize = 90;

/// The help footer of a list: the fields of its kind, and examples.
pub(crate) fn list_footer<E: EntityKind>(examples: &str) -> String {
    let title = "Fields for --filter and --sort (tags are written `tags.KEY`):";
    format!("{title}\n{}\n\n{examples}", lines(E::FIELDS))
}

fn lines(own: &[&str]) -> String {
    let mut text = String::new();
    let mut line = String::from(" ");
    for field in COMMON.iter().chain(own) {
        if line.len() + field.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(field);
        line.push(',');
    }
    text.push_str(line.trim_end_matches(','));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_wrapped() {
        assert_eq!(
            lines(&["name"]),
            "  id, createdAt, updatedAt, tags, isSystem, name"
        );
        let many = lines(&["abcdefghijklmno"; 10]);
        assert!(many.lines().all(|line| line.len() <= WIDTH + 2), "{many}");
        assert_eq!(many.lines().count(), 3, "{many}");
    }
}
