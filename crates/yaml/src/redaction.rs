//! Redaction of secrets in texts: private keys, PINs, passwords.

use std::borrow::Cow;

/// Replacement for redacted text.
const REDACTED: &str = "...";

/// Maximum length of a text; longer ones are cut in the middle.
const MAX_TEXT_BYTES: usize = 1_000;
/// Length of the end that is kept of a text that is cut.
const TAIL_BYTES: usize = 200;

/// Minimum number of base64 characters that count as part of a private key.
const MIN_KEY_CHARS: usize = 40;

/// Prefixes of secrets that extend to the end of the quoted text.
const SECRET_PREFIXES: [&str; 2] = ["-----begin", "pem:"];

/// Prefixes of PINs in a PKCS#11 URI (RFC 7512 section 2.3).
const PIN_PARAMETERS: [&str; 3] = ["pin=", "pin-value=", "pin-source="];

/// Substrings of keys whose values are secret.
const SECRET_NAMES: [&str; 5] = ["passw", "pasw", "passphrase", "pwd", "secret"];

/// Name of maps whose values are secret, such as the headers of requests with tokens.
const SECRET_MAP: &str = "headers";

/// Names of headers that are secret, also where the line does not say that they are headers.
const SECRET_HEADERS: [&str; 3] = ["authorization", "api-key", "bearer "];

/// Whether the values of a map of this name are secrets.
pub(crate) fn is_secret_map(key: &str) -> bool {
    key == SECRET_MAP
}

/// Whether the value of a key of this name is a secret.
pub fn is_secret_name(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|name| key.contains(name))
}

/// Whether a line of a file must not be shown.
pub fn contains_secret(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let names = SECRET_NAMES
        .iter()
        .chain(&SECRET_PREFIXES)
        .chain(&PIN_PARAMETERS)
        .chain(&SECRET_HEADERS);
    let encoded = line.trim().trim_start_matches(['-', ' ', '"', '\'']);
    let has_headers = lower.contains("headers: {") || lower.contains("headers:{");
    names.clone().any(|name| lower.contains(name)) || has_headers || is_base64_key(encoded)
}

/// Whether a text starts with so much base64 that it may be a private key without its first line.
pub fn is_base64_key(text: &str) -> bool {
    let of_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let start = text.get(..MIN_KEY_CHARS);
    start.is_some_and(|start| start.bytes().all(of_base64) && !start.starts_with('/'))
}

/// Redacts private keys and PINs in a text that quotes a file between backticks, and shortens very
/// long texts.
pub fn redact_secrets(text: &str) -> Cow<'_, str> {
    let start = find_secret(text);
    if text.len() > MAX_TEXT_BYTES {
        return Cow::Owned(shorten(text, start));
    }
    if start.is_none() {
        return Cow::Borrowed(text);
    }
    let mut shown = Cow::Borrowed(text);
    // Changes ASCII letters only, so that offsets stay the same.
    let lower = text.to_ascii_lowercase();
    let begins = |name: &&str| {
        let at = lower.find(*name)? + name.len();
        let rest = lower.get(at..)?;
        (!rest.is_empty() && !rest.starts_with('`')).then_some(at)
    };
    if let Some(at) = SECRET_PREFIXES.iter().filter_map(begins).min() {
        let (before, quoted) = text.split_at(at);
        let after = quoted.rfind('`').and_then(|end| quoted.get(end..));
        shown = Cow::Owned([before, REDACTED, after.unwrap_or_default()].concat());
    }
    if PIN_PARAMETERS.iter().any(|name| lower.contains(name)) {
        shown = Cow::Owned(redact_pins(&shown));
    }
    shown
}

/// Redacts all quoted pieces of a text about a secret, except the names in `keep`.
pub(crate) fn redact_quoted(text: &str, keep: &[&str]) -> String {
    let piece = |(place, piece): (usize, &str)| {
        let is_quoted = place % 2 == 1;
        if is_quoted && !keep.contains(&piece) {
            REDACTED.to_owned()
        } else {
            piece.to_owned()
        }
    };
    let pieces: Vec<String> = text.split('`').enumerate().map(piece).collect();
    pieces.join("`")
}

/// Where a secret may start; does not allocate, because most texts contain none.
fn find_secret(text: &str) -> Option<usize> {
    let begins = |piece: &[u8]| {
        [b"pem:", b"----", b"pin=", b"pin-"]
            .iter()
            .any(|begin| piece.eq_ignore_ascii_case(*begin))
    };
    text.as_bytes().windows(4).position(begins)
}

fn redact_pins(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = find_pin_value(rest) {
        let (before, after) = rest.split_at(at);
        shown.push_str(before);
        shown.push_str(REDACTED);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '&' | ';' | '`' | '"' | '\'');
        rest = after
            .find(is_end)
            .and_then(|end| after.get(end..))
            .unwrap_or_default();
    }
    shown + rest
}

fn find_pin_value(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = PIN_PARAMETERS
        .iter()
        .filter_map(|name| Some(lower.find(name)? + name.len()));
    ends.min()
}

/// Cuts a text in the middle, or where a secret may start.
fn shorten(text: &str, secret: Option<usize>) -> String {
    let most = MAX_TEXT_BYTES - TAIL_BYTES;
    let head = text.floor_char_boundary(secret.map_or(most, |start| start.min(most)));
    let tail = match secret {
        Some(_) => text.len(),
        None => text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES)),
    };
    let (head, tail) = (text.get(..head), text.get(tail..));
    [head.unwrap_or_default(), REDACTED, tail.unwrap_or_default()].concat()
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
            assert_eq!(redact_secrets(text), shown);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let text = format!("a{}z", "é".repeat(MAX_TEXT_BYTES));
        let shown = redact_secrets(&text);
        assert!(shown.len() <= MAX_TEXT_BYTES + REDACTED.len());
        assert!(shown.starts_with("aé") && shown.contains("é...é") && shown.ends_with("éz"));
        let text = "a".repeat(MAX_TEXT_BYTES);
        assert_eq!(redact_secrets(&text), text);
        // Independent of where the cut falls.
        for before in 0..MAX_TEXT_BYTES {
            let text = format!("{}pin={}", "b".repeat(before), "7".repeat(MAX_TEXT_BYTES));
            assert!(!redact_secrets(&text).contains('7'), "{before}");
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
            "otlp: {endpoint: 'http://a', headers: {x-team: x}}",
            "    Authorization: Basic x",
            encoded,
            &format!("   - \"{encoded}"),
        ] {
            assert!(contains_secret(line), "{line}");
        }
        for line in [
            "key: /etc/r.key",
            "advertise: tls:router.example.test:6262",
            "  /usr/local/share/openziti/routers/certificates/router/certificates",
            "",
        ] {
            assert!(!contains_secret(line), "{line}");
        }
    }
}
