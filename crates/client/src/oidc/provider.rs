//! The provider, as its discovery document describes it (OpenID Connect Discovery section 3).

use crate::endpoint::{Api, Endpoint};
use serde::Deserialize;
use url::Url;

/// The OpenID provider of a controller.
#[derive(Debug, Clone)]
pub struct Provider {
    issuer: Url,
    /// The issuer as the document spells it, which tokens repeat.
    name: String,
    pub(crate) authorization: Endpoint,
    pub(crate) token: Endpoint,
    pub(crate) revocation: Endpoint,
}

/// A discovery document cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    #[error("it is no discovery document")]
    Malformed,
    /// Tokens of another issuer could pass for those of this controller (section 4.3).
    #[error("it is about another issuer")]
    Issuer,
    /// Secrets go to the controller alone.
    #[error("an endpoint is not below the issuer")]
    Endpoint,
    #[error("its provider does not support PKCE with S256")]
    Pkce,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: String,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
}

impl Provider {
    /// Reads the document that the controller at `origin`, of which scheme, host and port are used,
    /// serves below `/oidc`.
    ///
    /// # Errors
    ///
    /// [`ProviderError`] when it is not about that provider, or offers less than a login needs.
    pub fn from_document(origin: &Url, document: &[u8]) -> Result<Self, ProviderError> {
        let document: Document =
            serde_json::from_slice(document).map_err(|_json| ProviderError::Malformed)?;
        let issuer = origin.join(Api::Oidc.prefix());
        let issuer = issuer.map_err(|_url| ProviderError::Issuer)?;
        // Port 443 may be written or not; nothing else may differ.
        if Url::parse(&document.issuer).ok().as_ref() != Some(&issuer) {
            return Err(ProviderError::Issuer);
        }
        let methods = &document.code_challenge_methods_supported;
        if !methods.iter().any(|method| method == "S256") {
            return Err(ProviderError::Pkce);
        }
        let endpoint = |url: &str| {
            let endpoint = Url::parse(url).ok().and_then(|url| below(&issuer, &url));
            endpoint.ok_or(ProviderError::Endpoint)
        };
        Ok(Self {
            authorization: endpoint(&document.authorization_endpoint)?,
            token: endpoint(&document.token_endpoint)?,
            revocation: endpoint(&document.revocation_endpoint)?,
            name: document.issuer,
            issuer,
        })
    }

    /// The issuer, which tokens name in the claim `iss`.
    pub fn issuer(&self) -> &str {
        &self.name
    }

    /// The URL that a browser asks at this endpoint.
    pub(crate) fn url(&self, endpoint: &Endpoint) -> Option<Url> {
        self.issuer.join(&endpoint.to_target().ok()?).ok()
    }

    /// Where a redirection leads, if it stays with the provider. The parameters are secrets: whoever knows
    /// the id of a login can go on with it.
    pub(crate) fn follow(&self, location: &str) -> Option<Endpoint> {
        below(&self.issuer, &self.issuer.join(location).ok()?)
    }
}

/// The endpoint at `url`, if it is below the issuer.
fn below(issuer: &Url, url: &Url) -> Option<Endpoint> {
    if url.origin() != issuer.origin() || url.fragment().is_some() || !url.username().is_empty() {
        return None;
    }
    let path = url.path().strip_prefix(issuer.path())?.strip_prefix('/')?;
    let mut segments = path.split('/');
    let first = Endpoint::new(Api::Oidc, segments.next()?);
    let endpoint = segments.fold(first, Endpoint::join);
    let pairs = url.query_pairs();
    let endpoint = pairs.fold(endpoint, |endpoint, (name, value)| {
        endpoint.with_secret_parameter(name.into_owned(), value.into_owned().into())
    });
    // Refuses what would leave its place in the path.
    endpoint.to_target().is_ok().then_some(endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(change: impl FnOnce(&mut Value)) -> Result<Provider, ProviderError> {
        let base = "https://ctrl.test:1280/oidc";
        let mut document = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/oauth/token"),
            "revocation_endpoint": format!("{base}/revoke"),
            "code_challenge_methods_supported": ["S256"],
        });
        change(&mut document);
        let origin = "https://ctrl.test:1280".parse().unwrap();
        Provider::from_document(&origin, document.to_string().as_bytes())
    }

    #[test]
    fn endpoints_are_those_of_the_document() {
        let provider = document(|_| ()).unwrap();
        assert_eq!(provider.issuer(), "https://ctrl.test:1280/oidc");
        let path = |endpoint: &Endpoint| endpoint.to_target().unwrap();
        assert_eq!(path(&provider.authorization), "/oidc/authorize");
        assert_eq!(path(&provider.token), "/oidc/oauth/token");
        assert_eq!(path(&provider.revocation), "/oidc/revoke");
    }

    #[test]
    fn other_issuers_and_endpoints_are_refused() {
        for (member, value, error) in [
            (
                "issuer",
                json!("https://evil.test:1280/oidc"),
                ProviderError::Issuer,
            ),
            (
                "issuer",
                json!("https://ctrl.test/oidc"),
                ProviderError::Issuer,
            ),
            (
                "issuer",
                json!("https://ctrl.test:1280/oidc/"),
                ProviderError::Issuer,
            ),
            (
                "issuer",
                json!("http://ctrl.test:1280/oidc"),
                ProviderError::Issuer,
            ),
            ("issuer", json!(7), ProviderError::Malformed),
            (
                "token_endpoint",
                json!("https://evil.test/oidc/x"),
                ProviderError::Endpoint,
            ),
            (
                "token_endpoint",
                json!("https://ctrl.test:1280/x"),
                ProviderError::Endpoint,
            ),
            (
                "token_endpoint",
                json!("https://ctrl.test:1280/oidc/../x"),
                ProviderError::Endpoint,
            ),
            ("token_endpoint", json!("/oidc/x"), ProviderError::Endpoint),
            (
                "code_challenge_methods_supported",
                json!(["plain"]),
                ProviderError::Pkce,
            ),
        ] {
            let read = document(|document| document[member] = value.clone());
            assert_eq!(read.unwrap_err(), error, "{member} {value}");
        }
    }

    #[test]
    fn standard_port_may_be_written() {
        let base = "https://ctrl.test:443/oidc";
        let read = json!({
            "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/oauth/token"), "revocation_endpoint": format!("{base}/revoke"),
            "code_challenge_methods_supported": ["S256"],
        });
        let origin = "https://ctrl.test".parse().unwrap();
        let provider = Provider::from_document(&origin, read.to_string().as_bytes()).unwrap();
        assert_eq!(provider.issuer(), base);
    }

    #[test]
    fn redirections_are_followed_within_the_provider() {
        let provider = document(|_| ()).unwrap();
        let follow = |location: &str| provider.follow(location)?.to_target().ok();
        let target = "/oidc/authorize/callback?id=a-1";
        assert_eq!(
            follow(&format!("https://ctrl.test:1280{target}")).as_deref(),
            Some(target)
        );
        assert_eq!(follow(target).as_deref(), Some(target));
        for foreign in [
            "https://evil.test/oidc/x",
            "//evil.test/oidc/x",
            "https://ctrl.test:1280/edge/client/v1",
            "https://ctrl.test:1280@evil.test/oidc/x",
            "/oidc",
            "/oidcx/y",
            "http://127.0.0.1:8080/auth/callback?code=c",
        ] {
            assert_eq!(follow(foreign), None, "{foreign}");
        }
    }
}
