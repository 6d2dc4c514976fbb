//! From names of hosts to their addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

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
            // The port plays no part in what is found.
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address: SocketAddr| address.ip()).collect())
        })
    }
}
