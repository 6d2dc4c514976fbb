//! What is said on a channel: frames in, answers and requests out. No I/O, no clock.

use crate::event_request::EventRequest;
use crate::limits::{ChannelLimits, MAX_MESSAGE};
use bytes::Bytes;
use portcullis_channel::{
    ContentType, Frame, FrameError, FrameLimits, FrameReader, FrameTooLongError, Message, ReplyTo,
    ResultMessage, ResultStatus, Sequence,
};
use portcullis_wire::DecodeError;
use portcullis_wire::management::{
    Found, InspectRequest, InspectResponse, ManagementMessage, RouterFilter, StreamTraces,
    ValidateDataModel, ValidateTerminators,
};
use portcullis_wire::trace::PipeTraces;
use std::sync::Arc;

/// One side of one channel: that of the controller.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Id of the controller, for its answers.
    controller: Arc<str>,
    limits: ChannelLimits,
    /// Number of the frame that was sent last.
    last: i32,
    event_requests: usize,
    subscriptions: usize,
    running_queries: usize,
}

/// What follows from a frame.
#[derive(Debug)]
pub(crate) enum Step {
    /// To be sent.
    Answer(Message),
    /// To be [answered](subscribed) by and by, and if there are subscriptions, followed by their events; else to be
    /// reported as [refused](Exchange::event_request_refused).
    Subscribe(ReplyTo, EventRequest),
    /// Traces are to follow, without an answer.
    StreamTraces(StreamTraces),
    /// To be answered by and by, and to be reported as [finished](Exchange::query_finished).
    Query(ReplyTo, Query),
    Nothing,
}

/// A question about the network.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Query {
    Inspect(InspectRequest),
    ToggleTraces(PipeTraces),
    Validate(ValidationRequest),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValidationRequest {
    Terminators(ValidateTerminators),
    Links(RouterFilter),
    SdkTerminators(RouterFilter),
    ErtTerminators(RouterFilter),
    DataModel(ValidateDataModel),
    IdentityConnections(RouterFilter),
    Circuits(RouterFilter),
    Dialers,
}

impl Exchange {
    pub(crate) fn new(controller: Arc<str>, limits: ChannelLimits) -> Self {
        Self {
            controller,
            limits,
            last: 0,
            event_requests: 0,
            subscriptions: 0,
            running_queries: 0,
        }
    }

    /// Takes a message of the client, which is a frame.
    ///
    /// # Errors
    ///
    /// If it is none; the channel has to be closed.
    pub(crate) fn receive(&mut self, message: Bytes) -> Result<Step, FrameError> {
        let body = u32::try_from(MAX_MESSAGE).unwrap_or(u32::MAX);
        let reader = FrameReader::new(FrameLimits::LARGE.with_body(body));
        Ok(self.step(reader.read_datagram(message)?))
    }

    /// Gives a message the number with which it is sent.
    pub(crate) fn number(&mut self, message: Message) -> Result<Frame, FrameTooLongError> {
        let next = self.last.checked_add(1).unwrap_or(1);
        let frame = Frame::new(message, Sequence(next), &FrameLimits::LARGE)?;
        self.last = next;
        Ok(frame)
    }

    /// A query was answered.
    pub(crate) fn query_finished(&mut self) {
        self.running_queries = self.running_queries.saturating_sub(1);
    }

    /// A request for events that names this many subscriptions came to nothing.
    pub(crate) fn event_request_refused(&mut self, subscriptions: usize) {
        self.event_requests = self.event_requests.saturating_sub(1);
        self.subscriptions = self.subscriptions.saturating_sub(subscriptions);
    }

    fn step(&mut self, frame: Frame) -> Step {
        if frame.reply_for().is_some() {
            // Nothing was asked.
            return Step::Nothing;
        }
        let reply_to = frame.reply_to();
        let message = frame.into_message();
        match message.content_type {
            ContentType::RESULT | ContentType::HEARTBEAT | ContentType::LATENCY_RESPONSE => {
                return Step::Nothing;
            },
            ContentType::PING | ContentType::LATENCY => {
                return Step::Answer(result(&reply_to, Ok("")));
            },
            _ => {},
        }
        match ManagementMessage::decode(&message) {
            Ok(decoded) => self.ask(reply_to, decoded),
            Err(error) => self.unreadable(&reply_to, message.content_type, &error),
        }
    }

    fn ask(&mut self, reply_to: ReplyTo, message: ManagementMessage) -> Step {
        match message {
            ManagementMessage::StreamEvents(request) => self.stream_events(reply_to, &request.json),
            ManagementMessage::StreamTraces(request) => self.stream_traces(&reply_to, request),
            other => {
                let number = other.content_type().0;
                if let Some(query) = Query::from_message(other) {
                    self.query(reply_to, query)
                } else {
                    let text = format!("messages of type {number} are not supported");
                    Step::Answer(result(&reply_to, Err(&text)))
                }
            },
        }
    }

    /// Counts what is asked for before anything is made of it.
    fn stream_events(&mut self, reply_to: ReplyTo, json: &str) -> Step {
        match self.admit_event_request(json) {
            Ok(request) => {
                self.event_requests += 1;
                self.subscriptions += request.len();
                Step::Subscribe(reply_to, request)
            },
            Err(text) => Step::Answer(result(&reply_to, Err(&text))),
        }
    }

