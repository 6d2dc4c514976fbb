//! Case folding for `icontains`.

/// The text in upper case by Unicode's simple mapping: every character maps to one character, so `ß`
/// is unchanged. OpenZiti compares in the same way.
pub(crate) fn upper_case(text: &str) -> String {
    text.chars().map(upper).collect()
}

fn upper(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_uppercase();
    }
    let mut mapped = character.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(upper), None) => upper,
        _ => iota_subscript(character),
    }
}

/// Greek letters with iota subscript: their full mapping has two letters, the simple one a single letter.
fn iota_subscript(character: char) -> char {
    let distance = match character {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => 0,
    };
    char::from_u32(u32::from(character) + distance).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_stays_one_character() {
        for (text, expected) in [
            ("Sales-7", "SALES-7"),
            ("naïve", "NAÏVE"),
            ("straße", "STRAßE"),
            ("ﬁn", "ﬁN"),
            ("\u{1fb3}\u{1f80}", "\u{1fbc}\u{1f88}"),
            ("ǆ ǅ", "Ǆ Ǆ"),
        ] {
            assert_eq!(upper_case(text), expected, "{text}");
        }
    }

    #[test]
    fn upper_case_is_already_upper_case() {
        for character in '\0'..=char::MAX {
            assert_eq!(upper(upper(character)), upper(character), "{character:?}");
        }
    }
}
