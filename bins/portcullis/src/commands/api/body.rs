//! Request bodies.

use crate::error::CliError;
use crate::error::cause::json_position;
use crate::files;
use portcullis_client::Body;
use serde::de::IgnoredAny;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Source of a request body.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum BodySource {
    Given(String),
    /// A file, or standard input for `-`.
    File(PathBuf),
}

impl FromStr for BodySource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.strip_prefix('@') {
            Some(path) => Self::File(PathBuf::from(path)),
            None if text == "-" => Self::File(PathBuf::from("-")),
            None => Self::Given(text.to_owned()),
        })
    }
}

impl std::fmt::Debug for BodySource {
    /// Omits the content, which may be a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Given(_) => "Given",
            Self::File(_) => "File",
        })
    }
}

impl BodySource {
    /// Reads the body and validates that it is JSON.
    pub(super) fn read(&self) -> Result<Body, CliError> {
        let text = match self {
            Self::Given(text) => text.clone(),
            Self::File(path) => files::read_text(Path::new(path))?,
        };
        serde_json::from_str::<IgnoredAny>(&text).map_err(|error| {
            CliError::usage(format!(
                "the body is not valid JSON {}",
                json_position(&error)
            ))
        })?;
        Ok(Body::new("application/json", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_from_three_places() {
        let source = |text: &str| text.parse::<BodySource>().unwrap();
        assert_eq!(source("{}"), BodySource::Given("{}".to_owned()));
        assert_eq!(source("-"), BodySource::File(PathBuf::from("-")));
        assert_eq!(source("@a.json"), BodySource::File(PathBuf::from("a.json")));
        assert_eq!(source("-1"), BodySource::Given("-1".to_owned()));
    }

    #[test]
    fn only_json_is_sent() {
        assert!(
            BodySource::Given(r#" {"a": [1]} "#.to_owned())
                .read()
                .is_ok()
        );
        for text in ["", "{", "name: x", "{} {}"] {
            let error = BodySource::Given(text.to_owned()).read().unwrap_err();
            assert!(
                error.message().starts_with("the body is not valid JSON"),
                "{text}"
            );
        }
    }
}
