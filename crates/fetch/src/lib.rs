//! Fetching of JSON documents from URLs that others chose, such as key sets of external signers.
//!
//! Anyone who may set a URL could otherwise reach through the controller what only the controller
//! can reach (SSRF). So [`FetchRules`] check the host and every address that it resolves to, the
//! connection goes to exactly the addresses that were checked, and each redirect is checked again.
//! The response is limited in size and time and must have a JSON media type; errors reveal nothing
//! of its content. No proxy is used, and nothing is sent that lets servers correlate fetches.
//!
//! A [`Poster`] sends messages to servers that the operator has chosen, without such rules.

mod address;
mod connect;
mod document;
mod error;
mod exchange;
mod key_sets;
mod post;
mod resolve;
mod roots;
mod rules;
mod target;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::fetch_rules::FetchRules;
use rustls::RootCertStore;
use tokio::sync::Semaphore;
use tokio::time;
use tokio_rustls::TlsConnector;
use url::Url;

pub use address::AddressClass;
use document::FetchResponse;
pub use error::{AddressRule, FetchError, HostRule, TlsSetupError};
pub use post::{PostAnswer, Poster};
pub use resolve::{Resolve, ResolveFuture, SystemResolver};
pub use roots::system_roots;
use rules::RuleChecker;
use target::FetchTarget;

/// Most concurrent fetches.
const MAX_FETCHES: usize = 64;

/// How long another fetch waits for its turn. Its own timeout starts after that.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Fetches documents under one set of rules.
pub struct Fetcher {
    checker: RuleChecker,
    tls: TlsConnector,
    resolver: Arc<dyn Resolve>,
    permits: Semaphore,
}

impl Fetcher {
    /// Creates a fetcher that trusts servers with a certificate from one of `roots`.
    ///
    /// # Errors
    ///
    /// [`TlsSetupError`] when rustls refuses its settings.
    pub fn new(rules: FetchRules, roots: Arc<RootCertStore>) -> Result<Self, TlsSetupError> {
        Ok(Self {
            checker: RuleChecker { rules },
            tls: connect::connector(roots)?,
            resolver: Arc::new(SystemResolver),
            permits: Semaphore::new(MAX_FETCHES),
        })
    }

    /// Replaces the system's resolver.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// Checks what can be checked of `url` without network access: scheme, host name, literal
    /// address.
    ///
    /// # Errors
    ///
    /// [`FetchError::Scheme`], [`FetchError::Credentials`], [`FetchError::HostRefused`],
    /// [`FetchError::AddressRefused`] or [`FetchError::PlainHttp`].
    pub fn check_url(&self, url: &Url) -> Result<(), FetchError> {
        let target = FetchTarget::parse(url)?;
        self.checker.check_target(&target)
    }

    /// Fetches the document at `url`, following redirects. At most 1 MiB, within
    /// [`FetchRules::timeout`] from its turn on, which is waited for at most 2 seconds.
    ///
    /// # Errors
    ///
    /// [`FetchError`], which names host and rule, and nothing of the response body.
    pub async fn fetch(&self, url: &Url) -> Result<Vec<u8>, FetchError> {
        let first = FetchTarget::parse(url)?;
        self.checker.check_target(&first)?;
        // Waiting for other fetches does not count towards the timeout.
        let turn = time::timeout(QUEUE_TIMEOUT, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = turn else {
            return Err(FetchError::TooManyFetches {
                host: first.host(),
                most: MAX_FETCHES,
            });
        };
        let fetch = Box::pin(self.follow_redirects(url.clone()));
        time::timeout(self.checker.rules.timeout, fetch)
            .await
            .unwrap_or_else(|_elapsed| {
                Err(FetchError::TimedOut {
                    host: first.host(),
                    limit: self.checker.rules.timeout,
                })
            })
    }

    async fn follow_redirects(&self, mut url: Url) -> Result<Vec<u8>, FetchError> {
        let mut redirects = 0;
        loop {
            let target = FetchTarget::parse(&url)?;
            match self.send(&target).await? {
                FetchResponse::Document(document) => return Ok(document),
                FetchResponse::Redirect(_) if redirects == self.checker.rules.max_redirects => {
                    return Err(FetchError::TooManyRedirects {
                        host: target.host(),
                        most: redirects,
                    });
                },
                FetchResponse::Redirect(next) => {
                    if target.is_tls() && next.scheme() == "http" {
                        return Err(FetchError::Downgraded {
                            host: target.host(),
                        });
                    }
                    redirects += 1;
                    url = next;
                },
            }
        }
    }

    /// Sends one request.
    async fn send(&self, target: &FetchTarget<'_>) -> Result<FetchResponse, FetchError> {
        let addresses = self.resolve_checked(target).await?;
        let socket = connect::tcp(target, &addresses, self.checker.rules.timeout).await?;
        let request = exchange::document_request(target)?;
        let read = |answer| document::read_response(answer, target);
        if !target.is_tls() {
            return exchange::send(socket, target, request, read).await;
        }
        let stream = connect::tls(&self.tls, target, socket).await?;
        exchange::send(stream, target, request, read).await
    }

    /// Resolves the host of `target`, and refuses it if any of its addresses is refused: a name
    /// with both kinds of addresses is more likely a trap than a key set.
    async fn resolve_checked(&self, target: &FetchTarget<'_>) -> Result<Vec<IpAddr>, FetchError> {
        self.checker.check_target(target)?;
        let Some(name) = target.name() else {
            return Ok(target.address().into_iter().collect());
        };
        let found = self.resolver.resolve(name).await;
        let found = found.map_err(|source| FetchError::Unresolved {
            host: target.host(),
            source,
        })?;
        for address in &found {
            self.checker.check_address(*address, Some(name))?;
            self.checker.check_scheme(target, *address)?;
        }
        Ok(found)
    }
}
