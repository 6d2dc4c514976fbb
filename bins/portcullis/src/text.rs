//! Parsing and formatting of short texts.

/// Splits a comma-separated list, dropping empty entries.
pub(crate) fn split_commas(text: &str) -> Vec<String> {
    let words = text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Splits the comma-separated lists of a repeatable argument.
pub(crate) fn split_all_commas(texts: &[String]) -> Vec<String> {
    texts.iter().flat_map(|text| split_commas(text)).collect()
}

/// Parses an argument that must not be blank.
pub(crate) fn parse_non_blank(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("must not be empty".to_owned());
    }
    Ok(text.to_owned())
}

/// Joins words as in `a, b or c`.
pub(crate) fn enumerate(words: &[String], conjunction: &str) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {conjunction} {last}", others.join(", ")),
        None => String::new(),
    }
}

/// `yes` or `no`.
pub(crate) fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// `yes`, or nothing.
pub(crate) fn yes_or_empty(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_commas() {
        assert_eq!(split_commas("a, b,,c "), ["a", "b", "c"]);
        assert!(split_commas("").is_empty());
    }

    #[test]
    fn conjunction_stands_before_the_last_word() {
        for (words, sentence) in [
            ("", ""),
            ("a", "a"),
            ("a,b", "a or b"),
            ("a,b,c", "a, b or c"),
        ] {
            assert_eq!(enumerate(&split_commas(words), "or"), sentence);
        }
    }

    #[test]
    fn blank_texts_are_refused() {
        assert!(parse_non_blank("").is_err() && parse_non_blank(" ").is_err());
        assert_eq!(parse_non_blank(" a").unwrap(), " a");
    }
}
