//! Values without what gives rights. Routers of OpenZiti put session tokens and their whole file into
//! their answers; whoever may look has no right to log in as somebody else.

use super::Inspection;
use crate::redaction::{REDACTED, redact};
use portcullis_domain::view::InspectedValue;
use serde_json::Value;

/// What names of members of a file have in them whose values give rights, in lower case.
const SECRET_MEMBERS: [&str; 6] = ["key", "token", "pass", "secret", "credential", "jwt"];

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
