//! Tokens of Rust sources, as far as paths and modules need them: words, `::` and punctuation.

/// A token and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) text: &'s str,
    pub(super) line: usize,
}

/// The tokens of a source, without comments and literals.
pub(super) fn tokenize(source: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut rest, mut line) = (Vec::new(), source, 1);
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = measure(first, rest);
        let (text, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if is_token {
            tokens.push(Token { text, line });
        }
        line += text.matches('\n').count();
        rest = behind;
    }
    tokens
}

/// Bytes of what `rest` begins with, and whether it is a token.
fn measure(first: char, rest: &str) -> (usize, bool) {
    if rest.starts_with("//") {
        (rest.find('\n').unwrap_or(rest.len()), false)
    } else if rest.starts_with("/*") {
        (block_comment(rest), false)
    } else if first == '"' {
        (string(rest), false)
    } else if first == '\'' {
        (character(rest), false)
    } else if let Some(length) = raw_string(rest) {
        (length, false)
    } else if is_word(first) {
        let end = rest.find(|it| !is_word(it));
        (end.unwrap_or(rest.len()), true)
    } else if rest.starts_with("::") {
        (2, true)
    } else {
        (first.len_utf8(), !first.is_whitespace())
    }
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut length, mut inner) = (0_usize, 0, rest);
    while !inner.is_empty() {
        let step = if inner.starts_with("/*") {
            depth += 1;
            2
        } else if inner.starts_with("*/") {
            depth -= 1;
            2
        } else {
            inner.chars().next().map_or(1, char::len_utf8)
        };
        length += step;
        inner = inner.get(step..).unwrap_or_default();
        if depth == 0 {
            break;
        }
    }
    length
}

fn string(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {},
        }
    }
    rest.len()
}

/// A character literal; only the quotation mark of a lifetime.
fn character(rest: &str) -> usize {
    let mut inner = rest.char_indices().skip(1);
    match (inner.next(), inner.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            let end = rest.get(from..).and_then(|behind| behind.find('\''));
            end.map_or(rest.len(), |end| from + end + 1)
        },
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// A raw string, with the letters before it.
fn raw_string(rest: &str) -> Option<usize> {
    let letters = ["r", "br", "cr"]
        .into_iter()
        .find(|letters| rest.starts_with(letters))?;
    let behind = rest.strip_prefix(letters)?;
    let inner = behind.trim_start_matches('#');
    let hashes = behind.len() - inner.len();
    let content = inner.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let found = content.find(&end)? + end.len();
    Some(letters.len() + hashes + 1 + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokenize(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_literals_are_no_tokens() {
        let source = r##"
            // crate::a
            /* crate::b /* nested */ crate::c */
            let x = "crate::d \" crate::e"; let y = r#"crate::f " crate::g"#;
            let z = '"'; let q = '\''; let b = b"crate::h"; fn f<'a>(it: &'a str) {}
        "##;
        let found = texts(source);
        assert!(!found.contains(&"crate"), "{found:?}");
        assert!(found.ends_with(&["a", "str", ")", "{", "}"]), "{found:?}");
    }

    #[test]
    fn tokens_know_their_line() {
        let source = "a\n/* b\n */ \"c\n\" d::e";
        let lines: Vec<_> = tokenize(source)
            .iter()
            .map(|token| (token.text, token.line))
            .collect();
        assert_eq!(lines, [("a", 1), ("d", 4), ("::", 4), ("e", 4)]);
    }
}
