//! The form of JWTs.

/// What the base64url text of a JSON object begins with.
const OBJECT_START: &str = "eyJ";

/// Whether a text has the form of a signed JWT: three parts, separated by dots.
pub fn has_form(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| is_base64url(part))
}

/// Whether a word is a JWT rather than the name of a file.
pub fn is_certain(word: &str) -> bool {
    word.starts_with(OBJECT_START) && has_form(word)
}

fn is_base64url(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !part.is_empty() && part.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_tokens() {
        assert!(is_certain("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln-_"));
        for name in ["archive.tar.gz", "eyJ.jwt", "eyJ.a/b.c", "eyJ.a.", "-"] {
            assert!(!is_certain(name), "{name}");
        }
    }
}
