//! Requests that are answered by and by, each in a task of its own.

use crate::closing::Closing;
use crate::event_request::EventRequest;
use crate::exchange::{Query, ValidationRequest, encoded, outcome, subscribed};
use crate::outgoing::{Closed, Outbox, OutgoingMessage};
use crate::queries::{
    InspectionAnswer, NetworkQueries, TerminatorFinding, Validation, ValidationFuture,
};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::{AppError, run_blocking};
use portcullis_channel::ReplyTo;
use portcullis_domain::access::Permit;
use portcullis_event_sinks::{EventBus, EventStream};
use portcullis_wire::management::{
    Found, ManagementMessage, StreamTraces, StreamedEvent, TraceFilter,
};
use portcullis_wire::trace::TraceEvent;
use std::sync::Arc;

/// Where events come from and go to.
pub(crate) struct EventContext {
    pub(crate) bus: EventBus,
    pub(crate) queued_events: usize,
    pub(crate) outbox: Outbox,
}

/// What has become of a request for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// There are no more events.
    Streamed,
    Refused,
}

impl EventContext {
    /// Sends the answer to a request for events, and the events after it.
    pub(crate) async fn answer(
        self,
        reply_to: ReplyTo,
        request: EventRequest,
    ) -> Result<Answered, Closed> {
        // Regular expressions of a request take tens of milliseconds to compile.
        let made = run_blocking(move || Ok::<_, AppError>(request.subscriptions())).await;
        let made = made.map_err(|error| error.to_string()).flatten();
        let subscriptions = match made {
            Ok(subscriptions) => subscriptions,
            Err(text) => {
                self.outbox.send(subscribed(&reply_to, Err(&text))).await?;
                return Ok(Answered::Refused);
            },
        };
        let events = self.bus.subscribe(subscriptions, self.queued_events);
        self.outbox.send(subscribed(&reply_to, Ok(()))).await?;
        self.stream(events).await
    }

    async fn stream(self, mut events: EventStream) -> Result<Answered, Closed> {
        while let Some(line) = events.recv().await {
            let lost = events.dropped();
            if lost > 0 {
                self.outbox.close(Closing::EventsLost(lost)).await?;
                break;
            }
            let event = ManagementMessage::StreamedEvent(StreamedEvent {
                event_type: line.event_type.to_owned(),
                json: line.json.into(),
            });
            self.outbox.send(encoded(&event)).await?;
        }
        // Otherwise, the bus is closed: the controller stops.
        Ok(Answered::Streamed)
    }
}

/// Sends traces of the content types that a request selects.
pub(crate) async fn stream_traces(
    request: StreamTraces,
    mut traces: BoxStream<'static, TraceEvent>,
    outbox: Outbox,
) -> Result<(), Closed> {
    while let Some(event) = traces.next().await {
        let is_named = request.content_types.contains(&event.content_type);
        if !request.is_filtered || is_named == (request.filter == TraceFilter::Include) {
            outbox
                .send(encoded(&ManagementMessage::StreamedTrace(event)))
                .await?;
        }
    }
    Ok(())
}

/// Where answers to queries come from and go to.
pub(crate) struct QueryContext {
    pub(crate) queries: Arc<dyn NetworkQueries>,
    pub(crate) permit: Permit<OpenChannel>,
    /// Id of the controller.
    pub(crate) controller: Arc<str>,
    pub(crate) outbox: Outbox,
}

