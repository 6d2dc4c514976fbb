//! What is sent along.

use crate::error::CliError;
use crate::error::cause::in_json;
use crate::files;
use portcullis_client::Body;
use serde::de::IgnoredAny;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where a body comes from.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// From the arguments.
    Given(String),
    /// From a file, or the standard input for `-`.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.strip_prefix('@') {
            Some(path) => Self::File(PathBuf::from(path)),
            None if text == "-" => Self::File(PathBuf::from("-")),
            None => Self::Given(text.to_owned()),
        })
    }
}

impl std::fmt::Debug for Source {
    /// Shows no content, which may be a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Given(_) => "Given",
            Self::File(_) => "File",
        })
    }
}

impl Source {
    /// Reads the body and makes sure that it is JSON.
    pub(super) fn read(&self) -> Result<Body, CliError> {
        let text = match self {
            Self::Given(text) => text.clone(),
            Self::File(path) => files::read_text(Path::new(path))?,
        };
        serde_json::from_str::<IgnoredAny>(&text).map_err(|error| {
            CliError::usage(format!("the body is not valid JSON {}", in_json(&error)))
        })?;
        Ok(Body::new("application/json", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_from_three_places() {
        let source = |text: &str| text.parse::<Source>().unwrap();
        assert_eq!(source("{}"), Source::Given("{}".to_owned()));
        assert_eq!(source("-"), Source::File(PathBuf::from("-")));
        assert_eq!(source("@a.json"), Source::File(PathBuf::from("a.json")));
        assert_eq!(source("-1"), Source::Given("-1".to_owned()));
    }

    #[test]
    fn only_json_is_sent() {
        assert!(Source::Given(r#" {"a": [1]} "#.to_owned()).read().is_ok());
        for text in ["", "{", "name: x", "{} {}"] {
            let error = Source::Given(text.to_owned()).read().unwrap_err();
            assert!(
                error.message().starts_with("the body is not valid JSON"),
                "{text}"
            );
        }
    }
}
