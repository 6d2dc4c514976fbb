//! File names for names of identities.

use portcullis_domain::terminal;
use std::collections::HashSet;

/// Most bytes of a name before its extension: file systems take 255, and numbers are added.
const MAX_BYTES: usize = 200;

/// Names that some systems keep for devices.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Gives each identity a file name of its own, also where upper and lower case are the same.
#[derive(Debug, Default)]
pub(super) struct FileNames(HashSet<String>);

impl FileNames {
    /// The file name for the token of an identity. The same names in the same order get the same ones.
    pub(super) fn claim(&mut self, name: &str) -> String {
        let stem = sanitize(name);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut stems = std::iter::once(stem.clone()).chain(numbered);
        let free = stems.find(|stem| self.0.insert(stem.to_lowercase()));
        // There are more numbers than identities.
        format!("{}.jwt", free.unwrap_or(stem))
    }
}

/// Replaces what file systems, shells and terminals take for something else by `_`.
fn sanitize(name: &str) -> String {
    let is_odd = |character: char| {
        terminal::is_terminal_control(character)
            || matches!(
                character,
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|'
            )
    };
    let mut stem: String = name
        .chars()
        .map(|character| if is_odd(character) { '_' } else { character })
        .collect();
    let end = (0..=MAX_BYTES.min(stem.len()))
        .rev()
        .find(|end| stem.is_char_boundary(*end));
    stem.truncate(end.unwrap_or_default());
    if stem.starts_with(['.', '-', ' ']) {
        stem.replace_range(..1, "_");
    }
    if stem.ends_with(['.', ' ']) {
        stem.pop();
        stem.push('_');
    }
    let first = stem
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if stem.is_empty() || RESERVED.contains(&first.as_str()) {
        stem.insert(0, '_');
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory() {
        for (name, stem) in [
            ("laptop", "laptop"),
            ("Anna Müller", "Anna Müller"),
            ("../../etc/passwd", "_._.._etc_passwd"),
            ("..", "__"),
            (".", "_"),
            (".ssh", "_ssh"),
            ("-rf", "_rf"),
            ("a/b\\c", "a_b_c"),
            ("a\n\u{1b}[2Jb", "a__[2Jb"),
            ("evil\u{202e}twj", "evil_twj"),
            ("a\0b", "a_b"),
            ("x ", "x_"),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
        ] {
            assert_eq!(sanitize(name), stem, "{name:?}");
        }
        let long = sanitize(&"ä".repeat(300));
        assert!(long.len() <= MAX_BYTES && long.chars().all(|character| character == 'ä'));
    }

    #[test]
    fn nobody_gets_the_file_of_another() {
        let mut names = FileNames::default();
        let claimed = ["a/b", "a_b", "A_B", "a_b-2", "ä", "Ä"].map(|name| names.claim(name));
        assert_eq!(
            claimed,
            [
                "a_b.jwt",
                "a_b-2.jwt",
                "A_B-3.jwt",
                "a_b-2-2.jwt",
                "ä.jwt",
                "Ä-2.jwt"
            ]
        );
    }
}
