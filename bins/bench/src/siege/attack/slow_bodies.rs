//! Bodies without a session that are announced as large ones and sent a byte at a time.

use super::{Ground, repeat};
use crate::testbed::request::CLIENT;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const CONNECTIONS: usize = 64;
const PAUSE: Duration = Duration::from_secs(1);
/// As large as a body without a session may be.
const ANNOUNCED: usize = 256 * 1024;
/// What is sent at once; the rest follows byte by byte.
const FIRST: usize = 64 * 1024;
const BYTE_PAUSE: Duration = Duration::from_millis(100);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        ground.count();
        let mut link = ground.endpoint.connect().await?;
        let head = format!(
            "POST {CLIENT}/enroll?method=ott&token=none HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: {ANNOUNCED}\r\n\r\n"
        );
        link.send(head.as_bytes()).await?;
        link.send(&vec![b' '; FIRST]).await?;
        for _ in FIRST..ANNOUNCED {
            link.send(b" ").await?;
            sleep(BYTE_PAUSE).await;
        }
        Ok(())
    });
}
