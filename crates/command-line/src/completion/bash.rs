//! Completion in Bash.
//!
//! Bash breaks words at characters such as `:` and `=`, and wants back what replaces the last part,
//! quoted. So this program takes the line apart and does the quoting.

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// The variable holds no candidates if the program fails. Neither `mapfile` nor quoting by `compopt`
/// is in all versions.
const SCRIPT: &str = r#"_NAME() {
    COMPREPLY=()
    local candidate
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(VAR=bash COMPLETER -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=,] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _NAME BIN 2>/dev/null || complete -F _NAME BIN
"#;

/// Bash, by a script of our own.
pub(super) struct Bash;

impl Bash {
    pub(super) const NAME: &str = "bash";
}

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is(&self, name: &str) -> bool {
        name == Self::NAME
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let text = SCRIPT
            .replace("NAME", &name.replace('-', "_"))
            .replace("BIN", program)
            .replace("COMPLETER", completer)
            .replace("VAR", variable);
        script.write_all(text.as_bytes())
    }

    /// `arguments` are the line up to the cursor, and the part that Bash replaces.
    fn write_complete(
        &self,
        command: &mut Command,
        arguments: Vec<OsString>,
        dir: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        let line = Line::of(&arguments);
        let replaced = arguments.get(1).and_then(|part| part.to_str());
        let replaced = Line::parse(replaced.unwrap_or_default()).last();
        let kept = line
            .last()
            .strip_suffix(&replaced)
            .unwrap_or_default()
            .len();
        let index = line.words.len().saturating_sub(1);
        let words = line.words.iter().map(OsString::from).collect();
        for candidate in engine::complete(command, words, index, dir)? {
            let value = candidate.get_value().to_str();
            let rest = value.and_then(|value| value.get(kept..));
            if let Some(text) = rest.and_then(|rest| line.quote.apply(rest)) {
                writeln!(answer, "{text}")?;
            }
        }
        Ok(())
    }
}

/// The words of a line that the script hands over.
pub(super) fn words(arguments: &[OsString]) -> Vec<OsString> {
    let line = Line::of(arguments);
    line.words.into_iter().map(OsString::from).collect()
}

/// A line up to the cursor.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// Unquoted; the last one is incomplete.
    words: Vec<String>,
    /// The quote that is open.
    quote: Quote,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl Line {
    fn of(arguments: &[OsString]) -> Self {
        let line = arguments.first().and_then(|line| line.to_str());
        Self::parse(line.unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let mut words = Vec::new();
        let mut word = String::new();
        let mut is_word = false;
        let mut quote = Quote::None;
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match (quote, character) {
                (Quote::None, ' ' | '\t' | '\n') => {
                    if is_word {
                        words.push(std::mem::take(&mut word));
                    }
                    is_word = false;
                    continue;
                },
                (Quote::None, '\'') => quote = Quote::Single,
                (Quote::None, '"') => quote = Quote::Double,
                (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
                (Quote::None | Quote::Double, '\\') => word.extend(characters.next()),
                _ => word.push(character),
            }
            is_word = true;
        }
        words.push(word);
        Self { words, quote }
    }

    fn last(&self) -> String {
        self.words.last().cloned().unwrap_or_default()
    }
}

impl Quote {
    /// Writes a text so that the shell reads it again. `None` if that is impossible.
    fn apply(self, text: &str) -> Option<String> {
        let is_special = |character: char| match self {
            Self::None => !character.is_alphanumeric() && !"-_./,:@=+%~".contains(character),
            Self::Single => false,
            Self::Double => "\"\\$`".contains(character),
        };
        if self == Self::Single && text.contains('\'') {
            return None;
        }
        let mut quoted = String::new();
        for character in text.chars() {
            if is_special(character) {
                quoted.push('\\');
            }
            quoted.push(character);
        }
        Some(quoted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_shell_does() {
        for (text, words, quote) in [
            ("p identity sh", &["p", "identity", "sh"][..], Quote::None),
            ("p show ", &["p", "show", ""], Quote::None),
            (r"p show my\ la", &["p", "show", "my la"], Quote::None),
            (
                "p --roles '#a,@b c",
                &["p", "--roles", "#a,@b c"],
                Quote::Single,
            ),
            (r#"p "a\"b' "#, &["p", "a\"b' "], Quote::Double),
            ("p '' x", &["p", "", "x"], Quote::None),
            ("p a'b'\"c\"", &["p", "abc"], Quote::None),
            ("", &[""], Quote::None),
        ] {
            let line = Line::parse(text);
            assert_eq!(
                (line.words.as_slice(), line.quote),
                (
                    &words
                        .iter()
                        .map(|word| (*word).to_owned())
                        .collect::<Vec<_>>()[..],
                    quote
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn candidates_are_read_again_as_what_they_are() {
        for (quote, open) in [
            (Quote::None, ""),
            (Quote::Single, "'"),
            (Quote::Double, "\""),
        ] {
            for text in [
                "laptop",
                "my laptop",
                "#in",
                "$(x)",
                "a\"b`c\\d",
                "größe!*?",
                "a;b|c&",
            ] {
                let quoted = quote.apply(text).unwrap();
                let line = Line::parse(&format!("{open}{quoted}"));
                assert_eq!(line.words, [text], "{quoted}");
            }
        }
        assert_eq!(Quote::Single.apply("ann's"), None);
    }
}