impl QueryContext {
    /// Answers a query, with its details.
    pub(crate) async fn answer(self, reply_to: ReplyTo, query: Query) -> Result<(), Closed> {
        let queries = Arc::clone(&self.queries);
        let permit = self.permit.clone();
        let request = match query {
            Query::Inspect(ref request) => {
                let (answer, held) = match queries.inspect(permit, request.clone()).await {
                    Ok(InspectionAnswer { response, held }) => {
                        let answer = encoded(&ManagementMessage::InspectResponse(response));
                        (answer, Some(held))
                    },
                    Err(text) => (query.failure(&self.controller, &text), None),
                };
                let message = answer.in_reply_to(&reply_to);
                return self.outbox.send(OutgoingMessage { message, held }).await;
            },
            Query::ToggleTraces(request) => {
                let toggled = queries.toggle_traces(permit, request).await;
                let toggled = toggled.as_deref().map_err(String::as_str);
                let answer = outcome(toggled).in_reply_to(&reply_to);
                return self.outbox.send(answer).await;
            },
            Query::Validate(request) => request,
        };
        let call = Call {
            context: self,
            reply_to,
            request: request.clone(),
        };
        match request {
            ValidationRequest::Terminators(request) => {
                let begun = queries.validate_terminators(permit, request);
                call.report(begun, terminator_message).await
            },
            ValidationRequest::Links(request) => {
                let begun = queries.validate_links(permit, request);
                call.report(begun, ManagementMessage::LinkDetails).await
            },
            ValidationRequest::SdkTerminators(request) => {
                let begun = queries.validate_sdk_terminators(permit, request);
                call.report(begun, ManagementMessage::SdkTerminatorDetails)
                    .await
            },
            ValidationRequest::ErtTerminators(request) => {
                let begun = queries.validate_ert_terminators(permit, request);
                call.report(begun, ManagementMessage::ErtTerminatorDetails)
                    .await
            },
            ValidationRequest::DataModel(request) => {
                let begun = queries.validate_data_model(permit, request);
                call.report(begun, ManagementMessage::DataModelDetails)
                    .await
            },
            ValidationRequest::IdentityConnections(request) => {
                let begun = queries.validate_identity_connections(permit, request);
                call.report(begun, ManagementMessage::IdentityConnectionDetails)
                    .await
            },
            ValidationRequest::Circuits(request) => {
                let begun = queries.validate_circuits(permit, request);
                call.report(begun, ManagementMessage::RouterCircuits).await
            },
            ValidationRequest::Dialers => {
                let begun = queries.validate_dialers(permit);
                call.report(begun, ManagementMessage::DialerDetails).await
            },
        }
    }
}

fn terminator_message(finding: TerminatorFinding) -> ManagementMessage {
    match finding {
        TerminatorFinding::Terminator(detail) => ManagementMessage::TerminatorDetail(detail),
        TerminatorFinding::Host(state) => ManagementMessage::HostState(state),
    }
}

/// A request to validate.
struct Call {
    context: QueryContext,
    reply_to: ReplyTo,
    request: ValidationRequest,
}

impl Call {
    /// Sends the answer and then the details: as many as it says.
    async fn report<D>(
        self,
        begun: ValidationFuture<D>,
        message: fn(D) -> ManagementMessage,
    ) -> Result<(), Closed> {
        let outbox = &self.context.outbox;
        let Validation { count, mut details } = match begun.await {
            Ok(validation) => validation,
            Err(text) => {
                let query = Query::Validate(self.request);
                let failure = query.failure(&self.context.controller, &text);
                return outbox.send(failure.in_reply_to(&self.reply_to)).await;
            },
        };
        let found = self.request.answer(Found {
            is_success: true,
            text: String::new(),
            count,
        });
        let answer = encoded(&found).in_reply_to(&self.reply_to);
        outbox.send(answer).await?;
        let mut missing = count;
        // Clients stop at the last that is counted, so it is held back until nothing else will come.
        let mut last = None;
        while let Some(detail) = details.next().await {
            let detail = message(detail);
            if matches!(detail, ManagementMessage::HostState(_)) {
                outbox.send(encoded(&detail)).await?;
                continue;
            }
            match missing.checked_sub(1) {
                Some(0) => last = Some(encoded(&detail)),
                Some(_) => outbox.send(encoded(&detail)).await?,
                None => {
                    tracing::error!("a validation has more details than it has announced");
                    break;
                },
            }
            missing = missing.saturating_sub(1);
        }
        if let Some(last) = last {
            outbox.send(last).await?;
        }
        if missing > 0 {
            tracing::error!(
                missing,
                "a validation has fewer details than it has announced"
            );
            return outbox.close(Closing::Incomplete).await;
        }
        Ok(())
    }
}
