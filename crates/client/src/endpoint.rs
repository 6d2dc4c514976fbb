//! Request targets: API, path and query parameters.

use crate::error::ClientError;
use secrecy::{ExposeSecret as _, SecretString};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// One of the APIs of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// For administrators.
    Management,
    /// For clients of the network.
    Client,
    /// For administrators of the fabric of routers below the edge.
    Fabric,
    /// The OpenID provider.
    Oidc,
}

impl Api {
    /// The path prefix of the API.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Management => "/edge/management/v1",
            Self::Client => "/edge/client/v1",
            Self::Fabric => "/fabric/v1",
            Self::Oidc => "/oidc",
        }
    }
}

/// A path below an API, with query parameters.
///
/// Segments and values are given unencoded; they are percent-encoded in the request, and no segment
/// can escape from its position in the path.
///
/// # Examples
///
/// ```
/// use portcullis_client::{Api, Endpoint};
///
/// let endpoint = Endpoint::new(Api::Management, "identities")
///     .join("a/b")
///     .with_parameter("filter", "name = \"x\"");
/// assert_eq!(
///     endpoint.to_string(),
///     "/edge/management/v1/identities/a%2Fb?filter=name%20%3D%20%22x%22"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Endpoint {
    api: Api,
    segments: Vec<String>,
    parameters: Vec<Parameter>,
}

#[derive(Debug, Clone)]
struct Parameter {
    name: Cow<'static, str>,
    value: ParameterValue,
}

#[derive(Debug, Clone)]
enum ParameterValue {
    Plain(String),
    Secret(SecretString),
}

impl Endpoint {
    /// The path `segment` of an API.
    pub fn new(api: Api, segment: impl Into<String>) -> Self {
        Self {
            api,
            segments: vec![segment.into()],
            parameters: Vec::new(),
        }
    }

    /// Appends `segment` to the path.
    #[must_use]
    pub fn join(mut self, segment: impl Into<String>) -> Self {
        self.segments.push(segment.into());
        self
    }

    /// Adds a query parameter.
    #[must_use]
    pub fn with_parameter(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
    ) -> Self {
        let value = ParameterValue::Plain(value.into());
        let name = name.into();
        self.parameters.push(Parameter { name, value });
        self
    }

    /// Adds a query parameter whose value is never shown.
    #[must_use]
    pub fn with_secret_parameter(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: SecretString,
    ) -> Self {
        let value = ParameterValue::Secret(value);
        let name = name.into();
        self.parameters.push(Parameter { name, value });
        self
    }

    /// The request target with path and parameters, including secrets.
    pub(crate) fn to_target(&self) -> Result<String, ClientError> {
        if let Some(segment) = self.segments.iter().find(|segment| is_dot_segment(segment)) {
            return Err(ClientError::InvalidRequest(format!(
                "`{segment}` is not an id"
            )));
        }
        Ok(self.write(|secret| percent_encode(secret.expose_secret())))
    }

    fn write(&self, secret: impl Fn(&SecretString) -> String) -> String {
        let mut text = self.api.prefix().to_owned();
        for segment in &self.segments {
            text.push('/');
            text.push_str(&percent_encode(segment));
        }
        for (index, Parameter { name, value }) in self.parameters.iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text.push_str(&percent_encode(name));
            text.push('=');
            match value {
                ParameterValue::Plain(value) => text.push_str(&percent_encode(value)),
                ParameterValue::Secret(value) => text.push_str(&secret(value)),
            }
        }
        text
    }
}

impl fmt::Display for Endpoint {
    /// Writes path and parameters with secrets masked.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.write(|_| "***".to_owned()))
    }
}

/// Whether a segment is empty or a dot segment (RFC 3986 section 5.2.4).
fn is_dot_segment(segment: &str) -> bool {
    matches!(segment, "" | "." | "..")
}

/// Percent-encodes all but unreserved characters (RFC 3986 section 2.3).
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_in_their_place() {
        let to = |segment: &str| Endpoint::new(Api::Client, "x").join(segment).to_target();
        for (segment, written) in [
            ("aB3.dE6-H_", "aB3.dE6-H_"),
            ("a/b?c#d", "a%2Fb%3Fc%23d"),
            ("a b", "a%20b"),
            ("ä", "%C3%A4"),
            ("..%2f", "..%252f"),
        ] {
            assert_eq!(to(segment).unwrap(), format!("/edge/client/v1/x/{written}"));
        }
        for segment in ["", ".", ".."] {
            assert!(
                matches!(to(segment), Err(ClientError::InvalidRequest(_))),
                "{segment}"
            );
        }
    }

    #[test]
    fn secrets_are_sent_and_not_shown() {
        let endpoint = Endpoint::new(Api::Client, "enroll")
            .with_parameter("method", "ott")
            .with_secret_parameter("token", "t+1".into());
        let odd = Endpoint::new(Api::Client, "x").with_parameter("a&b".to_owned(), "c=d");
        assert_eq!(odd.to_string(), "/edge/client/v1/x?a%26b=c%3Dd");
        assert_eq!(
            endpoint.to_target().unwrap(),
            "/edge/client/v1/enroll?method=ott&token=t%2B1"
        );
        assert_eq!(
            endpoint.to_string(),
            "/edge/client/v1/enroll?method=ott&token=***"
        );
        assert!(!format!("{endpoint:?}").contains("t+1"));
    }
}
