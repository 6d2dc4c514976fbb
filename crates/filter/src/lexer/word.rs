//! Keywords, symbols and two-word operators.

use super::blank_length;
use crate::token::{Keyword, TokenKind};

/// Scans the word at the start of `text`, which begins with a letter.
pub(super) fn scan(text: &str) -> (usize, TokenKind<'_>) {
    let length = symbol_length(text);
    let word = text.get(..length).unwrap_or_default();
    match Keyword::from_word(word) {
        Some(Keyword::Not) => {
            let (length, keyword) = negated(text).unwrap_or((length, Keyword::Not));
            (length, TokenKind::Keyword(keyword))
        },
        Some(keyword) => (length, TokenKind::Keyword(keyword)),
        None => (length, TokenKind::Symbol(word)),
    }
}

/// Length of the symbol at the start of `text`: letters and `_`, then, after each dot, a letter followed
/// by letters, `_` and `-`.
fn symbol_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let letters = |from: usize, hyphen: bool| {
        let belongs = |b: &&u8| b.is_ascii_alphabetic() || **b == b'_' || (hyphen && **b == b'-');
        bytes.iter().skip(from).take_while(belongs).count()
    };
    let mut end = letters(0, false);
    while bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic) {
        end += 1 + letters(end + 1, true);
    }
    end
}

/// A two-word operator at the start of `text`, which begins with the word `not`.
///
/// `not in` needs exactly one space, the others any amount of white space. A longer word that merely
/// begins like an operator is a symbol, so `not inside` is the negation of a symbol.
fn negated(text: &str) -> Option<(usize, Keyword)> {
    let after_not = text.get("not".len()..)?;
    let blanks = blank_length(after_not);
    let second = after_not.get(blanks..).filter(|_| blanks > 0)?;
    let length = symbol_length(second);
    let keyword = match Keyword::from_word(second.get(..length)?)? {
        Keyword::In if blanks == 1 => Keyword::NotIn,
        Keyword::Between => Keyword::NotBetween,
        Keyword::Contains => Keyword::NotContains,
        Keyword::Icontains => Keyword::NotIcontains,
        _ => return None,
    };
    Some(("not".len() + blanks + length, keyword))
}
