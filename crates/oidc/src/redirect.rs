//! Redirect URIs.
//!
//! A URI counts if it equals a registered one, byte for byte (RFC 9700 section 2.1). On loopback, where native
//! clients listen on whatever port is free, any port counts (RFC 8252 section 7.3), and nothing else may differ.
//! Foreign URIs are compared and never interpreted, so there is no second parser, of a browser for instance,
//! that could see another host in them.

mod loopback;
mod registered;

pub use registered::{RegisterError, RegisteredUri};

use registered::Registered;
use url::{Url, form_urlencoded};

/// A redirect URI of a request that is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

impl RedirectUri {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Scheme, host and port, as browsers send them; `None` for private-use schemes.
    pub fn origin(&self) -> Option<String> {
        let origin = Url::parse(&self.0).ok()?.origin();
        origin.is_tuple().then(|| origin.ascii_serialization())
    }

    /// The URI with these parameters appended to its query (RFC 6749 section 3.1.2).
    pub fn with_parameters(&self, parameters: &[(&str, &str)]) -> String {
        let delimiter = if self.0.contains('?') { '&' } else { '?' };
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        format!("{}{delimiter}{query}", self.0)
    }
}

/// The redirect URIs that are registered for one purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUris(Vec<RegisteredUri>);

/// A redirect URI is not registered; nobody may be sent there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the redirect URI is not registered")]
pub struct RedirectError;

impl RedirectUris {
    /// Where logins lead: those of the SDKs, and `more`.
    pub fn for_login(more: impl IntoIterator<Item = RegisteredUri>) -> Self {
        Self::of_sdks("/callback", more)
    }

    /// Where logouts lead: those of the SDKs, and `more`.
    pub fn for_logout(more: impl IntoIterator<Item = RegisteredUri>) -> Self {
        Self::of_sdks("/logout", more)
    }

    fn of_sdks(path: &str, more: impl IntoIterator<Item = RegisteredUri>) -> Self {
        let private_use = RegisteredUri(Registered::Exact(format!("openziti://auth{path}")));
        let loopback = loopback::SCHEMES
            .into_iter()
            .flat_map(|scheme| loopback::HOSTS.map(|host| (scheme, host)))
            .map(|(scheme, host)| Registered::Loopback {
                scheme,
                host,
                path: format!("/auth{path}"),
            })
            .map(RegisteredUri);
        Self(
            std::iter::once(private_use)
                .chain(loopback)
                .chain(more)
                .collect(),
        )
    }

    /// These, and `more`.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = RegisteredUri>) -> Self {
        self.0.extend(more);
        self
    }

    /// Looks up the URI of a request.
    pub fn find(&self, uri: &str) -> Result<RedirectUri, RedirectError> {
        if self.0.iter().any(|registered| registered.matches(uri)) {
            Ok(RedirectUri(uri.to_owned()))
        } else {
            Err(RedirectError)
        }
    }
}

#[cfg(test)]
mod tests;
