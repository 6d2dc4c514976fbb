//! A client of the OpenID provider: logins with the certificate of a connection, and refreshes.

use super::calls::text_of;
use super::controller::Controller;
use super::link::Link;
use super::request;
use anyhow::Context as _;

// RFC 7636 appendix B. It is the same work with a new one each time, but for the client.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Where logins lead; nobody listens there.
const REDIRECT: &str = "http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback";

const CLIENT_ID: &str = "native";

/// A client of one controller.
#[derive(Clone)]
pub(crate) struct OidcClient {
    /// By which the controller tells under which name it issues tokens.
    authority: String,
}

/// The tokens of a session.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

impl OidcClient {
    /// The client of a controller.
    pub(crate) fn new(controller: &Controller) -> Self {
        Self {
            authority: controller.authority(),
        }
    }

    /// Logs in with the certificate of a connection, by code flow: four requests.
    pub(crate) async fn log_in(&self, link: &mut Link) -> anyhow::Result<Tokens> {
        let path = format!(
            "/oidc/authorize?client_id={CLIENT_ID}&response_type=code&method=cert\
             &scope=openid+offline_access&state=s&nonce=n&redirect_uri={REDIRECT}\
             &code_challenge={CHALLENGE}&code_challenge_method=S256"
        );
        let begin = request::get_from(&self.authority, &path);
        let id = parameter(link.redirect(&begin).await?, "authRequestID")?;
        let mut details = request::client_details();
        if let Some(details) = details.as_object_mut() {
            details.insert("id".to_owned(), id.as_str().into());
        }
        let body = details.to_string();
        let step = request::post_to(&self.authority, "/oidc/login/cert", &body);
        link.redirect(&step).await?;
        let path = format!("/oidc/authorize/callback?id={id}");
        let back = request::get_from(&self.authority, &path);
        let code = parameter(link.redirect(&back).await?, "code")?;
        let form = format!(
            "grant_type=authorization_code&client_id={CLIENT_ID}&code={code}\
             &code_verifier={VERIFIER}&redirect_uri={REDIRECT}"
        );
        self.tokens(link, &form).await
    }

    /// Presents a refresh token for the next one.
    pub(crate) async fn refresh(&self, link: &mut Link, token: &str) -> anyhow::Result<Tokens> {
        let form = format!("grant_type=refresh_token&client_id={CLIENT_ID}&refresh_token={token}");
        self.tokens(link, &form).await
    }

    async fn tokens(&self, link: &mut Link, form: &str) -> anyhow::Result<Tokens> {
        let grant = request::post_form_to(&self.authority, "/oidc/oauth/token", form);
        let answer = link.expect(200, &grant).await?;
        Ok(Tokens {
            access: text_of(answer, "/access_token")?,
            refresh: text_of(answer, "/refresh_token")?,
        })
    }
}

/// The value of a parameter in the query of a URI. Ids and codes are written as they are.
fn parameter(uri: &str, name: &str) -> anyhow::Result<String> {
    let query = uri.split_once('?').map(|(_, query)| query);
    let mut pairs = query.into_iter().flat_map(|query| query.split('&'));
    pairs
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        .map(str::to_owned)
        .with_context(|| format!("the redirect has no {name}: {uri}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_is_found_by_its_whole_name() {
        let uri = "https://a.test/b?codex=1&code=2&state=3";
        assert_eq!(parameter(uri, "code").unwrap(), "2");
        parameter(uri, "stat").unwrap_err();
        parameter("https://a.test/code=2", "code").unwrap_err();
    }
}
