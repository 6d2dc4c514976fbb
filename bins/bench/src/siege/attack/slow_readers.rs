//! HTTP/1 answers that are read a few bytes at a time, so that what is left waits at the controller.

use super::{Ground, repeat};
use crate::siege::largest_answer;
use crate::testbed::request;
use anyhow::bail;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const CONNECTIONS: usize = 48;
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes that are read at a time, and the wait before the next ones.
const SIP: usize = 64;
const SIP_PAUSE: Duration = Duration::from_millis(200);

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        ground.count();
        let mut link = ground.endpoint.connect_narrow().await?;
        if link.begin(&request::get(&largest_answer(), None)).await? != 200 {
            bail!("the controller refused to answer");
        }
        while link.sip(SIP).await? > 0 {
            sleep(SIP_PAUSE).await;
        }
        Ok(())
    });
}
