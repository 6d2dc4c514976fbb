//! What stands in a file and is for nobody's eye: private keys, PINs, passwords.

use std::borrow::Cow;

/// What stands where something is left out.
const LEFT_OUT: &str = "...";

/// Longer texts are cut in the middle: they are for people.
const LONGEST_TEXT: usize = 1_000;
/// What is kept of the end of a text that is cut.
const TAIL: usize = 200;

/// Fewest characters of Base64 that are taken for a part of a key.
const ENCODED: usize = 40;

/// Where a secret begins that goes on to the end of what is quoted.
const BEGINNINGS: [&str; 2] = ["-----begin", "pem:"];

/// Where a PIN begins, in a URI after RFC 7512 section 2.3.
const PINS: [&str; 3] = ["pin=", "pin-value=", "pin-source="];

/// Parts of the names of keys whose values are secret.
const NAMES: [&str; 5] = ["passw", "pasw", "passphrase", "pwd", "secret"];

/// Tells whether the value of a key of this name is a secret.
pub fn is_secret_name(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    NAMES.iter().any(|name| key.contains(name))
}

/// Tells whether a line of a file must not be shown.
pub fn holds_secret(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let names = NAMES.iter().chain(&BEGINNINGS).chain(&PINS);
    let encoded = line.trim().trim_start_matches(['-', ' ', '"', '\'']);
    names.clone().any(|name| lower.contains(name)) || is_encoded(encoded)
}

/// Tells whether a text is so long a stretch of Base64 that it may be a key without its first line.
pub fn is_encoded(text: &str) -> bool {
    let of_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let start = text.get(..ENCODED);
    start.is_some_and(|start| start.bytes().all(of_base64) && !start.starts_with('/'))
}

/// Takes private keys and PINs out of a text that quotes a file, and the middle if it is very long.
/// What is quoted stands between back quotes.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let start = start_of_secret(text);
    if text.len() > LONGEST_TEXT {
        return Cow::Owned(shortened(text, start));
    }
    if start.is_none() {
        return Cow::Borrowed(text);
    }
    let mut shown = Cow::Borrowed(text);
    // Of ASCII letters alone, so that offsets stay.
    let lower = text.to_ascii_lowercase();
    let begins = |name: &&str| {
        let at = lower.find(*name)? + name.len();
        let rest = lower.get(at..)?;
        (!rest.is_empty() && !rest.starts_with('`')).then_some(at)
    };
    if let Some(at) = BEGINNINGS.iter().filter_map(begins).min() {
        let (before, quoted) = text.split_at(at);
        let after = quoted.rfind('`').and_then(|end| quoted.get(end..));
        shown = Cow::Owned([before, LEFT_OUT, after.unwrap_or_default()].concat());
    }
    if PINS.iter().any(|name| lower.contains(name)) {
        shown = Cow::Owned(without_pins(&shown));
    }
    shown
}

/// Takes everything that is quoted out of a text about a secret, but for the names in `keep`.
pub(crate) fn without_quotes(text: &str, keep: &[&str]) -> String {
    let piece = |(place, piece): (usize, &str)| {
        let is_quoted = place % 2 == 1;
        if is_quoted && !keep.contains(&piece) {
            LEFT_OUT.to_owned()
        } else {
            piece.to_owned()
        }
    };
    let pieces: Vec<String> = text.split('`').enumerate().map(piece).collect();
    pieces.join("`")
}

/// Finds where a secret may begin, without a copy of the text: most texts hold none.
fn start_of_secret(text: &str) -> Option<usize> {
    let begins = |piece: &[u8]| {
        [b"pem:", b"----", b"pin=", b"pin-"]
            .iter()
            .any(|begin| piece.eq_ignore_ascii_case(*begin))
    };
    text.as_bytes().windows(4).position(begins)
}

fn without_pins(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = after_pin(rest) {
        let (before, after) = rest.split_at(at);
        shown.push_str(before);
        shown.push_str(LEFT_OUT);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '&' | ';' | '`' | '"' | '\'');
        rest = after
            .find(is_end)
            .and_then(|end| after.get(end..))
            .unwrap_or_default();
    }
    shown + rest
}

fn after_pin(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = PINS
        .iter()
        .filter_map(|name| Some(lower.find(name)? + name.len()));
    ends.min()
}

/// Cuts a text in the middle, or where a secret may begin.
fn shortened(text: &str, secret: Option<usize>) -> String {
    let most = LONGEST_TEXT - TAIL;
    let head = text.floor_char_boundary(secret.map_or(most, |start| start.min(most)));
    let tail = match secret {
        Some(_) => text.len(),
        None => text.ceil_char_boundary(text.len().saturating_sub(TAIL)),
    };
    let (head, tail) = (text.get(..head), text.get(tail..));
    [head.unwrap_or_default(), LEFT_OUT, tail.unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_pins_are_taken_out_of_texts() {
        for (text, shown) in [
            ("unknown key `a`", "unknown key `a`"),
            (
                "write a path, or `pem:` and the text",
                "write a path, or `pem:` and the text",
            ),
            ("unknown key `pem:x y`", "unknown key `pem:...`"),
            ("a: pem: x", "a: pem:..."),
            ("`PEM:x` in `a` is wrong", "`PEM:...` is wrong"),
            ("`-----BEGIN KEY-----\nx` no", "`-----BEGIN...` no"),
            ("x -----begin y", "x -----begin..."),
            (
                "`pkcs11:/a?pin=1&slot=2&PIN=3`",
                "`pkcs11:/a?pin=...&slot=2&PIN=...`",
            ),
            ("`pkcs11:?pin-value=1`", "`pkcs11:?pin-value=...`"),
            ("pin=", "pin=..."),
            ("é pem:é`é", "é pem:...`é"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let text = format!("a{}z", "é".repeat(LONGEST_TEXT));
        let shown = without_secrets(&text);
        assert!(shown.len() <= LONGEST_TEXT + LEFT_OUT.len());
        assert!(shown.starts_with("aé") && shown.contains("é...é") && shown.ends_with("éz"));
        let text = "a".repeat(LONGEST_TEXT);
        assert_eq!(without_secrets(&text), text);
        // Where the cut falls does not matter.
        for before in 0..LONGEST_TEXT {
            let text = format!("{}pin={}", "b".repeat(before), "7".repeat(LONGEST_TEXT));
            assert!(!without_secrets(&text).contains('7'), "{before}");
        }
    }

    #[test]
    fn lines_with_secrets_are_known() {
        let encoded = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
        for line in [
            "key: pem:x",
            "  password: x",
            "{a: 1, proxyPwd: x}",
            "-----BEGIN EC PRIVATE KEY-----",
            "key: pkcs11:/a?pin=1",
            encoded,
            &format!("   - \"{encoded}"),
        ] {
            assert!(holds_secret(line), "{line}");
        }
        for line in [
            "key: /etc/r.key",
            "advertise: tls:router.example.test:6262",
            "  /usr/local/share/openziti/routers/certificates/router/certificates",
            "",
        ] {
            assert!(!holds_secret(line), "{line}");
        }
    }
}
