//! Authorization requests with a proof key, and the answers to them (RFC 6749 section 4.1, RFC 7636).

use super::{CLIENT_ID, Provider, SCOPE};
use crate::endpoint::Endpoint;
use crate::error::Denial;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use url::Url;

/// A request for a code, with what it will be recognized by.
#[derive(Debug, Clone)]
pub struct AuthorizationRequest {
    redirect_uri: Url,
    method: &'static str,
    /// Comes back with the code, so that nobody else's code is taken for the answer.
    state: String,
    /// Comes back in the ID token, so that it is not one of another login.
    nonce: String,
    /// Shown for the code, so that nobody else can use it.
    verifier: SecretString,
}

/// What came to the redirect URI is no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallbackError {
    /// It is none, or that of another login.
    #[error("it does not answer this login")]
    Foreign,
    #[error(transparent)]
    Denied(Denial),
}

impl AuthorizationRequest {
    /// Makes a request whose answer is sent to `redirect_uri`, for whoever logs in with a password.
    pub fn new(redirect_uri: Url, entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        Self::with_method(redirect_uri, "password", entropy)
    }

    pub(crate) fn with_method(
        redirect_uri: Url,
        method: &'static str,
        entropy: &dyn Entropy,
    ) -> Result<Self, EntropyError> {
        // 43 characters each, the shortest verifier that is allowed.
        let secret = || Ok(URL_SAFE_NO_PAD.encode(entropy::bytes::<32>(entropy)?));
        Ok(Self {
            redirect_uri,
            method,
            state: secret()?,
            nonce: secret()?,
            verifier: secret()?.into(),
        })
    }

    /// Where a browser begins the login; `None` if the provider's endpoint cannot be written as a URL.
    pub fn url(&self, provider: &Provider) -> Option<Url> {
        provider.url(&self.endpoint(provider))
    }

    pub(crate) fn endpoint(&self, provider: &Provider) -> Endpoint {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.expose_secret()));
        provider
            .authorization
            .clone()
            .with_parameter("client_id", CLIENT_ID)
            .with_parameter("response_type", "code")
            .with_parameter("scope", SCOPE)
            .with_parameter("redirect_uri", self.redirect_uri.as_str())
            .with_parameter("method", self.method)
            .with_parameter("code_challenge", challenge)
            .with_parameter("code_challenge_method", "S256")
            .with_secret_parameter("state", self.state.as_str().into())
            .with_secret_parameter("nonce", self.nonce.as_str().into())
    }

    /// The code that came to `callback`, the redirect URI with its answer.
    ///
    /// # Errors
    ///
    /// [`CallbackError`] when it is no answer to this request, or says that there is no code.
    pub fn code(&self, provider: &Provider, callback: &Url) -> Result<SecretString, CallbackError> {
        let mut expected = self.redirect_uri.clone();
        expected.set_query(callback.query());
        if expected != *callback {
            return Err(CallbackError::Foreign);
        }
        let parameter = |name| only(callback, name);
        if parameter("state").as_deref() != Some(&*self.state) {
            return Err(CallbackError::Foreign);
        }
        // RFC 9207 section 2.4: whoever names itself has to be the one that was asked.
        if parameter("iss").is_some_and(|issuer| issuer != provider.issuer()) {
            return Err(CallbackError::Foreign);
        }
        if let Some(error) = parameter("error") {
            return Err(CallbackError::Denied(Denial {
                error: error.into_owned(),
                error_description: parameter("error_description").map(Cow::into_owned),
            }));
        }
        let code = parameter("code").filter(|code| !code.is_empty());
        code.map(|code| SecretString::from(code.as_ref()))
            .ok_or(CallbackError::Foreign)
    }

    pub(crate) fn redirect_uri(&self) -> &Url {
        &self.redirect_uri
    }

    pub(crate) fn nonce(&self) -> &str {
        &self.nonce
    }

    pub(crate) fn verifier(&self) -> &SecretString {
        &self.verifier
    }
}

