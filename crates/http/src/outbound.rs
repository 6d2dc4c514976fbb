//! Fetches JSON documents from addresses that others chose, such as the key sets of external signers.
//!
//! Whoever may name a URL would otherwise reach through the controller what only the controller can
//! reach. So [`FetchRules`] judge the host and every address that it resolves to, the connection goes
//! to the very addresses that were judged, and each redirect is judged anew. What comes back is
//! bounded in size and time and has to be JSON by its media type; an error tells nothing of its
//! content. No proxy is used, and nothing is sent that tells servers one fetch from another.

mod address;
mod connect;
mod document;
mod error;
mod exchange;
mod key_sets;
mod resolve;
mod roots;
mod rules;
mod target;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::Semaphore;
use tokio::time;
use tokio_rustls::TlsConnector;
use url::Url;

pub use self::address::AddressKind;
use self::document::Answered;
pub use self::error::{AddressRule, FetchError, HostRule};
pub use self::resolve::{Resolve, Resolving, SystemResolver};
pub use self::roots::system_roots;
pub use self::rules::FetchRules;
use self::target::Target;
use crate::listen::TlsError;

/// Most fetches at a time.
const PLACES: usize = 64;

/// How long another one waits for its turn. Its own time begins after that.
const PATIENCE: Duration = Duration::from_secs(2);

/// Fetches documents under one set of rules.
pub struct Fetcher {
    rules: FetchRules,
    tls: TlsConnector,
    resolver: Arc<dyn Resolve>,
    places: Semaphore,
}

impl Fetcher {
    /// Makes a fetcher that trusts servers with a certificate from one of `roots`.
    ///
    /// # Errors
    ///
    /// [`TlsError::Setup`] when TLS cannot be set up.
    pub fn new(rules: FetchRules, roots: Arc<RootCertStore>) -> Result<Self, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Tickets would let servers tell that it is the same controller again.
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Self {
            rules,
            tls: TlsConnector::from(Arc::new(config)),
            resolver: Arc::new(SystemResolver),
            places: Semaphore::new(PLACES),
        })
    }

    /// Finds addresses of hosts in another way than the system does.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// Judges what can be judged of `url` without asking anybody: scheme, host name, an address that
    /// is written out.
    ///
    /// # Errors
    ///
    /// [`FetchError::Scheme`], [`FetchError::Credentials`], [`FetchError::HostRefused`],
    /// [`FetchError::AddressRefused`] or [`FetchError::Plain`].
    pub fn judge_url(&self, url: &Url) -> Result<(), FetchError> {
        let target = Target::of(url)?;
        self.rules.judge_target(&target)
    }

    /// Fetches the document at `url`, following redirects. At most 1 MiB, within
    /// [`FetchRules::timeout`] from its turn on, which is waited for at most 2 seconds.
    ///
    /// # Errors
    ///
    /// [`FetchError`], which tells host and rule, and nothing of what was answered.
    pub async fn fetch(&self, url: &Url) -> Result<Vec<u8>, FetchError> {
        let first = Target::of(url)?;
        self.rules.judge_target(&first)?;
        // Others that hang take nothing of this one's time.
        let turn = time::timeout(PATIENCE, self.places.acquire()).await;
        let Ok(Ok(_place)) = turn else {
            return Err(FetchError::Crowded {
                host: first.host(),
                most: PLACES,
            });
        };
        let fetching = Box::pin(self.follow(url.clone()));
        time::timeout(self.rules.timeout, fetching)
            .await
            .unwrap_or_else(|_elapsed| {
                Err(FetchError::TimedOut {
                    host: first.host(),
                    limit: self.rules.timeout,
                })
            })
    }

    async fn follow(&self, mut url: Url) -> Result<Vec<u8>, FetchError> {
        let mut redirects = 0;
        loop {
            let target = Target::of(&url)?;
            match self.ask(&target).await? {
                Answered::Document(document) => return Ok(document),
                Answered::Moved(_) if redirects == self.rules.max_redirects => {
                    return Err(FetchError::TooManyRedirects {
                        host: target.host(),
                        most: redirects,
                    });
                },
                Answered::Moved(next) => {
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

    /// Asks one server, once.
    async fn ask(&self, target: &Target<'_>) -> Result<Answered, FetchError> {
        let addresses = self.judged_addresses(target).await?;
        let socket = connect::tcp(target, &addresses, self.rules.timeout).await?;
        if !target.is_tls() {
            return exchange::over(socket, target).await;
        }
        let stream = connect::tls(&self.tls, target, socket).await?;
        exchange::over(stream, target).await
    }

    /// Resolves the host of `target`, and refuses it if any of its addresses is refused: a name that
    /// leads to both kinds is more likely a trap than a key set.
    async fn judged_addresses(&self, target: &Target<'_>) -> Result<Vec<IpAddr>, FetchError> {
        self.rules.judge_target(target)?;
        let Some(name) = target.name() else {
            return Ok(target.address().into_iter().collect());
        };
        let found = self.resolver.resolve(name).await;
        let found = found.map_err(|source| FetchError::Unresolved {
            host: target.host(),
            source,
        })?;
        for address in &found {
            self.rules.judge_address(*address, Some(name))?;
            self.rules.judge_scheme(target, *address)?;
        }
        Ok(found)
    }
}
