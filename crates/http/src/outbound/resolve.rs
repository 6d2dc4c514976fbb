//! From names of hosts to their addresses.

use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;

use tokio::sync::Semaphore;

/// Lookups at a time. The operating system may take half a minute over each, on a thread that could do
/// other work meanwhile.
static LOOKUPS: Semaphore = Semaphore::const_new(32);

/// Addresses being looked for.
pub type Resolving<'r> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'r>>;

/// Finds the addresses of hosts.
pub trait Resolve: Send + Sync {
    /// Finds all addresses of `host`, best first. Asked once for each request: what is found is
    /// judged and then connected to.
    fn resolve<'r>(&'r self, host: &'r str) -> Resolving<'r>;
}

/// Asks the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'r>(&'r self, host: &'r str) -> Resolving<'r> {
        Box::pin(async move {
            let turn = LOOKUPS.acquire().await.map_err(io::Error::other)?;
            let host = host.to_owned();
            let looking = tokio::task::spawn_blocking(move || {
                // Kept to the end of the lookup, which goes on when nobody waits for it any more.
                let _turn = turn;
                // The port plays no part in what is found.
                let found = (host.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|address| address.ip()).collect())
            });
            looking.await.map_err(io::Error::other)?
        })
    }
}
