//! Shell quoting.

/// Quotes a word for a POSIX shell if necessary.
pub(crate) fn quote(text: &str) -> String {
    let is_plain = |character: char| {
        character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/' | ':' | '@' | ',')
    };
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_special_characters_are_quoted() {
        for (text, written) in [
            ("laptop.json", "laptop.json"),
            ("/etc/ziti/größe.json", "/etc/ziti/größe.json"),
            ("my laptop.json", "'my laptop.json'"),
            ("ann's.json", r"'ann'\''s.json'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ] {
            assert_eq!(quote(text), written);
        }
    }
}
