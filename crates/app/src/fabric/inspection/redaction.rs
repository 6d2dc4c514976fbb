//! Values without what gives rights. Routers of OpenZiti put session tokens and their whole file into
//! their answers; whoever may look has no right to log in as somebody else.

use super::Inspection;
use portcullis_domain::view::InspectedValue;
use regex::{Captures, Regex};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands in the place of a secret.
const REDACTED: &str = "redacted";

/// A JWT: three parts in base64url, the first of which is a JSON object.
const JWT: &str = r"(?P<before>\b)ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*";

/// A private key in PEM, in text or in JSON, to its end or that of the value.
const PRIVATE_KEY: &str =
    r"(?P<before>)-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=:,\-\s\\]*";

/// User and password in an address.
const USER_INFO: &str = r#"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://)[^\s"/@\\]+(?P<after>@)"#;

/// A member with a token, as routers name it.
const TOKEN_MEMBER: &str = r#"(?i)(?P<before>"[a-z_-]*(?:token|password|passphrase|secret)"\s*:\s*")(?:[^"\\]|\\.)*(?P<after>")"#;

/// What names of members of a file have in them whose values give rights, in lower case.
const SECRET_MEMBERS: [&str; 6] = ["key", "token", "pass", "secret", "credential", "jwt"];

/// What is replaced, and what stays in front of it.
static PATTERNS: LazyLock<[Regex; 4]> =
    LazyLock::new(|| [JWT, PRIVATE_KEY, USER_INFO, TOKEN_MEMBER].map(compile));

#[expect(clippy::expect_used, reason = "the patterns are constants")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// The same without tokens, keys and passwords.
pub(super) fn redacted(mut inspection: Inspection) -> Inspection {
    for value in &mut inspection.values {
        if let InspectedValue::Text(text) = &mut value.value {
            if value.name.eq_ignore_ascii_case("config") {
                redact_file(text);
            }
            redact(text);
        }
    }
    inspection.errors.iter_mut().for_each(redact);
    inspection
}

/// Takes tokens, private keys and passwords out of what a router says.
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

/// Takes out what a file says of keys and passwords, in whatever it is wrapped. Nothing is left of what is no JSON
/// object, or nested without end: nobody knows which parts of it are secret.
fn redact_file(text: &mut String) {
    *text = match serde_json::from_str(text) {
        Ok(mut file @ Value::Object(_)) => {
            redact_members(&mut file, false);
            file.to_string()
        },
        _ => REDACTED.to_owned(),
    };
}

fn redact_members(value: &mut Value, is_secret: bool) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                redact_members(member, is_secret || is_secret_member(name));
            }
        },
        Value::Array(items) => {
            for item in items {
                redact_members(item, is_secret);
            }
        },
        Value::String(_) | Value::Number(_) if is_secret => *value = REDACTED.into(),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(_) => {},
    }
}

fn is_secret_member(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "pin" || SECRET_MEMBERS.iter().any(|secret| name.contains(secret))
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

    #[test]
    fn nothing_is_left_of_a_file_that_cannot_be_read() {
        let yaml = "identity:\n  key: a.key\n";
        let nested = format!(
            "{}{}",
            r#"{"key":"a.key","a":"#.repeat(200),
            "}".repeat(200)
        );
        for file in [
            yaml.to_owned(),
            serde_json::json!(yaml).to_string(),
            serde_json::json!([yaml]).to_string(),
            nested,
            r#"{"key": "a.key""#.to_owned(),
            r#"{"key": "a.key"} trailing"#.to_owned(),
            String::new(),
        ] {
            let mut shown = file.clone();
            redact_file(&mut shown);
            assert_eq!(shown, "redacted", "{file}");
        }
    }

    #[test]
    fn a_file_keeps_its_names_and_loses_its_secrets() {
        let mut file = r#"{"identity":{"cert":"a.pem","key":"a.key"},"v":3,
            "dialer":{"credentials":{"user":["u",7]},"pin":"1","ping":"2"}}"#
            .to_owned();
        redact_file(&mut file);
        let file: Value = serde_json::from_str(&file).unwrap();
        assert_eq!(
            file,
            serde_json::json!({
                "identity": {"cert": "a.pem", "key": "redacted"}, "v": 3,
                "dialer": {
                    "credentials": {"user": ["redacted", "redacted"]},
                    "pin": "redacted", "ping": "2",
                },
            })
        );
    }
}
