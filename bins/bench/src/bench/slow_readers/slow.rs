//! Clients that ask for much and hardly read it.

use crate::testbed::link::{Endpoint, Link};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How many there are.
pub(super) const READERS: u64 = 64;
/// Bytes that each reads at a time.
const SIP: usize = 64;
/// How long each waits before it reads again.
const PAUSE: Duration = Duration::from_millis(100);

/// All of them.
pub(super) struct Slow {
    reading: JoinSet<anyhow::Result<()>>,
    answers: Arc<Answers>,
}

/// How many were answered in which way so far.
#[derive(Default)]
struct Answers {
    let_in: AtomicU64,
    refused: AtomicU64,
}

impl Slow {
    /// Has all of them ask and begin to read.
    pub(super) async fn begin(endpoint: &Endpoint, request: &[u8]) -> anyhow::Result<Self> {
        let answers = Arc::new(Answers::default());
        let mut reading = JoinSet::new();
        for _ in 0..READERS {
            let link = endpoint.connect_narrow().await?;
            reading.spawn(read(link, request.to_owned(), Arc::clone(&answers)));
        }
        Ok(Self { reading, answers })
    }

    /// How many have got something to read so far.
    pub(super) fn let_in(&self) -> u64 {
        self.answers.let_in.load(Ordering::Relaxed)
    }

    /// How many were told to come again.
    pub(super) fn refused(&self) -> u64 {
        self.answers.refused.load(Ordering::Relaxed)
    }

    /// Has all of them go away.
    pub(super) async fn leave(mut self) {
        self.reading.shutdown().await;
    }
}

/// Reads for as long as there is something. Being refused, and being broken off, is part of it.
async fn read(mut link: Link, request: Vec<u8>, answers: Arc<Answers>) -> anyhow::Result<()> {
    if link.begin(&request).await? != 200 {
        answers.refused.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    }
    answers.let_in.fetch_add(1, Ordering::Relaxed);
    while link.sip(SIP).await? > 0 {
        sleep(PAUSE).await;
    }
    Ok(())
}
