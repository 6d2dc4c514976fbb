//! Host names, of which only a few are looked up at once.
//!
//! A lookup is a call of the operating system that holds a thread for half a minute where no name server
//! answers, and that nobody can break off. The threads are those that also write files. So lookups have only some of
//! them, and keep them until the call returns, whether or not somebody still waits for it. What is dialed for
//! clients keeps nobody from controllers and other routers: each kind has places of its own.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

/// Threads for blocking work that a router has to have: lookups of host names have three quarters of them at most,
/// and files the others.
pub const BLOCKING_THREADS: usize = 32;

/// Lookups at once, of servers, of other routers and of controllers.
const SERVERS: usize = 16;
const ROUTERS: usize = 4;
const CONTROLLERS: usize = 4;

const _: () = assert!(SERVERS + ROUTERS + CONTROLLERS <= BLOCKING_THREADS / 4 * 3);

/// A call that waits for name servers.
type Lookup = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// Looks up host names.
#[derive(Debug, Clone)]
pub(crate) struct NameLookups {
    places: Arc<Semaphore>,
    lookup: Lookup,
}

/// A host name has not been found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    #[error("too many host names are being looked up")]
    TooMany,
    #[error(transparent)]
    Failed(#[from] io::Error),
}

impl NameLookups {
    pub(crate) fn of_servers() -> Self {
        Self::new(SERVERS, of_the_system)
    }

    pub(crate) fn of_routers() -> Self {
        Self::new(ROUTERS, of_the_system)
    }

    pub(crate) fn of_controllers() -> Self {
        Self::new(CONTROLLERS, of_the_system)
    }

    pub(crate) fn new(at_once: usize, lookup: Lookup) -> Self {
        Self {
            places: Arc::new(Semaphore::new(at_once)),
            lookup,
        }
    }

    /// The addresses of a host. Nothing waits where `host` is an address itself. Otherwise a place is waited for
    /// until `patience` ends; then it takes as long as it takes.
    pub(crate) async fn find(
        &self,
        host: &str,
        port: u16,
        patience: Instant,
    ) -> Result<Vec<SocketAddr>, LookupError> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let waiting = Arc::clone(&self.places).acquire_owned();
        let Ok(Ok(place)) = timeout_at(patience, waiting).await else {
            return Err(LookupError::TooMany);
        };
        let (lookup, host) = (self.lookup, host.to_owned());
        let looking = spawn_blocking(move || {
            let _until_it_returns = place;
            lookup(&host, port)
        });
        let found = looking.await.map_err(io::Error::other).flatten()?;
        Ok(found)
    }
}

fn of_the_system(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;

    const AT_ONCE: usize = 3;
    const PATIENCE: Duration = Duration::from_secs(20);

    /// Whether name servers answer.
    static ANSWERS: Mutex<bool> = Mutex::new(false);
    static ANSWERED: Condvar = Condvar::new();

    /// Blocks its thread until name servers answer.
    fn slow(_host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let answers = ANSWERS.lock().unwrap();
        let _answers = ANSWERED.wait_while(answers, |answers| !*answers).unwrap();
        of_the_system("127.0.0.1", port)
    }

    /// A name server is silent, those who wait for it go, and others come.
    async fn outlast_a_silent_name_server() {
        let lookups = NameLookups::new(AT_ONCE, slow);
        let moment = Duration::from_millis(50);
        let soon = || Instant::now() + moment;
        for _ in 0..AT_ONCE {
            let finding = lookups.find("silent.example", 1, soon());
            let found = timeout(moment, finding).await;
            assert!(found.is_err(), "{found:?}");
        }
        let start = Instant::now();
        let refused = lookups.find("late.example", 1, soon()).await;
        assert!(matches!(refused, Err(LookupError::TooMany)), "{refused:?}");
        assert!(start.elapsed() >= moment);

        let written = timeout(PATIENCE, spawn_blocking(|| "written")).await;
        assert_eq!(written.unwrap().unwrap(), "written");
        let address = lookups.find("::1", 2, soon()).await.unwrap();
        assert_eq!(address, ["[::1]:2".parse().unwrap()]);

        *ANSWERS.lock().unwrap() = true;
        ANSWERED.notify_all();
        let deadline = Instant::now() + PATIENCE;
        let found = lookups.find("server.example", 3, deadline).await.unwrap();
        assert_eq!(found, ["127.0.0.1:3".parse().unwrap()]);
    }

    #[test]
    fn slow_lookups_leave_threads_to_others_and_are_refused_in_time() {
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(AT_ONCE + 1)
            .build()
            .unwrap();
        let outcome = runtime.block_on(runtime.spawn(outlast_a_silent_name_server()));
        // After a failure, threads still wait for name servers.
        runtime.shutdown_background();
        outcome.unwrap();
    }
}
