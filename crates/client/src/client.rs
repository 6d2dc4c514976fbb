//! REST client of a controller.

mod builder;

pub use builder::{ClientBuilder, ClientCertificate};

use crate::body::Body;
use crate::connection::{Connector, Sender};
use crate::endpoint::Endpoint;
use crate::error::ClientError;
use crate::exchange::{Exchange, Observer};
use crate::headers;
use crate::list_query::ListQuery;
use crate::oidc::AccessTokens;
use crate::reply::Reply;
use crate::retry::{Failure, RetryPolicy};
use crate::trust::Trust;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use portcullis_api::envelope::{Created, Envelope, ListEnvelope};
use rustls::crypto::SecureRandom;
use rustls_pki_types::CertificateDer;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{self, Instant};
use url::Url;

/// Maximum size of a response: 256 MiB, enough for a list of some hundred thousand entities.
const MAX_RESPONSE_BYTES: usize = 256 * 1024 * 1024;

/// REST client of one controller. Clones share their connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    session: Option<SessionTokens>,
    /// JWTs of external signers.
    bearers: Vec<SecretString>,
    mfa_code: Option<SecretString>,
    retry: RetryPolicy,
}

/// What shows that a request belongs to a session.
#[derive(Clone)]
pub(crate) enum SessionTokens {
    /// A session token, in a header of its own.
    Legacy(SecretString),
    /// The access tokens of a login by OpenID Connect.
    Oidc(Arc<dyn AccessTokens>),
}

/// What clones of a client have in common.
pub(crate) struct Shared {
    pub(crate) connector: Connector,
    /// Time for a request and its response.
    pub(crate) timeout: Duration,
    /// Source of the random part of delays.
    pub(crate) random: &'static dyn SecureRandom,
    pub(crate) observer: Option<Observer>,
}

impl Client {
    /// Builder of a client for the controller at `url`, of which scheme, host and port are used.
    pub fn builder(url: &Url, trust: Trust) -> ClientBuilder {
        ClientBuilder::new(url, trust)
    }

    pub(crate) fn new(shared: Shared, session: Option<SecretString>, retry: RetryPolicy) -> Self {
        Self {
            shared: Arc::new(shared),
            session: session.map(SessionTokens::Legacy),
            bearers: Vec::new(),
            mfa_code: None,
            retry,
        }
    }

    /// Replaces the session token.
    #[must_use]
    pub fn with_session(&self, token: SecretString) -> Self {
        Self {
            session: Some(SessionTokens::Legacy(token)),
            ..self.clone()
        }
    }

    /// Uses a session that was opened by OpenID Connect instead of one with a session token. A request whose
    /// token the controller calls expired is sent once more with another one.
    #[must_use]
    pub fn with_access_tokens(&self, tokens: impl AccessTokens + 'static) -> Self {
        Self {
            session: Some(SessionTokens::Oidc(Arc::new(tokens))),
            ..self.clone()
        }
    }

    /// Uses no session.
    #[must_use]
    pub fn without_session(&self) -> Self {
        Self {
            session: None,
            ..self.clone()
        }
    }

    /// Replaces the rule by which requests are sent again.
    #[must_use]
    pub fn with_retry(&self, policy: RetryPolicy) -> Self {
        Self {
            retry: policy,
            ..self.clone()
        }
    }

    /// Replaces the JWT of an external signer, which is sent in addition to the session token.
    #[must_use]
    pub fn with_bearer(&self, token: SecretString) -> Self {
        Self {
            bearers: vec![token],
            ..self.clone()
        }
    }

    /// Sends a JWT of an external signer before those that are sent already.
    pub(crate) fn with_first_bearer(&self, token: SecretString) -> Self {
        let others = self.bearers.iter().cloned();
        Self {
            bearers: std::iter::once(token).chain(others).collect(),
            ..self.clone()
        }
    }

    /// Sends no JWTs of external signers.
    pub(crate) fn without_bearers(&self) -> Self {
        Self {
            bearers: Vec::new(),
            ..self.clone()
        }
    }

    /// Sends a TOTP or recovery code in a header, for requests that need a code but have no body.
    pub(crate) fn with_mfa_code(&self, code: SecretString) -> Self {
        Self {
            mfa_code: Some(code),
            ..self.clone()
        }
    }

    /// Fetches the data of one resource.
    pub async fn get<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, ClientError> {
        let envelope: Envelope<T> = self
            .fetch_json(Method::GET, endpoint, Body::empty())
            .await?;
        Ok(envelope.data)
    }

