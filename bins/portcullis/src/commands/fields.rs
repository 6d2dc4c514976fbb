//! Help on the fields of filters and orders.

use crate::entity::EntityKind;
use portcullis_command_line::wrap;

/// Widest line of the help.
const WIDTH: usize = 78;

const INDENT: &str = "  ";

/// The help footer of a list: the fields of its kind, and examples.
pub(crate) fn list_footer<E: EntityKind>(examples: &str) -> String {
    let hint = if E::COMMON_FIELDS.contains(&"tags") {
        " (tags are written `tags.KEY`)"
    } else {
        ""
    };
    let fields = lines(&[E::COMMON_FIELDS, E::FIELDS].concat());
    format!("Fields for --filter and --sort{hint}:\n{fields}\n\n{examples}")
}

fn lines(fields: &[&str]) -> String {
    // The last one is wrapped like the others, with a comma.
    let text = wrap(&format!("{},", fields.join(", ")), WIDTH, INDENT.len());
    format!("{INDENT}{}", text.trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_wrapped() {
        assert_eq!(lines(&["id", "name"]), "  id, name");
        let many = lines(&["abcdefghijklmno"; 10]);
        assert!(many.lines().all(|line| line.len() <= WIDTH), "{many}");
        assert_eq!(many.lines().count(), 3, "{many}");
    }
}
