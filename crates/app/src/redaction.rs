//! Texts without what gives rights.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands in the place of a secret.
pub(crate) const REDACTED: &str = "redacted";

/// A JWT: three parts in base64url, the first of which is a JSON object.
const JWT: &str = r"(?P<before>\b)ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*";

/// A private key in PEM, in text or in JSON, to its end or that of the value.
const PRIVATE_KEY: &str =
    r"(?P<before>)-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=:,\-\s\\]*";

/// User and password in an address.
const USER_INFO: &str = r#"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://)[^\s"/@\\]+(?P<after>@)"#;

/// A member with a token, as routers name it.
const TOKEN_MEMBER: &str = r#"(?i)(?P<before>"[a-z_-]*(?:token|password|passphrase|secret)"\s*:\s*")(?:[^"\\]|\\.)*(?P<after>")"#;

/// What is replaced, and what stays in front of it.
static PATTERNS: LazyLock<[Regex; 4]> =
    LazyLock::new(|| [JWT, PRIVATE_KEY, USER_INFO, TOKEN_MEMBER].map(compile));

#[expect(clippy::expect_used, reason = "the patterns are constants")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Takes tokens, private keys and passwords out of what somebody else says.
pub fn redact(text: &mut String) {
    for pattern in &*PATTERNS {
        let replaced = pattern.replace_all(text, |found: &Captures<'_>| {
            let part = |name| found.name(name).map_or("", |part| part.as_str());
            [part("before"), REDACTED, part("after")].concat()
        });
        if let Cow::Owned(replaced) = replaced {
            *text = replaced;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted_text(text: &str) -> String {
        let mut text = text.to_owned();
        redact(&mut text);
        text
    }

    #[test]
    fn tokens_keys_and_passwords_are_taken_out() {
        let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzZXJ2aWNlIn0.c2lnbmF0dXJl_-";
        for (said, shown) in [
            (format!(r#"{{"name":"{jwt}"}}"#), r#"{"name":"redacted"}"#),
            (format!("refused: {jwt}"), "refused: redacted"),
            (
                r#"{"token": "a\"b", "key": "k"}"#.to_owned(),
                r#"{"token": "redacted", "key": "k"}"#,
            ),
            (
                r#"{"apiSessionToken":"x"}"#.to_owned(),
                r#"{"apiSessionToken":"redacted"}"#,
            ),
            (
                r#"["https://user:word@proxy:80/"]"#.to_owned(),
                r#"["https://redacted@proxy:80/"]"#,
            ),
            (
                r#"["-----BEGIN EC PRIVATE KEY-----\nMHcC/+=\n-----END EC PRIVATE KEY-----\n"]"#
                    .to_owned(),
                r#"["redacted"]"#,
            ),
            (
                "{\"id\":\"eye.of.it\"}".to_owned(),
                "{\"id\":\"eye.of.it\"}",
            ),
        ] {
            assert_eq!(redacted_text(&said), shown);
        }
    }
}