    /// Fetches a page of a list.
    pub async fn list<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        query: &ListQuery,
    ) -> Result<ListEnvelope<T>, ClientError> {
        self.fetch_json(Method::GET, &query.apply(endpoint), Body::empty())
            .await
    }

    /// Creates an entity.
    pub async fn create<B: Serialize + Sync>(
        &self,
        endpoint: &Endpoint,
        body: &B,
    ) -> Result<Created, ClientError> {
        self.post(endpoint, Body::json(body)?).await
    }

    /// Posts a body and returns the data of the response.
    pub async fn post<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<T, ClientError> {
        let envelope: Envelope<T> = self.fetch_json(Method::POST, endpoint, body).await?;
        Ok(envelope.data)
    }

    /// Replaces an entity.
    pub async fn put<B: Serialize + Sync>(
        &self,
        endpoint: &Endpoint,
        body: &B,
    ) -> Result<(), ClientError> {
        self.execute(Method::PUT, endpoint, Body::json(body)?).await
    }

    /// Replaces a resource and returns the data of the response.
    pub(crate) async fn put_returning<B: Serialize + Sync, T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        body: &B,
    ) -> Result<T, ClientError> {
        let envelope: Envelope<T> = self
            .fetch_json(Method::PUT, endpoint, Body::json(body)?)
            .await?;
        Ok(envelope.data)
    }

    /// Changes some members of an entity.
    pub async fn patch<B: Serialize + Sync>(
        &self,
        endpoint: &Endpoint,
        body: &B,
    ) -> Result<(), ClientError> {
        self.execute(Method::PATCH, endpoint, Body::json(body)?)
            .await
    }

    /// Deletes an entity.
    pub async fn delete(&self, endpoint: &Endpoint) -> Result<(), ClientError> {
        self.execute(Method::DELETE, endpoint, Body::empty()).await
    }

    /// Sends a request, again if the retry policy says so, and returns the response, whatever its
    /// status.
    ///
    /// # Errors
    ///
    /// Any [`ClientError`] except [`ClientError::Refused`].
    pub async fn send(
        &self,
        method: Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<Reply, ClientError> {
        let (begin, shared) = (Instant::now(), &self.shared);
        let mut attempt = 1;
        loop {
            // On the heap, so that the futures of callers stay small.
            let reply = Box::pin(self.send_in_session(&method, endpoint, &body)).await;
            let failure = match &reply {
                Ok(reply) => Failure::of_status(reply.status, reply.retry_after()),
                Err(error) => Failure::of_error(error, &method),
            };
            let delay = failure.and_then(|failure| {
                let (elapsed, luck) = (begin.elapsed(), shared.draw());
                self.retry.delay(failure, attempt, elapsed, luck)
            });
            match delay {
                Some(delay) => time::sleep(delay).await,
                None => return reply,
            }
            attempt += 1;
        }
    }

    /// Sends a request with the access token of the session, if it has one; once more with another one
    /// if that has expired.
    async fn send_in_session(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        body: &Body,
    ) -> Result<Reply, ClientError> {
        let Some(SessionTokens::Oidc(tokens)) = &self.session else {
            return self.send_once(method, endpoint, body.clone(), None).await;
        };
        let token = tokens.token(None).await?;
        let send = |token| self.send_once(method, endpoint, body.clone(), Some(token));
        let reply = send(token.clone()).await?;
        if !reply.says_token_has_expired() {
            return Ok(reply);
        }
        send(tokens.token(Some(&token)).await?).await
    }

    async fn send_once(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        body: Body,
        access_token: Option<SecretString>,
    ) -> Result<Reply, ClientError> {
        let begin = Instant::now();
        let shared = &self.shared;
        let request = self.request(method, endpoint, body, access_token.as_ref())?;
        let reply = time::timeout(shared.timeout, shared.exchange(request, method, endpoint))
            .await
            .unwrap_or_else(|_elapsed| {
                Err(shared.connector.interrupted(io::ErrorKind::TimedOut.into()))
            });
        let status = reply.as_ref().ok().map(|reply| reply.status);
        shared.observe(method, endpoint, status, begin);
        reply
    }

    /// The certificate chain that the controller presents on a new connection, leaf first.
    pub(crate) async fn peer_chain(&self) -> Result<Vec<CertificateDer<'static>>, ClientError> {
        Ok(self.shared.connector.connect().await?.peer_chain)
    }

    /// Sends a request and ignores the body of a successful response.
    pub(crate) async fn execute(
        &self,
        method: Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<(), ClientError> {
        self.fetch(method, endpoint, body).await.map(drop)
    }

    /// Sends a request and returns the response if it is successful.
    pub(crate) async fn fetch(
        &self,
        method: Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<Reply, ClientError> {
        let reply = self.send(method, endpoint, body).await?;
        reply.into_success().map_err(ClientError::Refused)
    }

    async fn fetch_json<T: DeserializeOwned>(
        &self,
        method: Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<T, ClientError> {
        let reply = self.fetch(method.clone(), endpoint, body).await?;
        // The position helps to find the error; the message of the library may quote the data.
        serde_json::from_slice(&reply.body).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let reason = format!("unexpected JSON at line {line}, column {column}");
            self.shared.unexpected(&method, endpoint, reason)
        })
    }

    /// The address of the controller.
    pub(crate) fn origin(&self) -> Url {
        self.shared.connector.origin()
    }

    /// The error for a response that is not valid because of `reason`.
    pub(crate) fn unexpected(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        reason: impl Into<String>,
    ) -> ClientError {
        self.shared.unexpected(method, endpoint, reason.into())
    }

    pub(crate) fn session_tokens(&self) -> Option<&SessionTokens> {
        self.session.as_ref()
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn request(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        body: Body,
        access_token: Option<&SecretString>,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(endpoint.to_target()?)
            .header(HOST, self.shared.connector.authority())
            .header(ACCEPT, "application/json, */*;q=0.5");
        if let Some(content_type) = body.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in self.credentials(access_token)? {
            request = request.header(name, value);
        }
        request.body(Full::new(body.bytes)).map_err(|_http| {
            ClientError::InvalidRequest("check the path and the parameters".to_owned())
        })
    }
}

impl Client {
    /// The headers that authenticate the caller. Controllers take the first bearer token for that of the
    /// session.
    fn credentials(
        &self,
        access_token: Option<&SecretString>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ClientError> {
        let session = match &self.session {
            Some(SessionTokens::Legacy(token)) => Some(headers::session(token)),
            Some(SessionTokens::Oidc(_)) | None => None,
        };
        let bearers = access_token.into_iter().chain(&self.bearers);
        let bearers = bearers.map(headers::bearer);
        let code = self.mfa_code.as_ref().map(headers::code);
        session.into_iter().chain(bearers).chain(code).collect()
    }
}

impl Shared {
    /// A random number.
    fn draw(&self) -> u8 {
        let mut byte = [0];
        // Without randomness, delays are merely the shortest.
        let _ = self.random.fill(&mut byte);
        u8::from_be_bytes(byte)
    }

    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        method: &Method,
        endpoint: &Endpoint,
    ) -> Result<Reply, ClientError> {
        let (response, sender) = self.connector.send(request).await?;
        self.read(response, sender, method, endpoint).await
    }

    /// Tells the observer, if there is one.
    pub(crate) fn observe(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        status: Option<StatusCode>,
        begin: Instant,
    ) {
        if let Some(observer) = &self.observer {
            observer(Exchange {
                method,
                target: &endpoint.to_string(),
                status: status.map(|status| status.as_u16()),
                elapsed: begin.elapsed(),
            });
        }
    }

    /// Reads a response to its end, and keeps the connection for other requests.
    pub(crate) async fn read(
        &self,
        response: Response<Incoming>,
        sender: Sender,
        method: &Method,
        endpoint: &Endpoint,
    ) -> Result<Reply, ClientError> {
        let (head, body) = response.into_parts();
        let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
        let body = body.map_err(|error| match error.downcast::<hyper::Error>() {
            Ok(broken) => self.connector.http_error(&broken),
            Err(error) if error.is::<LengthLimitError>() => {
                self.unexpected(method, endpoint, "it is too large".to_owned())
            },
            Err(_other) => self.unexpected(method, endpoint, "it is incomplete".to_owned()),
        })?;
        self.connector.release(sender);
        Ok(Reply {
            status: head.status,
            headers: head.headers,
            body: body.to_bytes(),
        })
    }

    fn unexpected(&self, method: &Method, endpoint: &Endpoint, reason: String) -> ClientError {
        ClientError::UnexpectedResponse {
            address: self.connector.authority(),
            request: format!("{method} {endpoint}"),
            reason,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("address", &self.shared.connector.authority())
            .field("has_session", &self.session.is_some())
            .field("has_bearer", &!self.bearers.is_empty())
            .finish_non_exhaustive()
    }
}
