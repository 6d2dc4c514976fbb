//! Logins by OpenID Connect.

use super::code::CodeReceiver;
use super::{Login, LoginFailure, open_factor};
use crate::oidc_tokens::OidcTokens;
use crate::open_session::OpenSession;
use portcullis_client::{Client, Credentials};

impl Login<'_> {
    pub(super) async fn log_in_by_oidc(
        &self,
        client: &Client,
        credentials: &Credentials,
    ) -> Result<OpenSession, LoginFailure> {
        let env = &self.options.env;
        let provider = client.oidc_provider().await?;
        let login = client.begin_oidc_login(&provider, credentials, &*env.entropy);
        let mut login = login.await?.describing(&self.description());
        let queries = login.authenticate(credentials).await;
        let mut queries = queries.map_err(|error| self.refused(error))?;
        while let Some(query) = open_factor(&queries)? {
            let receiver = CodeReceiver::Login(&login);
            queries = self.ask_for_code(query, receiver).await?;
        }
        let tokens = login.finish(env.now()).await?;
        let url = self.controller.url.clone();
        let tokens = OidcTokens::new(client.clone(), url, provider, tokens, env.clone());
        Ok(OpenSession::oidc(client, tokens))
    }
}
