//! Requests for paths that are long and lead nowhere: what is refused is also logged.

use super::{Ground, repeat};
use crate::testbed::request::{self, CLIENT};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const CONNECTIONS: usize = 4;
const PAUSE: Duration = Duration::from_millis(100);
const LENGTH: usize = 60_000;
/// Requests on one connection.
const REQUESTS: usize = 100;
const REQUEST_PAUSE: Duration = Duration::from_millis(25);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let mut link = ground.endpoint.connect().await?;
        let path = format!("{CLIENT}/{}", "x".repeat(LENGTH));
        let request = request::get(&path, None);
        for _ in 0..REQUESTS {
            ground.count();
            link.exchange(&request).await?;
            sleep(REQUEST_PAUSE).await;
        }
        Ok(())
    });
}
