//! Questions that routers answer.

use crate::sessions::Sessions;
use portcullis_app::network_inspection::InspectionError;
use portcullis_channel::ResultMessage;
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
    Result(ResultMessage),
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
    let other = |answer: &str| InspectionError::Unreadable(format!("{answer} is no answer to it"));
    match in_time(within, asking).await? {
        Answered::Read(message) => {
            let content_type = message.content_type().0;
            read(*message).ok_or_else(|| other(&format!("a message of type {content_type}")))
        },
        Answered::Result(result) => Err(other(&format!("the result \"{}\"", result.text))),
        Answered::Unreadable(why) => Err(InspectionError::Unreadable(why)),
    }
}

/// Has a router do something, if it is connected, and waits for the result.
pub(crate) async fn ask_for_result(
    sessions: &Sessions,
    router: &RouterId,
    request: ControlMessage,
    within: Duration,
) -> Result<ResultMessage, InspectionError> {
    let asking = ask_and_wait(sessions, router, request);
    match in_time(within, asking).await? {
        Answered::Result(result) => Ok(result),
        Answered::Read(message) => {
            let content_type = message.content_type().0;
            let why = format!("a message of type {content_type} is no result");
            Err(InspectionError::Unreadable(why))
        },
        Answered::Unreadable(why) => Err(InspectionError::Unreadable(why)),
    }
}

async fn in_time(
    within: Duration,
    asking: impl Future<Output = Result<Answered, InspectionError>>,
) -> Result<Answered, InspectionError> {
    let late = |_elapsed| Err(InspectionError::TimedOut);
    timeout(within, asking).await.unwrap_or_else(late)
}

async fn ask_and_wait(
    sessions: &Sessions,
    router: &RouterId,
    question: ControlMessage,
) -> Result<Answered, InspectionError> {
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
    answer.await.map_err(|_gone| InspectionError::Disconnected)
}
