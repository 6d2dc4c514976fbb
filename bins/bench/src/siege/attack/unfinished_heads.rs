//! HTTP/2 header blocks that are begun and not finished, frame by frame: a client library would finish
//! them. Few bytes make the controller keep room for a whole head.

use super::{Ground, repeat};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

const CONNECTIONS: usize = 150;
const PAUSE: Duration = Duration::from_secs(1);

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// No settings.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A HEADERS frame of three bytes for the first stream, without `END_HEADERS`: GET, https and `/` out of
/// the static table of HPACK.
const HEADERS: [u8; 12] = [0, 0, 3, 1, 0, 0, 0, 0, 1, 0x82, 0x87, 0x84];

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let mut stream = ground.endpoint.http2().tls().await?;
        ground.count();
        stream
            .write_all(&[PREFACE, &SETTINGS, &HEADERS].concat())
            .await?;
        while stream.read(&mut [0; 1024]).await? > 0 {}
        anyhow::bail!("the controller closed the connection")
    });
}
