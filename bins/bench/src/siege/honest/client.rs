//! An honest client, and how it fares.

use crate::siege::journal::{Journal, Operation, Outcome};
use crate::testbed::link::{Endpoint, Link};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The longest that it waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Client {
    endpoint: Endpoint,
    link: Option<Link>,
    journal: Arc<Journal>,
}

impl Client {
    pub(super) fn new(endpoint: Endpoint, journal: Arc<Journal>) -> Self {
        Self {
            endpoint,
            link: None,
            journal,
        }
    }

    /// Leaves its connection; the next request opens another one.
    pub(super) fn disconnect(&mut self) {
        self.link = None;
    }

    /// Asks and notes how that went; answers the body if the status is as it should be.
    pub(super) async fn ask(
        &mut self,
        operation: Operation,
        request: &[u8],
        status: u16,
    ) -> Option<Vec<u8>> {
        let begin = Instant::now();
        let exchanged = timeout(PATIENCE, self.exchange(request)).await;
        let (outcome, body) = match exchanged {
            Ok(Ok((answered, body))) if answered == status => (Outcome::Done, Some(body)),
            Ok(Ok((429 | 503, _))) => (Outcome::Refused, None),
            Ok(_) | Err(_) => (Outcome::Failed, None),
        };
        self.journal.note(operation, begin.elapsed(), outcome);
        if body.is_none() {
            self.disconnect();
        }
        body
    }

    /// Asks, whatever becomes of it.
    pub(super) async fn tell(&mut self, request: &[u8]) {
        if !matches!(timeout(PATIENCE, self.exchange(request)).await, Ok(Ok(_))) {
            self.disconnect();
        }
    }

    async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
        // A server may close a connection between two requests; clients then open another one.
        if let Some(link) = &mut self.link
            && let Ok(answer) = link.exchange(request).await
        {
            return Ok((answer.status, answer.body.to_vec()));
        }
        let link = self.link.insert(self.endpoint.connect().await?);
        let answer = link.exchange(request).await?;
        Ok((answer.status, answer.body.to_vec()))
    }
}
