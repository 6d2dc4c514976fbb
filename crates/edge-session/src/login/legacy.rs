//! Logins that open a session with a UUID.

use super::code::CodeReceiver;
use super::{Login, LoginFailure, open_factor};
use crate::open_session::OpenSession;
use portcullis_client::{Api, Client, Credentials};

impl Login<'_> {
    pub(super) async fn log_in_by_legacy(
        &self,
        client: &Client,
        credentials: Credentials,
    ) -> Result<OpenSession, LoginFailure> {
        let mut body = self.description();
        let mut client = client.clone();
        let method = match credentials {
            Credentials::Password { username, password } => {
                body.username = Some(username);
                body.password = Some(password);
                "password"
            },
            Credentials::Certificate => "cert",
            Credentials::Jwt(token) => {
                client = client.with_bearer(token);
                "ext-jwt"
            },
        };
        let session = client.authenticate(Api::Client, method, &body).await;
        let session = session.map_err(|error| self.refused(error))?;
        let client = client.with_session(session.token.clone());
        let mut queries = session.auth_queries.clone();
        while let Some(query) = open_factor(&queries)? {
            let receiver = CodeReceiver::Session(&client);
            queries = self.ask_for_code(query, receiver).await?;
        }
        Ok(OpenSession::legacy(client, &self.controller.url, session))
    }
}
