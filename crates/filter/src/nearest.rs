//! Spelling suggestions.

use crate::limits::MAX_NAME_CHARS;

/// The candidate closest to `name`, if at most a third of its characters, rounded up, differ.
pub(crate) fn nearest(
    name: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    // The distance takes quadratic time, and no typo turns a short name into a very long one.
    if name.len() > MAX_NAME_CHARS {
        return None;
    }
    let wanted = name.to_ascii_lowercase();
    let allowed = name.chars().count().div_ceil(3);
    candidates
        .map(|candidate| {
            let distance = strsim::levenshtein(&wanted, &candidate.to_ascii_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let known = || ["name", "isAdmin", "createdAt"].into_iter();
        assert_eq!(nearest("NAME", known()), Some("name"));
        assert_eq!(nearest("isadmn", known()), Some("isAdmin"));
        assert_eq!(nearest("nosuch", known()), None);
        assert_eq!(nearest(&"n".repeat(65), known()), None);
    }
}
