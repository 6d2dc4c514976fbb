//! Validation of usernames.

use crate::FieldError;
use crate::terminal::is_terminal_control;

/// Validates a new username, so that no two usernames look the same.
///
/// Logins do not apply these rules: existing usernames stay valid.
///
/// # Errors
///
/// [`FieldError`] on `field` when it contains invisible or text direction characters, white space
/// other than plain spaces, or leading or trailing white space.
pub fn validate_username(field: &str, username: &str) -> Result<(), FieldError> {
    let reason = if let Some(hidden) = username.chars().find(|one| is_invisible(*one)) {
        let code = u32::from(hidden);
        format!(
            "must not contain control, zero-width or text direction characters; remove U+{code:04X}"
        )
    } else if let Some(space) = username.chars().find(|one| is_nonstandard_space(*one)) {
        let code = u32::from(space);
        format!("must not contain white space other than plain spaces; remove U+{code:04X}")
    } else if username.trim() != username {
        "must not begin or end with white space".to_owned()
    } else {
        return Ok(());
    };
    let shown = username.escape_debug().to_string();
    Err(FieldError::new(field, reason, shown))
}

/// Whether a character looks like a space but is not U+0020.
fn is_nonstandard_space(character: char) -> bool {
    character != ' ' && (character.is_whitespace() || character == BRAILLE_BLANK)
}

/// Braille pattern blank; Unicode does not classify it as white space.
const BRAILLE_BLANK: char = '\u{2800}';

/// Whether a character is invisible: one that controls terminals, or another zero-width one or one
/// that changes the direction of text (UAX #9).
fn is_invisible(character: char) -> bool {
    is_terminal_control(character)
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_are_what_they_look_like() {
        for good in ["anna", "anna.b@example.com", "Анна", "李小龍", "jean luc"] {
            assert_eq!(validate_username("username", good), Ok(()), "{good}");
        }
        for (bad, named) in [
            ("an\nna", "U+000A"),
            ("an\u{1b}[2Jna", "U+001B"),
            ("an\u{9b}na", "U+009B"),
            ("an\u{200b}na", "U+200B"),
            ("an\u{200d}na", "U+200D"),
            ("\u{feff}anna", "U+FEFF"),
            ("anna\u{202e}", "U+202E"),
            ("an\u{2066}na", "U+2066"),
            ("an\u{2028}na", "U+2028"),
            ("an\u{e0041}na", "U+E0041"),
            (" anna", "white space"),
            ("anna\u{3000}", "white space"),
            ("anna ", "white space"),
            ("jean\u{a0}luc", "U+00A0"),
            ("jean\u{2003}luc", "U+2003"),
            ("jean\u{3000}luc", "U+3000"),
            ("jean\u{2800}luc", "U+2800"),
        ] {
            let error = validate_username("updb", bad).unwrap_err();
            assert_eq!(error.field, "updb");
            assert!(error.reason.contains(named), "{error}");
            assert!(!error.value.chars().any(is_invisible), "{error:?}");
        }
    }
}
