//! What differs from run to run.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Patterns of values that differ from run to run, with what stands for them.
static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\b[0-9A-F]{2}(:\s*[0-9A-F]{2}){31}\b", "FINGERPRINT"),
        (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z?", "TIME"),
        (r"\b\d{4}-\d\d-\d\d( [\d:.]+Z?)?", "TIME"),
        (r"\b\d{8}-\d{6}\b", "TIME"),
        (r"(code[^:\n]*: )\d{6}\b", "${1}CODE"),
        (r"\b([A-Z2-7]{4} ){7}[A-Z2-7]{4}\b", "SECRET"),
        (r"\b([A-Z2-7]{6}\s+){4}[A-Z2-7]{6}\b", "RECOVERY CODES"),
        (
            r"\b(\d+ ?(y|mo|w|d|h|m|min|s|ms) )?\d+ ?(y|mo|w|d|h|m|min|s|ms) ago",
            "AGE ago",
        ),
        (r"\bin (\d+ ?(y|mo|w|d|h|m|min|s|ms) ?)+\b", "in DURATION"),
        (r"\bjust now\b", "AGE ago"),
        (r"/tmp/[A-Za-z0-9._/-]+", "PATH"),
        (r"\b[0-9a-f]{40}([0-9a-f]{24})?\b", "DIGEST"),
        (r"\b[0-9a-f]{12}\b", "REVISION"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
        // The trail is written a moment after what it tells.
        (
            r"\b\d+ lines; the last committed event is number \d+",
            "COUNT lines",
        ),
        (r"\b\d+(\.\d+)? ?(ms|kB|KiB|MB|MiB|GB|GiB)\b", "AMOUNT"),
    ]
    .into_iter()
    .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
    .collect()
});

/// A word that could be an id: see [`is_id`].
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9.-]{11,}").unwrap());

static BLANKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s+").unwrap());

/// Replaces what differs from run to run, and all blanks by single ones: columns move with what
/// stands in them. `documented` is the text that the result is compared with.
pub(crate) fn replace(text: &str, documented: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, name) in PATTERNS.iter() {
        text = pattern.replace_all(&text, *name).into_owned();
    }
    let id = |word: &Captures<'_>| {
        let word = &word[0];
        // One in some hundred ids has no small letter, or no other character: what is an id shows
        // in what the document does not say.
        let drawn = is_id(word) || has_length_of_id(word) && !documented.contains(word);
        let kept = if drawn { "ID" } else { word };
        kept.to_owned()
    };
    let text = WORD.replace_all(&text, id);
    BLANKS.replace_all(text.trim(), " ").into_owned()
}

/// Whether a word looks drawn by chance: its length is that of ids, and it has inner capitals or
/// digits.
fn is_id(word: &str) -> bool {
    let has = |test: fn(&char) -> bool| word.chars().skip(1).any(|c| test(&c));
    has_length_of_id(word)
        && (has(char::is_ascii_uppercase) || has(char::is_ascii_digit))
        && has(char::is_ascii_lowercase)
}

fn has_length_of_id(word: &str) -> bool {
    matches!(word.len(), 11 | 21 | 22)
}

#[test]
fn values_of_chance_are_replaced() {
    let shown = "3qs2Zgt4rnp  laptop   15m ago\n/tmp/portcullis-x1/ca.pem  2031-01-02T03:04:05Z\n";
    assert_eq!(replace(shown, ""), "ID laptop AGE ago PATH TIME");
    let plain = "portcullis laptop.jwt";
    assert_eq!(replace(plain, plain), plain);
}

#[test]
fn ids_without_small_letters_are_replaced() {
    let documented = "4gqfcUdZeiT controllers";
    let expected = replace(documented, documented);
    assert_eq!(replace("4RAYKE1R-SB controllers", documented), expected);
    assert_eq!(replace("rayke.r-sbx controllers", documented), expected);
    assert_ne!(replace("4RAYKE1R-SB identity-ro", documented), expected);
}
