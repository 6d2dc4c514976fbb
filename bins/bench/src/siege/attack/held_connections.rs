//! Connections that are held for as long as they can be: a small request now and then keeps them.

use super::{Ground, repeat};
use crate::testbed::request::{self, CLIENT};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// More than the controller has room for.
const CONNECTIONS: usize = 1500;
/// The wait before a connection that was closed is opened again.
const PAUSE: Duration = Duration::from_secs(10);
const REQUEST_PAUSE: Duration = Duration::from_secs(30);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        ground.count();
        let mut link = ground.endpoint.connect().await?;
        let request = request::get(&format!("{CLIENT}/version"), None);
        loop {
            link.expect(200, &request).await?;
            sleep(REQUEST_PAUSE).await;
        }
    });
}
