//! Service sessions with tags as large as they may be: what a plain device can have written to disk.

use super::{Ground, repeat};
use crate::testbed::calls::token;
use crate::testbed::request::{self, CLIENT};
use anyhow::bail;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 2;
const PAUSE: Duration = Duration::from_millis(500);
/// Bytes of the tags of one session.
const LENGTH: usize = 900_000;
/// Sessions that are made: a controller that lets them all be fills a disk.
const MOST: u64 = 400;

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        if ground.sent.load(Ordering::Relaxed) >= MOST {
            std::future::pending::<()>().await;
        }
        let hoarder = ground.scene.hoarder.with_source(ground.source);
        let mut link = hoarder.connect().await?;
        let session = token(link.expect(200, &request::certificate_login()).await?)?;
        // Whoever is refused large tags makes small ones, as many as it may.
        for length in [LENGTH, 3_000] {
            let body = json!({
                "serviceId": ground.scene.service, "type": "Dial",
                "tags": { "note": "x".repeat(length) },
            });
            let path = format!("{CLIENT}/sessions");
            let create = request::post(&path, Some(&session), &body.to_string());
            ground.count();
            if link.exchange(&create).await?.status == 201 {
                return Ok(());
            }
        }
        bail!("the controller made no session")
    });
}
