//! Inspections: what controllers ask about the insides of a router.
//!
//! Each part of the router registers for what it knows ([`Inspectable`]). Names are compared without regard to
//! case, and what nobody knows has no value, which is no error. No value has a secret in it: who asks is an
//! operator with the right to look, not with that to log in as somebody else.

mod basics;
mod circuits;
mod edge;
mod links;
mod pages;
mod sdk;
mod time;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use parking_lot::RwLock;
use portcullis_channel::ReplyTo;
use portcullis_router::edge::ControllerId;
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::{InspectRequest, InspectResponse, InspectedValue};
use serde_json::Value as Json;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::controllers::Controllers;

pub(crate) use self::basics::Basics;
pub(crate) use self::circuits::Circuits;
pub(crate) use self::edge::EdgeView;
pub(crate) use self::links::Links;

/// Requests that are answered at a time; more are refused.
const MAX_REQUESTS: usize = 4;

/// Names of one request; those beyond are not answered.
const MAX_NAMES: usize = 100;

/// Bytes of all values of a response.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// How long controllers wait.
const TIME: Duration = Duration::from_secs(9);

/// What a name asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    /// In lower case, such as `links` or `circuit`.
    pub(crate) kind: String,
    /// What follows a colon, such as the id of a circuit.
    pub(crate) argument: String,
}

/// What a part of the router says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Inspected {
    /// It knows nothing of that; another router may.
    Nothing,
    Text(String),
    Json(Json),
}

/// Why something cannot be inspected, for people.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InspectError(pub(crate) String);

pub(crate) type InspectFuture = BoxFuture<'static, Result<Inspected, InspectError>>;

/// A part of the router that can be looked into.
pub(crate) trait Inspectable: Send + Sync {
    /// Looks into it. The future is dropped when it takes too long.
    fn inspect(&self, subject: &Subject) -> InspectFuture;
}

/// Answers inspections.
pub(crate) struct Inspections {
    parts: RwLock<BTreeMap<&'static str, Arc<dyn Inspectable>>>,
    controllers: Arc<Controllers>,
    tasks: TaskTracker,
    room: Arc<Semaphore>,
}

impl Subject {
    pub(crate) fn parse(name: &str) -> Self {
        let (kind, argument) = name.split_once(':').unwrap_or((name, ""));
        Self {
            kind: kind.to_ascii_lowercase(),
            argument: argument.to_owned(),
        }
    }
}

impl Inspected {
    /// A future that is there already.
    pub(crate) fn now(self) -> InspectFuture {
        Box::pin(std::future::ready(Ok(self)))
    }

    fn into_text(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => Some(text),
            Self::Json(json) => Some(json.to_string()),
        }
    }
}

impl Inspections {
    pub(crate) fn new(controllers: Arc<Controllers>, tasks: TaskTracker) -> Self {
        Self {
            parts: RwLock::new(BTreeMap::new()),
            controllers,
            tasks,
            room: Arc::new(Semaphore::new(MAX_REQUESTS)),
        }
    }

    /// Lets a part answer for these kinds, in lower case; the latest one counts.
    pub(crate) fn register<P: Inspectable + 'static>(&self, kinds: &[&'static str], part: &Arc<P>) {
        let mut parts = self.parts.write();
        for kind in kinds {
            let part: Arc<P> = Arc::clone(part);
            parts.insert(kind, part);
        }
    }

    /// Answers a request of a controller, in a task.
    pub(crate) fn handle(
        self: &Arc<Self>,
        from: &ControllerId,
        request: ReplyTo,
        question: InspectRequest,
    ) {
        let (this, from) = (Arc::clone(self), from.clone());
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            let refusal = InspectResponse {
                errors: vec!["the router answers too many other inspections".to_owned()],
                ..InspectResponse::default()
            };
            let refusal = ControlMessage::InspectResponse(refusal);
            return self.controllers.reply(&from, &request, &refusal);
        };
        self.tasks.spawn(async move {
            let answer = ControlMessage::InspectResponse(this.answer(question).await);
            this.controllers.reply(&from, &request, &answer);
            drop(permit);
        });
    }

    /// Asks all parts at the same time. One that fails or takes too long takes no value of others away.
    async fn answer(&self, question: InspectRequest) -> InspectResponse {
        let names = question.names.into_iter().take(MAX_NAMES);
        let asked = names.map(|name| {
            let subject = Subject::parse(&name);
            let part = self.part(&subject.kind);
            async move {
                let Some(part) = part else {
                    return (name, Ok(Inspected::Nothing));
                };
                let inspected = timeout(TIME, part.inspect(&subject)).await;
                let late = |_elapsed| Err(InspectError(format!("{name:?} takes too long")));
                (name.clone(), inspected.unwrap_or_else(late))
            }
        });
        let mut response = InspectResponse {
            is_success: true,
            ..InspectResponse::default()
        };
        let mut bytes = 0;
        for (name, inspected) in join_all(asked).await {
            let text = inspected.map(Inspected::into_text);
            match text {
                Ok(None) => {},
                Ok(Some(text)) if bytes + text.len() > MAX_BYTES => {
                    response.errors.push(format!("{name:?} is too large"));
                },
                Ok(Some(text)) => {
                    bytes += text.len();
                    let value = Secret::new(text);
                    response.values.push(InspectedValue { name, value });
                },
                Err(error) => response.errors.push(error.to_string()),
            }
        }
        response.is_success = response.errors.is_empty();
        response
    }

    fn part(&self, kind: &str) -> Option<Arc<dyn Inspectable>> {
        // All that begins so is about metrics, as at OpenZiti's routers.
        let kind = if kind.starts_with("metrics") {
            "metrics"
        } else {
            kind
        };
        self.parts.read().get(kind).cloned()
    }
}

#[cfg(test)]
mod tests;
