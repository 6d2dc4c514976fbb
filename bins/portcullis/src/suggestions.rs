//! Names on the controller that resemble a misspelled one.

use crate::text::enumerate;
use portcullis_client::{ListQuery, quote};

/// Candidates that the controller is asked for, however many there are.
const MAX_CANDIDATES: i64 = 100;

const MAX_SUGGESTIONS: usize = 3;

/// Longest word to look for: the comparison takes quadratic time.
const MAX_LETTERS: usize = 64;

/// A query for values of `field` that share a part with `word`; `None` if there is nothing to go by.
pub(crate) fn query(field: &str, word: &str) -> Option<ListQuery> {
    let letters: Vec<_> = word.chars().collect();
    if letters.len() > MAX_LETTERS || letters.iter().any(|letter| letter.is_control()) {
        return None;
    }
    let conditions = parts(&letters).into_iter().map(|part| {
        let part: String = part.iter().collect();
        format!("{field} icontains {}", quote(&part))
    });
    let conditions: Vec<_> = conditions.collect();
    (!conditions.is_empty()).then(|| ListQuery {
        limit: Some(MAX_CANDIDATES),
        ..ListQuery::with_filter(conditions.join(" or "))
    })
}

/// Parts of a word of which a single mistake leaves one or more as they were.
fn parts(letters: &[char]) -> Vec<&[char]> {
    match letters.len() {
        0 => Vec::new(),
        1 => vec![letters],
        length @ 2..=3 => [letters.get(..length - 1), letters.get(1..)]
            .into_iter()
            .flatten()
            .collect(),
        length @ 4..=5 => letters.chunks(length.div_ceil(2)).collect(),
        length => letters.chunks(length.div_ceil(3)).collect(),
    }
}

/// Asks whether one of the candidates that are nearest to `word` is meant.
pub(crate) fn did_you_mean<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let names = nearest(word, candidates);
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", enumerate(&quoted, "or")))
}

/// The candidates that `word` may be a misspelling or a part of, the nearest first.
fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let mut near: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let other_length = other.chars().count();
            if other_length > MAX_LETTERS {
                return None;
            }
            let distance = strsim::osa_distance(&word, &other);
            let is_part = length >= 2 && other.contains(&word);
            let is_near = distance <= length.max(other_length) / 3;
            (is_near || is_part).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(MAX_SUGGESTIONS);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_and_longer_ones_are_suggested() {
        let known = ["anna", "Anne", "laptop", "laptop-2", "hannah", "server"];
        for (word, question) in [
            ("ann", Some("did you mean `Anne`, `anna` or `hannah`?")),
            ("latpop", Some("did you mean `laptop`?")),
            ("SERVER", Some("did you mean `server`?")),
            ("serv", Some("did you mean `server`?")),
            ("printer", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(word, known).as_deref(), question, "{word}");
        }
    }

    #[test]
    fn controller_is_asked_for_parts_that_a_mistake_leaves() {
        let filter = |word| query("name", word).and_then(|query| query.filter);
        for (word, asked) in [
            ("a", Some(r#"name icontains "a""#)),
            (
                "an\"",
                Some(r#"name icontains "an" or name icontains "n\"""#),
            ),
            (
                "anna",
                Some(r#"name icontains "an" or name icontains "na""#),
            ),
            (
                "latpop",
                Some(r#"name icontains "la" or name icontains "tp" or name icontains "op""#),
            ),
            ("", None),
            ("a\u{1b}[2Jb", None),
        ] {
            assert_eq!(filter(word).as_deref(), asked, "{word}");
        }
        assert_eq!(filter(&"x".repeat(65)), None);
        assert!(
            query("name", "anna").unwrap().limit.is_some(),
            "not all of them"
        );
    }
}