/// The value of a parameter that is there once.
fn only<'u>(url: &'u Url, name: &str) -> Option<Cow<'u, str>> {
    let mut values = url.query_pairs().filter(|(key, _)| key == name);
    let (_, value) = values.next()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts up, so that each secret is another one.
    struct Counting(std::sync::atomic::AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
            Ok(())
        }
    }

    fn provider() -> Provider {
        let document = br#"{"issuer":"https://c.test:1280/oidc",
            "authorization_endpoint":"https://c.test:1280/oidc/authorize",
            "token_endpoint":"https://c.test:1280/oidc/oauth/token",
            "revocation_endpoint":"https://c.test:1280/oidc/revoke",
            "code_challenge_methods_supported":["S256"]}"#;
        Provider::from_document(&"https://c.test:1280".parse().unwrap(), document).unwrap()
    }

    fn request() -> AuthorizationRequest {
        let uri = "http://127.0.0.1:4711/auth/callback".parse().unwrap();
        AuthorizationRequest::new(uri, &Counting(0.into())).unwrap()
    }

    #[test]
    fn request_has_what_the_standards_demand() {
        let request = request();
        let url = request.url(&provider()).unwrap();
        assert!(
            url.as_str()
                .starts_with("https://c.test:1280/oidc/authorize?")
        );
        let value = |name| only(&url, name).unwrap().into_owned();
        for (name, expected) in [
            ("client_id", "native"),
            ("response_type", "code"),
            ("scope", "openid offline_access"),
            ("redirect_uri", "http://127.0.0.1:4711/auth/callback"),
            ("code_challenge_method", "S256"),
            ("state", &request.state),
            ("nonce", &request.nonce),
        ] {
            assert_eq!(value(name), expected);
        }
        let digest = Sha256::digest(request.verifier().expose_secret());
        assert_eq!(value("code_challenge"), URL_SAFE_NO_PAD.encode(digest));
        assert_eq!(request.verifier().expose_secret().len(), 43);
        assert_ne!(request.state, request.nonce);
        assert!(!url.as_str().contains(request.verifier().expose_secret()));
        let shown = request.endpoint(&provider()).to_string();
        assert!(!shown.contains(&request.state), "{shown}");
    }

    #[test]
    fn only_the_answer_to_the_request_has_its_code() {
        let (request, provider) = (request(), provider());
        let state = request.state.clone();
        let read = |callback: String| request.code(&provider, &callback.parse().unwrap());
        let base = "http://127.0.0.1:4711/auth/callback";
        for good in [
            format!("{base}?code=c1&state={state}"),
            format!("{base}?state={state}&code=c1&iss=https%3A%2F%2Fc.test%3A1280%2Foidc"),
        ] {
            assert_eq!(read(good).unwrap().expose_secret(), "c1");
        }
        for foreign in [
            format!("{base}?code=c1"),
            format!("{base}?code=c1&state=other"),
            format!("{base}?code=c1&state={state}&state={state}"),
            format!("{base}?code=c1&code=c2&state={state}"),
            format!("{base}?code=&state={state}"),
            format!("{base}?state={state}"),
            format!("{base}?error=access_denied"),
            format!("{base}?code=c1&state={state}#x"),
            format!("{base}x?code=c1&state={state}"),
            format!("http://localhost:4711/auth/callback?code=c1&state={state}"),
            format!("{base}?code=c1&state={state}&iss=https%3A%2F%2Fevil.test%2Foidc"),
        ] {
            assert_eq!(
                read(foreign.clone()).err(),
                Some(CallbackError::Foreign),
                "{foreign}"
            );
        }
        let denied = read(format!(
            "{base}?error=access_denied&error_description=no+way&state={state}"
        ));
        let Err(CallbackError::Denied(denial)) = denied else {
            panic!("it is denied");
        };
        assert_eq!(
            denial.to_string(),
            "the controller refused: no way (access_denied)"
        );
    }
}
