//! REST client of a controller.

mod builder;

pub use builder::{ClientBuilder, ClientCertificate};

use crate::body::Body;
use crate::connection::Connector;
use crate::endpoint::Endpoint;
use crate::error::ClientError;
use crate::exchange::{Exchange, Observer};
use crate::headers;
use crate::list_query::ListQuery;
use crate::reply::Reply;
use crate::retry::{Failure, RetryPolicy};
use crate::trust::Trust;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
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
    session: Option<SecretString>,
    bearer: Option<SecretString>,
    mfa_code: Option<SecretString>,
    retry: RetryPolicy,
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
            session,
            bearer: None,
            mfa_code: None,
            retry,
        }
    }

    /// Replaces the session token.
    #[must_use]
    pub fn with_session(&self, token: SecretString) -> Self {
        Self {
            session: Some(token),
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
            bearer: Some(token),
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
            let reply = Box::pin(self.send_once(&method, endpoint, body.clone())).await;
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

    async fn send_once(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<Reply, ClientError> {
        let begin = Instant::now();
        let shared = &self.shared;
        let request = self.request(method, endpoint, body)?;
        let reply = time::timeout(shared.timeout, shared.exchange(request, method, endpoint))
            .await
            .unwrap_or_else(|_elapsed| {
                Err(shared.connector.interrupted(io::ErrorKind::TimedOut.into()))
            });
        if let Some(observer) = &shared.observer {
            observer(Exchange {
                method,
                target: &endpoint.to_string(),
                status: reply.as_ref().ok().map(|reply| reply.status.as_u16()),
                elapsed: begin.elapsed(),
            });
        }
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

    /// The error for a response that is not valid because of `reason`.
    pub(crate) fn unexpected(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        reason: impl Into<String>,
    ) -> ClientError {
        self.shared.unexpected(method, endpoint, reason.into())
    }

    fn request(
        &self,
        method: &Method,
        endpoint: &Endpoint,
        body: Body,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(endpoint.to_target()?)
            .header(HOST, self.shared.connector.authority())
            .header(ACCEPT, "application/json, */*;q=0.5");
        if let Some(content_type) = body.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in self.credentials()? {
            request = request.header(name, value);
        }
        request.body(Full::new(body.bytes)).map_err(|_http| {
            ClientError::InvalidRequest("check the path and the parameters".to_owned())
        })
    }
}

impl Client {
    /// The headers that authenticate the caller.
    fn credentials(&self) -> Result<Vec<(HeaderName, HeaderValue)>, ClientError> {
        let session = self.session.as_ref().map(headers::session);
        let bearer = self.bearer.as_ref().map(headers::bearer);
        let code = self.mfa_code.as_ref().map(headers::code);
        session.into_iter().chain(bearer).chain(code).collect()
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
            .field("has_bearer", &self.bearer.is_some())
            .finish_non_exhaustive()
    }
}
