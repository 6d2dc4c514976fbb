//! Resolution of host names to addresses.

use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;

use tokio::sync::Semaphore;

/// Concurrent lookups. The operating system may take half a minute for each, on a blocking thread.
static LOOKUPS: Semaphore = Semaphore::const_new(32);

/// Future of [`Resolve::resolve`].
pub type ResolveFuture<'r> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'r>>;

/// Resolves host names.
pub trait Resolve: Send + Sync {
    /// Finds all addresses of `host`, best first. Called once per request: the addresses are
    /// checked and then connected to.
    fn resolve<'r>(&'r self, host: &'r str) -> ResolveFuture<'r>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'r>(&'r self, host: &'r str) -> ResolveFuture<'r> {
        Box::pin(async move {
            let permit = LOOKUPS.acquire().await.map_err(io::Error::other)?;
            let host = host.to_owned();
            let lookup = tokio::task::spawn_blocking(move || {
                // Held to the end of the lookup, which goes on when nobody waits for it any more.
                let _permit = permit;
                // The port does not affect the result.
                let found = (host.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|address| address.ip()).collect())
            });
            lookup.await.map_err(io::Error::other)?
        })
    }
}
