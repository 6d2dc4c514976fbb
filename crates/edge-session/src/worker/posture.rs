//! Telling the controller what posture queries ask for.

use super::Worker;
use crate::failure::Failure;
use crate::open_session::OpenSession;
use crate::shared::publish;
use portcullis_api::posture_response::{PostureResponse, PostureResponseBulk};
use portcullis_client::{Api, Body, Endpoint};
use tokio::time::Instant;

impl Worker {
    /// Looks at the machine, and tells the controller what is due.
    pub(super) async fn tell_posture(&mut self, open: &OpenSession) -> Result<(), Failure> {
        let subjects = self.schedule.subjects();
        if !subjects.is_empty() {
            if let Some(found) = self.machine.read(subjects).await {
                self.schedule.found(found);
            } else {
                tracing::debug!("the machine is read slowly; what was found last counts");
            }
        }
        publish(&self.shared.posture, self.schedule.reports().into());
        let now = Instant::now().into_std();
        let mut due = self.schedule.due(now);
        let events = &self.shared.requests.endpoint;
        let event = self.schedule.of_endpoint(|| events.take());
        due.extend(event);
        if due.is_empty() {
            return Ok(());
        }
        let endpoint = Endpoint::new(Api::Client, "posture-response-bulk");
        let bulk = PostureResponseBulk(due);
        let _: PostureResponse = open.client.post(&endpoint, Body::json(&bulk)?).await?;
        self.schedule.told(bulk.0, now);
        Ok(())
    }
}
