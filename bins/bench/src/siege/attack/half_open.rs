//! Handshakes that are begun and not finished.

use super::{Ground, repeat};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

const CONNECTIONS: usize = 500;
const PAUSE: Duration = Duration::from_secs(2);

/// The head of a record of 512 bytes, and of the greeting in it, of which no more follows.
const BEGINNING: [u8; 9] = [22, 3, 1, 2, 0, 1, 0, 1, 252];

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        ground.count();
        let mut stream = ground.endpoint.tcp().await?;
        stream.write_all(&BEGINNING).await?;
        // The controller says nothing, and sooner or later it closes the connection.
        while stream.read(&mut [0; 64]).await? > 0 {}
        anyhow::bail!("the controller closed the connection")
    });
}
