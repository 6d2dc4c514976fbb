//! Registration of redirect URIs.

use super::loopback::LoopbackUri;
use url::Url;

/// A registered redirect URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredUri(pub(super) Registered);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Registered {
    Exact(String),
    /// With any port.
    Loopback {
        scheme: &'static str,
        host: &'static str,
        path: String,
    },
}

/// The private-use scheme of OpenZiti's own applications. It is older than the rule that such schemes are
/// domain names.
const OPENZITI_SCHEME: &str = "openziti";

/// A URI cannot be registered as a redirect URI.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    #[error("must be an absolute URI")]
    NotAbsolute,
    #[error("`*` is only allowed as the port of 127.0.0.1, [::1] and localhost")]
    Wildcard,
    #[error("must not have a fragment")]
    Fragment,
    #[error("must not have a user name or password")]
    UserInformation,
    /// RFC 9700 section 2.6 keeps `http` for loopback.
    #[error("must be https; http is only allowed for 127.0.0.1, [::1] and localhost")]
    PlainHttp,
    /// RFC 8252 section 8.4: without a dot, applications of different vendors could claim the same scheme.
    #[error("must be https, or a scheme that contains a dot, such as com.example.app")]
    Scheme,
    /// Requests are compared byte for byte, so another spelling would never match.
    #[error("must be written as {0}")]
    Spelling(String),
}

impl RegisteredUri {
    /// Checks a URI that an operator lets logins or logouts lead to. On loopback any port counts, whether or
    /// not one is given; `*` may stand for it.
    pub fn parse(uri: &str) -> Result<Self, RegisterError> {
        let Some(loopback) = LoopbackUri::split(uri) else {
            check(uri)?;
            return Ok(Self(Registered::Exact(uri.to_owned())));
        };
        if loopback.port != Some("*") && !loopback.has_valid_port() {
            return Err(RegisterError::NotAbsolute);
        }
        let LoopbackUri {
            scheme, host, path, ..
        } = loopback;
        check_parts(&format!("{scheme}://{host}{path}"))?;
        Ok(Self(Registered::Loopback {
            scheme,
            host,
            path: path.to_owned(),
        }))
    }

    pub(super) fn matches(&self, uri: &str) -> bool {
        match &self.0 {
            Registered::Exact(registered) => uri == registered,
            Registered::Loopback { scheme, host, path } => {
                LoopbackUri::split(uri).is_some_and(|uri| {
                    uri.has_valid_port()
                        && (uri.scheme, uri.host, uri.path) == (*scheme, *host, path.as_str())
                })
            },
        }
    }
}

fn check(uri: &str) -> Result<(), RegisterError> {
    let url = check_parts(uri)?;
    match url.scheme() {
        "https" | OPENZITI_SCHEME => Ok(()),
        "http" => Err(RegisterError::PlainHttp),
        scheme if scheme.contains('.') => Ok(()),
        _ => Err(RegisterError::Scheme),
    }
}

/// Checks that a URI has nothing in it that a redirect URI must not have, and is spelled as browsers send it.
fn check_parts(uri: &str) -> Result<Url, RegisterError> {
    if uri.contains('*') {
        return Err(RegisterError::Wildcard);
    }
    let url = Url::parse(uri).or(Err(RegisterError::NotAbsolute))?;
    if url.fragment().is_some() {
        return Err(RegisterError::Fragment);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(RegisterError::UserInformation);
    }
    // A host may come without the slash that the library adds.
    if url.as_str() != uri && url.as_str().strip_suffix('/') != Some(uri) {
        return Err(RegisterError::Spelling(url.into()));
    }
    Ok(url)
}
