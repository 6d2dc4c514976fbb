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
            (
                distance(&wanted, &candidate.to_ascii_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in characters.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (start, l) in (1..).zip(left.chars()) {
        let mut diagonal = start - 1;
        let mut previous = start;
        let mut next = vec![start];
        for (r, above) in right.chars().zip(row.iter().skip(1)) {
            let cell = (diagonal + usize::from(l != r))
                .min(above + 1)
                .min(previous + 1);
            diagonal = *above;
            previous = cell;
            next.push(cell);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (left, right, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("name", "nmae", 2),
            ("name", "names", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn only_close_names_are_suggested() {
        let known = || ["name", "isAdmin", "createdAt"].into_iter();
        assert_eq!(nearest("NAME", known()), Some("name"));
        assert_eq!(nearest("isadmn", known()), Some("isAdmin"));
        assert_eq!(nearest("nosuch", known()), None);
        assert_eq!(nearest(&"n".repeat(65), known()), None);
    }
}
