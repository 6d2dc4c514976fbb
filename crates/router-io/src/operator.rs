//! What the operator of the computer may ask of a running router.
//!
//! Beside the configuration file there is a socket of the system, `FILE.sock`, for the router's user and root
//! only. A connection carries one [`Order`], a line, and then what has become of it: `done TEXT` or
//! `failed TEXT`. Most orders are passed on to a controller, which answers for the network.

mod ask;
mod order;
mod socket;
#[cfg(test)]
mod tests;

pub use ask::{OrderError, ask};
pub use order::Order;

pub(crate) use socket::OperatorSocket;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::{ResultMessage, ResultStatus};
use portcullis_router::edge::{Recipient, RequestFailure};
use portcullis_wire::control::ControlMessage;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::RenewalTrigger;
use crate::controllers::Controllers;

/// How long a controller may take to delete the router.
const PATIENCE: Duration = Duration::from_secs(10);

/// Carries orders out.
pub(crate) struct Operations {
    pub(crate) controllers: Arc<Controllers>,
    /// `None` if controllers do not renew the router's certificates.
    pub(crate) renewal: Option<RenewalTrigger>,
    /// Stops the router.
    pub(crate) stop: CancellationToken,
}

impl Operations {
    /// What has become of an order, or why nothing has, as a text for people.
    async fn carry_out(&self, order: Order) -> Result<String, String> {
        match order {
            Order::Quiesce => self.pass_on(ControlMessage::QuiesceRouter).await,
            Order::Dequiesce => self.pass_on(ControlMessage::DequiesceRouter).await,
            Order::Decommission => self.decommission().await,
            Order::Renew => self.renew().await,
        }
    }

    /// Asks a controller, which answers by a Result.
    async fn pass_on(&self, message: ControlMessage) -> Result<String, String> {
        let answer = Arc::clone(&self.controllers)
            .request(Recipient::Any, message)
            .await;
        let (_controller, answer) = answer.map_err(told)?;
        match ResultMessage::from_frame(&answer) {
            Some(result) if result.status == ResultStatus::Success => Ok(result.text),
            Some(result) => Err(result.text),
            None => Err(told(RequestFailure::Lost)),
        }
    }

    /// Has the router deleted. A controller that does so closes the channel, and answers only if it does not.
    async fn decommission(&self) -> Result<String, String> {
        let controller = self
            .controllers
            .nearest()
            .ok_or(RequestFailure::NoController);
        let controller = controller.map_err(told)?;
        let to = Recipient::Only(controller.clone());
        let answer = Arc::clone(&self.controllers).request(to, ControlMessage::DecommissionRouter);
        let refused = async {
            let answer = answer.await.ok();
            match answer.and_then(|(_, frame)| ResultMessage::from_frame(&frame)) {
                Some(refusal) => refusal.text,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            reason = refused => Err(reason),
            () = self.controllers.lost(&controller) => Ok("router decommissioned".to_owned()),
            () = sleep(PATIENCE) => Err(told(RequestFailure::Lost)),
        }
    }

    async fn renew(&self) -> Result<String, String> {
        let renewal = self.renewal.as_ref();
        let renewal = renewal.ok_or("controllers renew the certificates of edge routers only")?;
        // A renewal waits for the first controller, however long that takes.
        if self.controllers.nearest().is_none() {
            return Err(told(RequestFailure::NoController));
        }
        renewal.renew().await?;
        Ok("the router has new certificates".to_owned())
    }
}

fn told(failure: RequestFailure) -> String {
    let text = match failure {
        RequestFailure::NoController => "no controller is connected",
        RequestFailure::Lost => "the controller has not answered in time",
    };
    text.to_owned()
}
