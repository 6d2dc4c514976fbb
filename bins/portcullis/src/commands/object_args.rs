//! JSON objects as arguments: configuration data and schemas.

use crate::error::CliError;
use crate::error::cause::json_position;
use crate::files;
use clap::Args;
use portcullis_domain::config::JsonObject;
use serde_json::Value;
use std::path::PathBuf;

/// Source of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[group(multiple = false)]
pub(crate) struct DataArgs {
    /// JSON object
    #[arg(long, value_name = "TEXT")]
    json: Option<String>,

    /// File with the object as JSON or YAML; `-` for standard input
    #[arg(short = 'f', long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl DataArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.json.is_some() || self.file.is_some()
    }

    /// Reads the object, if given.
    pub(crate) fn read(&self) -> Result<Option<JsonObject>, CliError> {
        if let Some(text) = &self.json {
            let value = serde_json::from_str(text);
            let value = value.map_err(|error| json_error("--json", &error))?;
            return expect_object("--json", value).map(Some);
        }
        let Some(path) = &self.file else {
            return Ok(None);
        };
        let text = files::read_text(path)?;
        let source = path.display().to_string();
        expect_object(&source, parse(&source, &text)?).map(Some)
    }
}

/// Parses JSON or YAML. If text that looks like JSON is neither, the error is about JSON.
fn parse(source: &str, text: &str) -> Result<Value, CliError> {
    let json = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    serde_yaml::from_str(text).map_err(|yaml| {
        if text.trim_start().starts_with(['{', '[']) {
            json_error(source, &json)
        } else {
            yaml_error(source, &yaml)
        }
    })
}

fn json_error(source: &str, error: &serde_json::Error) -> CliError {
    CliError::usage(format!(
        "{source} is not valid JSON {}",
        json_position(error)
    ))
}

fn yaml_error(source: &str, error: &serde_yaml::Error) -> CliError {
    let at = error.location().map_or_else(String::new, |at| {
        format!(" (line {}, column {})", at.line(), at.column())
    });
    CliError::usage(format!("{source} is neither valid JSON nor valid YAML{at}"))
}

fn expect_object(source: &str, value: Value) -> Result<JsonObject, CliError> {
    match value {
        Value::Object(object) => Ok(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(CliError::usage(format!("{source} must be a JSON object"))
                .hint("objects have braces: `{\"hostname\": \"localhost\"}`"))
        },
    }
}

/// Formats an object as indented JSON.
pub(crate) fn display(object: &JsonObject) -> String {
    // Objects parsed from JSON can always be serialized.
    serde_json::to_string_pretty(object).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<JsonObject, CliError> {
        expect_object("data.yml", parse("data.yml", text)?)
    }

    #[test]
    fn json_and_yaml_say_the_same() {
        let expected = json!({"address": "localhost", "port": 80, "on": [true]});
        for text in [
            "{\"address\": \"localhost\", \"port\": 80, \"on\": [true]}",
            "address: localhost\nport: 80\non:\n- true\n",
            "{address: localhost, port: 80, on: [true]}",
        ] {
            assert_eq!(Value::Object(read(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in [
            "", "5", "[]", "- a", "null", "words", "{\"a\": ", "a: [", "1: [}",
        ] {
            let error = read(text).unwrap_err().message();
            assert!(error.starts_with("data.yml "), "{text}: {error}");
        }
        let json = read("{\"a\": 1,, }").unwrap_err().message();
        assert!(json.contains("(line 1, column"), "{json}");
    }

    #[test]
    fn argument_is_read_where_it_stands() {
        let given = DataArgs {
            json: Some("{\"a\": 1}".to_owned()),
            file: None,
        };
        assert_eq!(display(&given.read().unwrap().unwrap()), "{\n  \"a\": 1\n}");
        assert_eq!(DataArgs::default().read().unwrap(), None);
        let bad = DataArgs {
            json: Some("a: 1".to_owned()),
            file: None,
        };
        assert!(bad.read().is_err(), "YAML comes from files");
    }
}
