//! Where a request goes.

use crate::error::CliError;
use portcullis_client::{Api, Endpoint};
use url::form_urlencoded;

/// Parameters that hold a secret.
const SECRETS: [&str; 2] = ["token", "password"];

/// A path below an API with its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    api: Api,
    segments: Vec<String>,
    parameters: Vec<(String, String)>,
}

/// Reads a parameter as it is given as an argument.
pub(super) fn parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a parameter looks like `limit=5`".to_owned()),
    }
}

impl Target {
    /// Reads a path, with or without the prefix of an API, as a person writes it or as it stands in
    /// the links of an answer.
    pub(super) fn parse(text: &str, is_for_clients: bool) -> Result<Self, CliError> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let (prefixed, path) = without_prefix(path);
        let api = match prefixed {
            Some(Api::Management) if is_for_clients => {
                return Err(CliError::usage(
                    "this is a path of the management API, but `--client` selects the client API",
                ));
            },
            Some(api) => api,
            None if is_for_clients => Api::Client,
            None => Api::Management,
        };
        let segments: Vec<_> = path.split('/').map(str::to_owned).collect();
        let is_bad = |segment: &String| matches!(segment.as_str(), "" | "." | "..");
        if segments.iter().any(is_bad) {
            return Err(CliError::usage(format!("`{text}` is not an API path"))
                .hint("a path looks like `identities` or `identities/ID/enrollments`"));
        }
        Ok(Self {
            api,
            segments,
            parameters: form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        })
    }

    /// Adds parameters.
    pub(super) fn add(&mut self, parameters: impl IntoIterator<Item = (String, String)>) {
        self.parameters.extend(parameters);
    }

    /// Whether there is a parameter of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|(known, _)| known == name)
    }

    /// The same for the client.
    pub(super) fn endpoint(self) -> Result<Endpoint, CliError> {
        let mut segments = self.segments.into_iter();
        let first = segments
            .next()
            .ok_or_else(|| CliError::usage("the path is empty"))?;
        let endpoint = segments.fold(Endpoint::new(self.api, first), Endpoint::then);
        let parameters = self.parameters.into_iter();
        Ok(parameters.fold(endpoint, |endpoint, (name, value)| {
            if SECRETS.contains(&name.as_str()) {
                endpoint.with_secret(name, value.into())
            } else {
                endpoint.with(name, value)
            }
        }))
    }
}

/// Takes the prefix of an API off a path, and what stands around the rest.
fn without_prefix(path: &str) -> (Option<Api>, &str) {
    let path = path.strip_prefix("./").unwrap_or(path);
    let bare = path.trim_start_matches('/');
    for api in [Api::Management, Api::Client] {
        let prefix = api.prefix().trim_start_matches('/');
        if let Some(rest) = bare.strip_prefix(prefix)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return (Some(api), rest.trim_matches('/'));
        }
    }
    (None, bare.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(text: &str, is_for_clients: bool) -> Result<String, CliError> {
        let endpoint = Target::parse(text, is_for_clients)?.endpoint()?;
        Ok(endpoint.to_string())
    }

    #[test]
    fn paths_are_read_in_every_form() {
        for (text, is_for_clients, path) in [
            ("identities", false, "/edge/management/v1/identities"),
            ("/identities", false, "/edge/management/v1/identities"),
            ("./identities/x", false, "/edge/management/v1/identities/x"),
            ("identities/", false, "/edge/management/v1/identities"),
            ("version", true, "/edge/client/v1/version"),
            (
                "/edge/management/v1/identities",
                false,
                "/edge/management/v1/identities",
            ),
            ("edge/client/v1/version", false, "/edge/client/v1/version"),
            ("/edge/client/v1/version", true, "/edge/client/v1/version"),
            (
                "edge/client/v10/x",
                false,
                "/edge/management/v1/edge/client/v10/x",
            ),
            (
                "x?filter=a%3D1+b&limit=2",
                false,
                "/edge/management/v1/x?filter=a%3D1%20b&limit=2",
            ),
            ("größe", false, "/edge/management/v1/gr%C3%B6%C3%9Fe"),
        ] {
            assert_eq!(sent(text, is_for_clients).unwrap(), path, "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in [
            "",
            "/",
            "?limit=1",
            "/edge/management/v1",
            "a//b",
            "../x",
            "a/../b",
            "https://localhost/edge/client/v1/version",
        ] {
            assert!(sent(text, false).is_err(), "{text}");
        }
        assert!(sent("/edge/management/v1/identities", true).is_err());
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = sent("enroll?method=ott&token=s3cret", true).unwrap();
        assert_eq!(shown, "/edge/client/v1/enroll?method=ott&token=***");
    }
}
