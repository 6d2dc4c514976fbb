//! API paths with query parameters.

use crate::error::CliError;
use portcullis_client::{Api, Endpoint};
use url::form_urlencoded;

/// Query parameters that contain secrets.
const SECRET_PARAMETERS: [&str; 2] = ["token", "password"];

/// A path of an API with its query parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestTarget {
    api: Api,
    segments: Vec<String>,
    parameters: Vec<(String, String)>,
}

/// Parses `NAME=VALUE`.
pub(super) fn parse_parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a parameter looks like `limit=5`".to_owned()),
    }
}

impl RequestTarget {
    /// Parses a path, with or without the prefix of an API, as typed by a user or from a link in a
    /// response.
    pub(super) fn parse(text: &str, is_client_api: bool) -> Result<Self, CliError> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let (prefixed, path) = strip_api_prefix(path);
        let api = match prefixed {
            Some(Api::Management | Api::Fabric) if is_client_api => {
                return Err(CliError::usage(
                    "this is a path of another API, but `--client` selects the client API",
                ));
            },
            Some(api) => api,
            None if is_client_api => Api::Client,
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

    pub(super) fn add_parameters(
        &mut self,
        parameters: impl IntoIterator<Item = (String, String)>,
    ) {
        self.parameters.extend(parameters);
    }

    pub(super) fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|(known, _)| known == name)
    }

    /// Converts it into an endpoint for the client.
    pub(super) fn into_endpoint(self) -> Result<Endpoint, CliError> {
        let mut segments = self.segments.into_iter();
        let first = segments
            .next()
            .ok_or_else(|| CliError::usage("the path is empty"))?;
        let endpoint = segments.fold(Endpoint::new(self.api, first), Endpoint::join);
        let parameters = self.parameters.into_iter();
        Ok(parameters.fold(endpoint, |endpoint, (name, value)| {
            if SECRET_PARAMETERS.contains(&name.as_str()) {
                endpoint.with_secret_parameter(name, value.into())
            } else {
                endpoint.with_parameter(name, value)
            }
        }))
    }
}

/// Splits off the prefix of an API and surrounding slashes.
fn strip_api_prefix(path: &str) -> (Option<Api>, &str) {
    let path = path.strip_prefix("./").unwrap_or(path);
    let bare = path.trim_start_matches('/');
    for api in [Api::Management, Api::Client, Api::Fabric] {
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
        let endpoint = RequestTarget::parse(text, is_for_clients)?.into_endpoint()?;
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
            ("/fabric/v1/routers", false, "/fabric/v1/routers"),
            ("fabric/v1/links/x", false, "/fabric/v1/links/x"),
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
        assert!(sent("/fabric/v1/routers", true).is_err());
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = sent("enroll?method=ott&token=s3cret", true).unwrap();
        assert_eq!(shown, "/edge/client/v1/enroll?method=ott&token=***");
    }
}
