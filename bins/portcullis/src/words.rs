//! Several words in one argument.

/// Takes a list with commas apart.
pub(crate) fn between_commas(text: &str) -> Vec<String> {
    let words = text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_commas() {
        assert_eq!(between_commas("a, b,,c "), ["a", "b", "c"]);
        assert!(between_commas("").is_empty());
    }
}
