//! A crowd of addresses of which each does little: it holds a few connections, asks for paths that lead
//! nowhere, and guesses a password now and then. No budget of a peer stops it; the totals have to.

use super::{Ground, repeat};
use crate::testbed::request::{self, CLIENT};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const ADDRESSES: u32 = 300;
/// Connections that each address has open at a time.
const CONNECTIONS: u32 = 4;
const PAUSE: Duration = Duration::from_secs(2);
/// Requests on one connection, of which the last is a guess.
const REQUESTS: u32 = 5;
const REQUEST_PAUSE: Duration = Duration::from_secs(2);

/// The next address of the crowd; the tasks take them in turn.
static NEXT: AtomicU32 = AtomicU32::new(0);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    let tasks_in_all = usize::try_from(ADDRESSES * CONNECTIONS).unwrap_or(usize::MAX);
    repeat(ground, tasks, (tasks_in_all, PAUSE), |ground| async move {
        let source = address(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut link = ground.endpoint.with_source(source).connect().await?;
        let nowhere = request::get(&format!("{CLIENT}/nowhere"), None);
        for number in 1..=REQUESTS {
            ground.count();
            if number < REQUESTS {
                link.exchange(&nowhere).await?;
            } else {
                let guess = format!("guess-of-{source}");
                link.exchange(&request::password_login("admin", &guess))
                    .await?;
            }
            sleep(REQUEST_PAUSE).await;
        }
        Ok(())
    });
}

/// Addresses in networks of their own, apart from those of the other attackers and of honest clients.
fn address(number: u32) -> Ipv4Addr {
    let [_, _, high, low] = (number % ADDRESSES + 1).to_be_bytes();
    Ipv4Addr::new(127, 1, high, low)
}
