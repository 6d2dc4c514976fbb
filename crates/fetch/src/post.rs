//! Messages to a server that the operator has chosen.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use rustls::RootCertStore;
use tokio::time;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::connect;
use crate::error::{FetchError, TlsSetupError};
use crate::exchange;
use crate::resolve::{Resolve as _, SystemResolver};
use crate::target::FetchTarget;

/// Most bytes of an answer that are read; what is longer counts as empty.
const MAX_ANSWER: usize = 64 * 1024;

/// Sends messages to servers that the operator names, which may be at any address.
///
/// Unlike a [`Fetcher`](crate::Fetcher) it applies no rules about hosts, so no URL may come from somebody else. It
/// follows no redirects: headers of the message may be secrets. Each message has a connection of its own.
pub struct Poster {
    tls: TlsConnector,
    timeout: Duration,
}

/// What a server answers to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostAnswer {
    /// HTTP status.
    pub status: u16,
    /// Value of the header `Retry-After`.
    pub retry_after: Option<String>,
    /// Empty if it is longer than 64 KiB.
    pub body: Bytes,
}

impl Poster {
    /// Creates a poster that trusts servers with a certificate from one of `roots`. A message may take `timeout`,
    /// with its answer.
    ///
    /// # Errors
    ///
    /// [`TlsSetupError`] when rustls refuses its settings.
    pub fn new(roots: Arc<RootCertStore>, timeout: Duration) -> Result<Self, TlsSetupError> {
        Ok(Self {
            tls: connect::connector(roots)?,
            timeout,
        })
    }

    /// Sends `body` to `url` with these headers, beside those that every request has.
    ///
    /// # Errors
    ///
    /// [`FetchError`], which names the host, and nothing of the headers.
    pub async fn post(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<PostAnswer, FetchError> {
        let target = FetchTarget::parse(url)?;
        let sending = Box::pin(self.send(&target, headers, body));
        let answered = time::timeout(self.timeout, sending).await;
        answered.unwrap_or_else(|_elapsed| {
            Err(FetchError::TimedOut {
                host: target.host(),
                limit: self.timeout,
            })
        })
    }

    async fn send(
        &self,
        target: &FetchTarget<'_>,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<PostAnswer, FetchError> {
        let request =
            request(target, headers, body).map_err(|source| FetchError::InvalidRequest {
                host: target.host(),
                source,
            })?;
        let addresses = match target.name() {
            None => target.address().into_iter().collect(),
            Some(name) => {
                SystemResolver
                    .resolve(name)
                    .await
                    .map_err(|source| FetchError::Unresolved {
                        host: target.host(),
                        source,
                    })?
            },
        };
        let socket = connect::tcp(target, &addresses, self.timeout).await?;
        if !target.is_tls() {
            return exchange::send(socket, target, request, |answer| read(answer, target)).await;
        }
        let stream = connect::tls(&self.tls, target, socket).await?;
        exchange::send(stream, target, request, |answer| read(answer, target)).await
    }
}

fn request(
    target: &FetchTarget<'_>,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, http::Error> {
    let mut request = Request::post(target.path_and_query()).body(Full::new(body))?;
    let own = request.headers_mut();
    own.insert(header::USER_AGENT, HeaderValue::from_static("portcullis"));
    own.extend(
        headers
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    own.insert(header::HOST, HeaderValue::try_from(target.authority())?);
    own.insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}

async fn read(
    answer: Response<Incoming>,
    target: &FetchTarget<'_>,
) -> Result<PostAnswer, FetchError> {
    let (head, body) = answer.into_parts();
    let retry_after = head.headers.get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok());
    let body = match Limited::new(body, MAX_ANSWER).collect().await {
        Ok(whole) => whole.to_bytes(),
        Err(error) => match error.downcast::<hyper::Error>() {
            Ok(source) => {
                return Err(FetchError::InvalidResponse {
                    host: target.host(),
                    source: *source,
                });
            },
            // It is too long, and what was asked for has been done.
            Err(_too_long) => Bytes::new(),
        },
    };
    Ok(PostAnswer {
        status: head.status.as_u16(),
        retry_after: retry_after.map(str::to_owned),
        body,
    })
}

impl std::fmt::Debug for Poster {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Poster")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
