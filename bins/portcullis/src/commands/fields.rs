//! Help on the fields of filters and orders.

use crate::entity::EntityKind;
use portcullis_command_line::wrap;

/// Fields of all kinds.
const COMMON: [&str; 5] = ["id", "createdAt", "updatedAt", "tags", "isSystem"];

/// Widest line of the help.
const WIDTH: usize = 78;

const INDENT: &str = "  ";

/// The help footer of a list: the fields of its kind, and examples.
pub(crate) fn list_footer<E: EntityKind>(examples: &str) -> String {
    let title = "Fields for --filter and --sort (tags are written `tags.KEY`):";
    format!("{title}\n{}\n\n{examples}", lines(E::FIELDS))
}

fn lines(own: &[&str]) -> String {
    let fields = [&COMMON, own].concat();
    // The last one is wrapped like the others, with a comma.
    let text = wrap(&format!("{},", fields.join(", ")), WIDTH, INDENT.len());
    format!("{INDENT}{}", text.trim_end_matches(','))
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
        assert!(many.lines().all(|line| line.len() <= WIDTH), "{many}");
        assert_eq!(many.lines().count(), 3, "{many}");
    }
}
