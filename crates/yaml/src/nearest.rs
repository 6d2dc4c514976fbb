//! Suggestions for misspelled words.

/// Maximum length of words to look up: no key is longer, and the work is quadratic.
const MAX_WORD_LENGTH: usize = 64;

/// Finds the candidate that `word` most likely is a misspelling of.
///
/// Differences in case, `_` and `-` are ignored; apart from them, up to a third of the letters may
/// be missing, added, changed or swapped with their neighbour. The first of equally near candidates
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
    if letters.is_empty() || letters.len() > MAX_WORD_LENGTH {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = self::letters(candidate);
            let allowed = letters.len().max(other.len()) / 3;
            let distance = distance(&letters, &other);
            (distance <= allowed).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn letters(word: &str) -> Vec<char> {
    word.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .take(MAX_WORD_LENGTH + 1)
        .collect()
}

/// Edit distance that counts swapped neighbours as one edit (optimal string alignment).
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, &a) in left.iter().enumerate() {
        let mut current = Vec::with_capacity(right.len() + 1);
        current.push(row + 1);
        for (column, &b) in right.iter().enumerate() {
            let at =
                |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&above, column) + usize::from(a != b))
                .min(at(&above, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = row > 0
                && column > 0
                && left.get(row - 1) == Some(&b)
                && right.get(column - 1) == Some(&a);
            if swapped {
                best = best.min(at(&before, column - 1) + 1);
            }
            current.push(best);
        }
        before = above;
        above = current;
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_keys_find_their_neighbour() {
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

    #[test]
    fn distances_count_edits() {
        let cases = [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
        ];
        for (left, right, expected) in cases {
            let (left, right) = (
                left.chars().collect::<Vec<_>>(),
                right.chars().collect::<Vec<_>>(),
            );
            assert_eq!(distance(&left, &right), expected, "{left:?} {right:?}");
            assert_eq!(distance(&right, &left), expected, "{right:?} {left:?}");
        }
    }
}
