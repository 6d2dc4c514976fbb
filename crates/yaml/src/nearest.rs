//! Suggestions for misspelled words.

/// Maximum length of words to look up: no key is longer, and the work is quadratic.
const MAX_WORD_LENGTH: usize = 64;

/// Finds the candidate that `word` most likely is a misspelling of.
///
/// Differences in case, `_` and `-` are ignored; apart from them, up to a third of the letters may
/// be missing, added, changed or swapped with their neighbor. The first of equally near candidates
/// wins.
///
/// # Examples
///
/// ```
/// use portcullis_yaml::nearest;
///
/// assert_eq!(nearest("fowarder", ["ctrl", "forwarder"]), Some("forwarder"));
/// assert_eq!(nearest("serverCert", ["cert", "server_cert"]), Some("server_cert"));
/// assert_eq!(nearest("banana", ["ctrl", "forwarder"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = letters(word);
    let length = letters.chars().count();
    if length == 0 || length > MAX_WORD_LENGTH {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = self::letters(candidate);
            let allowed = length.max(other.chars().count()) / 3;
            let distance = strsim::osa_distance(&letters, &other);
            (distance <= allowed).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn letters(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .take(MAX_WORD_LENGTH + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_keys_find_their_neighbor() {
        const KEYS: &[&str] = &[
            "sessionTimeout",
            "address",
            "activityUpdateInterval",
            "listener",
            "db",
            "v",
        ];
        let cases = [
            ("sesionTimeout", Some("sessionTimeout")),
            ("session_timeout", Some("sessionTimeout")),
            ("adress", Some("address")),
            ("addrses", Some("address")),
            ("listner", Some("listener")),
            ("listeners", Some("listener")),
            ("dbs", Some("db")),
            ("V", Some("v")),
            ("unrelated", None),
            ("", None),
            ("-", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, KEYS.iter().copied()), expected, "{word}");
        }
        assert_eq!(nearest(&"a".repeat(MAX_WORD_LENGTH + 1), ["a"]), None);
    }
}
