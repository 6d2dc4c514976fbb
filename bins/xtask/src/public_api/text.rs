//! Tokens as text, spaced as people write them.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Signs of more than one character.
const SIGNS: &[&str] = &["::", "->", "=>", "..", "..=", "=="];

/// Words after which a bracket is not that of a name.
const WORDS: &[&str] = &["as", "const", "dyn", "for", "impl", "mut", "where"];

/// Renders tokens on one line.
pub(super) fn text(tokens: &impl ToTokens) -> String {
    let mut parts = Vec::new();
    flatten(tokens.to_token_stream(), &mut parts);
    let mut line = String::new();
    let (mut before, mut is_lifetime) = ("", false);
    for part in &parts {
        if !line.is_empty() && is_spaced(before, part, is_lifetime) {
            line.push(' ');
        }
        line.push_str(part);
        is_lifetime = before == "'";
        before = part;
    }
    // Trailing commas depend on how the source is wrapped.
    line.replace(",)", ")")
        .replace(",>", ">")
        .replace(",]", "]")
}

fn flatten(tokens: TokenStream, parts: &mut Vec<String>) {
    let mut is_joint = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            // Comments of what a macro makes.
            TokenTree::Punct(sign)
                if sign.as_char() == '#' && tokens.next_if(is_comment).is_some() => {},
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                parts.push(open.to_owned());
                flatten(group.stream(), parts);
                parts.push(close.to_owned());
                is_joint = false;
            },
            TokenTree::Punct(sign) => {
                let joined = parts
                    .last()
                    .filter(|_| is_joint)
                    .map(|last| format!("{last}{}", sign.as_char()))
                    .filter(|joined| SIGNS.contains(&joined.as_str()));
                if let (Some(joined), Some(last)) = (joined, parts.last_mut()) {
                    *last = joined;
                } else {
                    parts.push(sign.as_char().to_string());
                }
                is_joint = sign.spacing() == Spacing::Joint;
            },
            word => {
                parts.push(word.to_string());
                is_joint = false;
            },
        }
    }
}

fn is_comment(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.stream().to_string().starts_with("doc "))
}

fn is_spaced(before: &str, next: &str, is_lifetime: bool) -> bool {
    let ends_name = !is_lifetime
        && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'))
        && before != "->"
        && before != "=>"
        && !WORDS.contains(&before);
    match next {
        "?" if before == ":" => true,
        "<" if matches!(before, "impl" | "for") => false,
        "," | ";" | ")" | "]" | ">" | ":" | "::" | "." | "?" | "!" | "" => false,
        "(" | "[" | "<" if ends_name => false,
        _ => !matches!(
            before,
            "(" | "[" | "<" | "&" | "::" | "." | "'" | "#" | "?" | ""
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_spaced_as_they_are_written() {
        for signature in [
            "fn a<'b, T: Into<String> + 'b>(self: &mut &'b [T], c: &dyn Fn(&str) -> (u8, [u8; 4])) -> !",
            "const fn new() -> Self",
            "impl<T: ?Sized> From<Option<T>> for Value<'_> where T: Clone",
        ] {
            let tokens: TokenStream = signature.parse().expect("they are tokens");
            assert_eq!(
                text(&tokens).replace("-> !", "->!"),
                signature.replace("-> !", "->!")
            );
        }
        let wrapped: TokenStream = "fn a(b: u8, c: u8,)".parse().expect("they are tokens");
        assert_eq!(text(&wrapped), "fn a(b: u8, c: u8)");
    }
}
