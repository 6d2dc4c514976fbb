//! Several words in one argument.

/// Takes a list with commas apart.
pub(crate) fn between_commas(text: &str) -> Vec<String> {
    let words = text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Takes the lists of an argument that may be given several times apart.
pub(crate) fn in_all(texts: &[String]) -> Vec<String> {
    texts.iter().flat_map(|text| between_commas(text)).collect()
}

/// Reads an argument that cannot be empty.
pub(crate) fn not_blank(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it must not be empty".to_owned());
    }
    Ok(text.to_owned())
}

/// Says whether something is so.
pub(crate) fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// Says that something is so; nothing if it is not.
pub(crate) fn only_yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_commas() {
        assert_eq!(between_commas("a, b,,c "), ["a", "b", "c"]);
        assert!(between_commas("").is_empty());
    }

    #[test]
    fn blank_texts_are_refused() {
        assert!(not_blank("").is_err() && not_blank(" ").is_err());
        assert_eq!(not_blank(" a").unwrap(), " a");
    }
}