    fn admit_event_request(&self, json: &str) -> Result<EventRequest, String> {
        self.check_event_requests()?;
        let request = EventRequest::read(json)?;
        let most = self.limits.subscriptions;
        if self.subscriptions.saturating_add(request.len()) > most {
            return Err(format!(
                "at most {most} subscriptions can be made on one connection"
            ));
        }
        Ok(request)
    }

    /// Whether there may be one more.
    fn check_event_requests(&self) -> Result<(), String> {
        let most = self.limits.event_requests;
        if self.event_requests >= most {
            return Err(format!(
                "at most {most} requests for events can be made on one connection"
            ));
        }
        Ok(())
    }

    /// Clients get no answer, unless they are refused.
    fn stream_traces(&mut self, reply_to: &ReplyTo, request: StreamTraces) -> Step {
        if let Err(text) = self.check_event_requests() {
            return Step::Answer(result(reply_to, Err(&text)));
        }
        self.event_requests += 1;
        Step::StreamTraces(request)
    }

    fn query(&mut self, reply_to: ReplyTo, query: Query) -> Step {
        if self.running_queries >= self.limits.running_queries {
            let text = "too many requests at a time; wait for the results of earlier ones";
            return Step::Answer(query.failure(&self.controller, text).in_reply_to(&reply_to));
        }
        self.running_queries += 1;
        Step::Query(reply_to, query)
    }

    /// The answer to a request that cannot be decoded.
    fn unreadable(&self, reply_to: &ReplyTo, number: ContentType, error: &DecodeError) -> Step {
        let text = format!("failed to unmarshall request: {error}");
        let answer = match Query::empty(number) {
            Some(query) => query.failure(&self.controller, &text).in_reply_to(reply_to),
            None => result(reply_to, Err(&text)),
        };
        Step::Answer(answer)
    }
}

impl Query {
    /// The query that a message is, if it is one.
    fn from_message(message: ManagementMessage) -> Option<Self> {
        use ManagementMessage as Message;
        Some(Self::Validate(match message {
            Message::InspectRequest(request) => return Some(Self::Inspect(request)),
            Message::TogglePipeTraces(request) => return Some(Self::ToggleTraces(request)),
            Message::ValidateTerminators(request) => ValidationRequest::Terminators(request),
            Message::ValidateLinks(request) => ValidationRequest::Links(request),
            Message::ValidateSdkTerminators(request) => ValidationRequest::SdkTerminators(request),
            Message::ValidateErtTerminators(request) => ValidationRequest::ErtTerminators(request),
            Message::ValidateDataModel(request) => ValidationRequest::DataModel(request),
            Message::ValidateIdentityConnections(request) => {
                ValidationRequest::IdentityConnections(request)
            },
            Message::ValidateCircuits(request) => ValidationRequest::Circuits(request),
            Message::ValidateDialers => ValidationRequest::Dialers,
            _ => return None,
        }))
    }

    /// A query of a content type that asks for nothing in particular, if it is the type of one.
    fn empty(number: ContentType) -> Option<Self> {
        let message = ManagementMessage::decode(&Message::new(number)).ok()?;
        Self::from_message(message)
    }

    /// The answer that it failed.
    pub(crate) fn failure(&self, controller: &str, text: &str) -> Message {
        let of_controller = || format!("{controller}: {text}");
        match self {
            Self::ToggleTraces(_) => outcome(Err(text)),
            Self::Inspect(_) => encoded(&ManagementMessage::InspectResponse(InspectResponse {
                is_success: false,
                errors: vec![of_controller()],
                values: Vec::new(),
            })),
            Self::Validate(request) => encoded(&request.answer(Found {
                is_success: false,
                text: of_controller(),
                count: 0,
            })),
        }
    }
}

impl ValidationRequest {
    /// The message that answers it.
    pub(crate) const fn answer(&self, found: Found) -> ManagementMessage {
        match self {
            Self::Terminators(_) => ManagementMessage::TerminatorsFound(found),
            Self::Links(_) => ManagementMessage::LinksFound(found),
            Self::SdkTerminators(_) => ManagementMessage::SdkTerminatorsFound(found),
            Self::ErtTerminators(_) => ManagementMessage::ErtTerminatorsFound(found),
            Self::DataModel(_) => ManagementMessage::DataModelsFound(found),
            Self::IdentityConnections(_) => ManagementMessage::IdentityConnectionsFound(found),
            Self::Circuits(_) => ManagementMessage::CircuitsFound(found),
            Self::Dialers => ManagementMessage::DialersFound(found),
        }
    }
}

/// The answer to a request for events: whether there are subscriptions now.
pub(crate) fn subscribed(reply_to: &ReplyTo, made: Result<(), &str>) -> Message {
    result(reply_to, made.map(|()| "success"))
}

/// A Result that answers a request.
fn result(reply_to: &ReplyTo, result: Result<&str, &str>) -> Message {
    outcome(result).in_reply_to(reply_to)
}

/// What has become of a request.
pub(crate) fn outcome(result: Result<&str, &str>) -> Message {
    let (status, text) = match result {
        Ok(text) => (ResultStatus::Success, text),
        Err(text) => (ResultStatus::Failure, text),
    };
    let text = text.to_owned();
    ResultMessage { status, text }.into_message()
}

/// A message of the controller, none of which has lists or maps in its headers, which alone can fail.
pub(crate) fn encoded(message: &ManagementMessage) -> Message {
    message.encode().unwrap_or_else(|error| {
        tracing::error!(%error, "a message of the management channel cannot be encoded");
        Message::new(message.content_type())
    })
}

#[cfg(test)]
mod tests;
