//! Login with any credential.

use crate::client::Client;
use crate::endpoint::Api;
use crate::error::ClientError;
use portcullis_api::api_session::ApiSessionDetail;
use secrecy::SecretString;

/// What a caller shows to log in.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// Username and password.
    Password {
        username: String,
        password: SecretString,
    },
    /// The client certificate that the client presents in TLS.
    Certificate,
    /// A JWT of an external signer.
    Jwt(SecretString),
}

impl Credentials {
    /// Username and password.
    pub fn password(username: impl Into<String>, password: impl Into<SecretString>) -> Self {
        Self::Password {
            username: username.into(),
            password: password.into(),
        }
    }
}

/// A session with the client that uses it.
#[derive(Debug, Clone)]
pub struct Login {
    /// Sends the session token with each request.
    pub client: Client,
    /// The session. Its token may be kept and given to [`ClientBuilder::session`] later.
    ///
    /// [`ClientBuilder::session`]: crate::ClientBuilder::session
    pub session: ApiSessionDetail,
}

impl Login {
    /// Whether nothing more is asked for. A partial session has open
    /// [`auth_queries`](ApiSessionDetail::auth_queries), such as a code, which
    /// [`Client::authenticate_mfa`] takes.
    pub fn is_complete(&self) -> bool {
        self.session.auth_queries.is_empty()
    }
}

impl Client {
    /// Logs in, and returns a client that uses the session. This client stays as it is.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use portcullis_client::{Api, Client, ClientError, Credentials};
    /// # async fn run(client: Client) -> Result<(), ClientError> {
    /// let credentials = Credentials::password("admin", "correct horse");
    /// let login = client.log_in(Api::Management, credentials).await?;
    /// if !login.is_complete() {
    ///     login.client.authenticate_mfa(Api::Management, "123456".into()).await?;
    /// }
    /// let own = login.client.current_identity(Api::Management).await?;
    /// println!("logged in as {}", own.name);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn log_in(&self, api: Api, credentials: Credentials) -> Result<Login, ClientError> {
        let (client, session) = match credentials {
            Credentials::Password { username, password } => {
                let session = self.authenticate_with_password(api, &username, password);
                (self.clone(), session.await?)
            },
            Credentials::Certificate => {
                (self.clone(), self.authenticate_with_certificate(api).await?)
            },
            Credentials::Jwt(token) => {
                let client = self.with_bearer(token);
                let session = client.authenticate_with_jwt(api).await?;
                (client, session)
            },
        };
        Ok(Login {
            client: client.with_session(session.token.clone()),
            session,
        })
    }
}
