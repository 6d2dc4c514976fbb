//! Connections that go on with another protocol.

use crate::body::Body;
use crate::client::{Client, SessionTokens};
use crate::endpoint::Endpoint;
use crate::error::ClientError;
use crate::reply::Reply;
use http::{HeaderMap, Method, StatusCode};
use hyper_util::rt::TokioIo;
use secrecy::SecretString;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{self, Instant};

/// A connection whose requests are over: bytes of another protocol follow, such as those of a `WebSocket`.
pub struct UpgradedConnection {
    /// Headers of the response 101.
    pub headers: HeaderMap,
    /// The bytes that follow.
    pub stream: UpgradedStream,
}

/// Bytes of an [`UpgradedConnection`], read and written by the traits of `tokio`.
#[derive(Debug)]
pub struct UpgradedStream(TokioIo<hyper::upgrade::Upgraded>);

impl AsyncRead for UpgradedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for UpgradedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl fmt::Debug for UpgradedConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UpgradedConnection")
            .finish_non_exhaustive()
    }
}

/// The answer to a request for another protocol.
enum Answer {
    Upgraded(UpgradedConnection),
    Refused(Reply),
}

impl Client {
    /// Asks the controller to go on with another protocol (RFC 9110, section 7.8), as the same caller as other
    /// requests. `headers` are added to the request: `Connection`, `Upgrade` and what the protocol needs. The
    /// retry policy does not apply.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] for any status but 101, and the errors of [`Client::send`].
    pub async fn upgrade(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
    ) -> Result<UpgradedConnection, ClientError> {
        match self.upgrade_in_session(endpoint, headers).await? {
            Answer::Upgraded(connection) => Ok(connection),
            Answer::Refused(reply) => match reply.into_success() {
                Err(refusal) => Err(ClientError::Refused(refusal)),
                Ok(_) => Err(self.unexpected(
                    &Method::GET,
                    endpoint,
                    "it does not go on with the other protocol",
                )),
            },
        }
    }

    /// Once more with another access token if that of the session has expired.
    async fn upgrade_in_session(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
    ) -> Result<Answer, ClientError> {
        let Some(SessionTokens::Oidc(tokens)) = self.session_tokens() else {
            return self.upgrade_once(endpoint, headers, None).await;
        };
        let token = tokens.token(None).await?;
        match self.upgrade_once(endpoint, headers, Some(&token)).await? {
            Answer::Refused(reply) if reply.says_token_has_expired() => {
                let token = tokens.token(Some(&token)).await?;
                self.upgrade_once(endpoint, headers, Some(&token)).await
            },
            answer => Ok(answer),
        }
    }

    async fn upgrade_once(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        access_token: Option<&SecretString>,
    ) -> Result<Answer, ClientError> {
        let begin = Instant::now();
        let shared = self.shared();
        let connector = &shared.connector;
        let mut request = self.request(&Method::GET, endpoint, Body::empty(), access_token)?;
        request.headers_mut().extend(headers.clone());
        let exchange = async {
            let (response, sender) = connector.send(request).await?;
            if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                let reply = shared
                    .read(response, sender, &Method::GET, endpoint)
                    .await?;
                return Ok(Answer::Refused(reply));
            }
            let headers = response.headers().clone();
            let upgraded = hyper::upgrade::on(response).await;
            let upgraded = upgraded.map_err(|error| connector.http_error(&error))?;
            Ok(Answer::Upgraded(UpgradedConnection {
                headers,
                stream: UpgradedStream(TokioIo::new(upgraded)),
            }))
        };
        let answer = time::timeout(shared.timeout, exchange)
            .await
            .unwrap_or_else(|_elapsed| Err(connector.interrupted(io::ErrorKind::TimedOut.into())));
        let status = answer.as_ref().ok().map(|answer| match answer {
            Answer::Upgraded(_) => StatusCode::SWITCHING_PROTOCOLS,
            Answer::Refused(reply) => reply.status,
        });
        shared.observe(&Method::GET, endpoint, status, begin);
        answer
    }
}
