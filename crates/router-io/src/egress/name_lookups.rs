//! Host names of servers, of which only a few are looked up at once.
//!
//! A lookup is a call of the operating system that holds a thread for half a minute where no name server
//! answers, and that nobody can break off. The threads are those that also write files. So lookups have only some of
//! them, and keep them until the call returns, whether or not somebody still waits for it.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::connect::in_time;
use super::failure::Unreached;

/// Half of the threads for blocking work that the program has.
const AT_ONCE: usize = 16;

/// A call that waits for name servers.
type Lookup = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// Looks up host names.
#[derive(Debug, Clone)]
pub(super) struct NameLookups {
    places: Arc<Semaphore>,
    lookup: Lookup,
}

impl Default for NameLookups {
    fn default() -> Self {
        Self::new(AT_ONCE, of_the_system)
    }
}

impl NameLookups {
    fn new(at_once: usize, lookup: Lookup) -> Self {
        Self {
            places: Arc::new(Semaphore::new(at_once)),
            lookup,
        }
    }

    /// The addresses of a host. Nothing waits where `host` is an address itself.
    pub(super) async fn find(
        &self,
        host: &str,
        port: u16,
        deadline: Instant,
    ) -> Result<Vec<SocketAddr>, Unreached> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let waiting = Arc::clone(&self.places).acquire_owned();
        let place = timeout_at(halfway_to(deadline), waiting).await;
        let Ok(Ok(place)) = place else {
            return Err(Unreached::TooManyLookups);
        };
        let (lookup, host) = (self.lookup, host.to_owned());
        let looking = spawn_blocking(move || {
            let _until_it_returns = place;
            lookup(&host, port)
        });
        let found = async { looking.await.map_err(io::Error::other).flatten() };
        in_time(deadline, async {
            found.await.map_err(Unreached::Unresolved)
        })
        .await
    }
}

/// Who waits longer for a place has too little time left for the server.
fn halfway_to(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / 2
}

fn of_the_system(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use portcullis_wire::control::route::RouteFailure;
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
        let soon = || Instant::now() + Duration::from_millis(50);
        for _ in 0..AT_ONCE {
            let found = lookups.find("silent.example", 1, soon()).await;
            assert!(matches!(found, Err(Unreached::TimedOut)), "{found:?}");
        }
        let start = Instant::now();
        let deadline = start + Duration::from_millis(200);
        let refused = lookups.find("late.example", 1, deadline).await;
        let refusal = refused.unwrap_err();
        assert_eq!(refusal.failure(), RouteFailure::ResourcesNotAvailable);
        assert!(start.elapsed() >= Duration::from_millis(100));

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
