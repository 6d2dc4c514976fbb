//! Questions that routers answer.

use crate::sessions::Sessions;
use portcullis_app::network_inspection::InspectionError;
use portcullis_domain::ids::RouterId;
use portcullis_wire::control::ControlMessage;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Questions that one router answers at a time; our routers refuse more inspections. Others wait.
const PER_ROUTER: usize = 4;

/// What a router has answered.
#[derive(Debug)]
pub(crate) enum Answered {
    Read(Box<ControlMessage>),
    /// What is wrong with it.
    Unreadable(String),
}

/// Questions to one router that may be open.
#[derive(Debug, Clone)]
pub(crate) struct QuestionPlaces(Arc<Semaphore>);

impl Default for QuestionPlaces {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(PER_ROUTER)))
    }
}

impl QuestionPlaces {
    /// Lets nobody wait any more.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

/// Asks a router, if it is connected, and reads its answer, which is of the type that `read` takes.
pub(crate) async fn ask<A>(
    sessions: &Sessions,
    router: &RouterId,
    question: ControlMessage,
    read: fn(ControlMessage) -> Option<A>,
    within: Duration,
) -> Result<A, InspectionError> {
    let asking = ask_and_wait(sessions, router, question);
    let late = |_elapsed| Err(InspectionError::TimedOut);
    let answer = timeout(within, asking).await.unwrap_or_else(late)?;
    let content_type = answer.content_type().0;
    let other = || format!("it is a message of type {content_type}, which answers something else");
    read(answer).ok_or_else(|| InspectionError::Unreadable(other()))
}

async fn ask_and_wait(
    sessions: &Sessions,
    router: &RouterId,
    question: ControlMessage,
) -> Result<ControlMessage, InspectionError> {
    let session = sessions.get(router).ok_or(InspectionError::NotConnected)?;
    let QuestionPlaces(places) = session.questions.clone();
    let _place = places
        .acquire()
        .await
        .map_err(|_closed| InspectionError::Disconnected)?;
    let priority = question.priority();
    let message = question
        .encode()
        .map_err(|error| InspectionError::Unsendable(error.to_string()))?;
    let (waiter, answer) = oneshot::channel();
    session
        .outlet()
        .ask(priority, message, waiter)
        .map_err(|_full| InspectionError::Busy)?;
    // What is left of the session is not to be kept for the answer: it may end before.
    drop(session);
    match answer.await {
        Ok(Answered::Read(message)) => Ok(*message),
        Ok(Answered::Unreadable(why)) => Err(InspectionError::Unreadable(why)),
        Err(_gone) => Err(InspectionError::Disconnected),
    }
}
