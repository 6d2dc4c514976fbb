//! Role attributes as a network has them: a few words, of which everything carries two.

use portcullis_domain::FieldError;
use portcullis_domain::roles::RoleAttributes;

/// The words.
const WORDS: [&str; 8] = [
    "contractors",
    "engineering",
    "field",
    "finance",
    "partners",
    "sales",
    "staff",
    "support",
];

/// What the `number`th thing of a kind carries: each pair of words comes as often as any other.
pub(super) fn carried(number: u64) -> Result<RoleAttributes, FieldError> {
    RoleAttributes::new(pair(number))
}

/// The selectors of a pair.
pub(super) fn selectors(number: u64) -> [String; 2] {
    pair(number).map(selector)
}

/// The selector of one word.
pub(super) fn selector(word: &str) -> String {
    format!("#{word}")
}

/// Selectors that are met by everything that carries anything, if one of them is enough.
pub(in crate::bench) fn of_everything() -> Vec<String> {
    WORDS.map(selector).into()
}

fn pair(number: u64) -> [&'static str; 2] {
    let (first, apart) = (number % 8, number / 8 % 7 + 1);
    let word = |place: u64| {
        let mut words = WORDS.into_iter().cycle();
        let place = usize::try_from(place).unwrap_or_default();
        words.nth(place).unwrap_or_default()
    };
    [word(first), word(first + apart)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn pairs_are_spread_evenly() {
        let mut counts = BTreeMap::new();
        for number in 0..56 {
            let mut pair = pair(number);
            pair.sort_unstable();
            assert_ne!(pair[0], pair[1]);
            *counts.entry(pair).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 28);
        assert!(counts.values().all(|count| *count == 2), "{counts:?}");
    }

    #[test]
    fn one_of_all_words_is_enough() {
        assert!(of_everything().contains(&selectors(3)[0]));
        assert_eq!(of_everything().len(), 8);
    }
}
