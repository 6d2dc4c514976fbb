//! The management channel, over connections of the fabric API.

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use portcullis_api::fabric::inspection::into_text;
use portcullis_app::fabric::{self, Inspection, OpenChannel};
use portcullis_app::{App, AppError};
use portcullis_control::{ControlPlane, RouterDetails, TerminatorDetails};
use portcullis_domain::access::Permit;
use portcullis_event_sinks::EventBus;
use portcullis_listener::Upgrade;
use portcullis_management_channel::{
    ChannelLimits, InspectionAnswer, ManagementChannel, NetworkQueries, QueryFuture,
    TerminatorFinding, Validation, ValidationFuture,
};
use portcullis_metrics::PointValue;
use portcullis_wire::management::{
    ComponentDetails, ErtTerminatorDetails, InspectRequest, InspectResponse, InspectedValue,
    LinkDetails, RouterCircuits, RouterFilter, SdkTerminatorDetails, ValidateDataModel,
    ValidateTerminators,
};
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Opens management channels for the HTTP front end.
struct ChannelOpener(Arc<ManagementChannel>);

impl portcullis_http::ManagementChannel for ChannelOpener {
    fn open(&self, permit: Permit<OpenChannel>) -> Option<Upgrade> {
        let opened = self.0.open(permit)?;
        Some(Upgrade::new(|stream, shutdown| {
            Box::pin(opened.serve(stream, shutdown))
        }))
    }
}

/// The management channel of a controller whose events go to `bus`, and whose routers `plane` can ask.
pub(super) fn channel(
    app: &Arc<App>,
    bus: EventBus,
    plane: ControlPlane,
) -> Arc<dyn portcullis_http::ManagementChannel> {
    let queries = Arc::new(Queries {
        app: Arc::clone(app),
        plane,
    });
    let limits = ChannelLimits::default();
    let channel = Arc::new(ManagementChannel::new(app, bus, queries, limits));
    measure(app, &channel);
    Arc::new(ChannelOpener(channel))
}

/// Has Prometheus know how many channels are open.
fn measure(app: &App, channel: &Arc<ManagementChannel>) {
    // A strong reference would be a cycle: the channel has the controller, which has its figures.
    let channel = Arc::downgrade(channel);
    app.metrics().add_figure(
        "portcullis.management.channels",
        "Management channels that are open.",
        move || Some(PointValue::number_of(channel.upgrade()?.count())),
    );
}

/// Answers what is known of the network.
struct Queries {
    app: Arc<App>,
    plane: ControlPlane,
}

impl NetworkQueries for Queries {
    fn inspect(
        &self,
        _permit: Permit<OpenChannel>,
        request: InspectRequest,
    ) -> QueryFuture<Result<InspectionAnswer, String>> {
        let app = Arc::clone(&self.app);
        Box::pin(async move {
            let inspected = fabric::inspect(&app, &request.app_regex, &request.names).await;
            inspected.map(answer).map_err(|error| error.to_string())
        })
    }

    fn traces(&self, permit: Permit<OpenChannel>) -> BoxStream<'static, TraceEvent> {
        let traces = self.plane.traces(&permit);
        stream::unfold(traces, next_trace).boxed()
    }

    fn toggle_traces(
        &self,
        permit: Permit<OpenChannel>,
        request: PipeTraces,
    ) -> QueryFuture<Result<String, String>> {
        let plane = self.plane.clone();
        Box::pin(async move { plane.toggle_traces(permit, request).await })
    }

    fn validate_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateTerminators,
    ) -> ValidationFuture<TerminatorFinding> {
        let plane = self.plane.clone();
        Box::pin(async move {
            let selected = plane.validate_terminators(permit, request).await;
            let TerminatorDetails {
                hosts,
                count,
                details,
            } = selected
                .map_err(|error| format!("failed to run terminator validation: {error}"))?;
            let hosts = stream::iter(hosts).map(TerminatorFinding::Host);
            Ok(Validation {
                count: u64::try_from(count).unwrap_or(u64::MAX),
                details: hosts
                    .chain(details.map(TerminatorFinding::Terminator))
                    .boxed(),
            })
        })
    }

    fn validate_data_model(
        &self,
        permit: Permit<OpenChannel>,
        request: ValidateDataModel,
    ) -> ValidationFuture<ComponentDetails> {
        let plane = self.plane.clone();
        begin(async move { plane.validate_data_model(permit, request).await })
    }

    fn validate_links(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<LinkDetails> {
        let plane = self.plane.clone();
        begin(async move { plane.validate_links(permit, request.filter).await })
    }

    fn validate_sdk_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<SdkTerminatorDetails> {
        let plane = self.plane.clone();
        begin(async move { plane.validate_sdk_terminators(permit, request.filter).await })
    }

    fn validate_ert_terminators(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<ErtTerminatorDetails> {
        let plane = self.plane.clone();
        begin(async move { plane.validate_ert_terminators(permit, request.filter).await })
    }

    fn validate_identity_connections(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<ComponentDetails> {
        let plane = self.plane.clone();
        begin(async move {
            plane
                .validate_identity_connections(permit, request.filter)
                .await
        })
    }

    fn validate_circuits(
        &self,
        permit: Permit<OpenChannel>,
        request: RouterFilter,
    ) -> ValidationFuture<RouterCircuits> {
        let plane = self.plane.clone();
        begin(async move { plane.validate_circuits(permit, request.filter).await })
    }
}

/// The next trace that is not missed.
async fn next_trace(
    mut traces: Receiver<TraceEvent>,
) -> Option<(TraceEvent, Receiver<TraceEvent>)> {
    loop {
        match traces.recv().await {
            Ok(event) => return Some((event, traces)),
            Err(RecvError::Lagged(count)) => {
                tracing::debug!(count, "a management channel misses traces");
            },
            Err(RecvError::Closed) => return None,
        }
    }
}

/// A validation as the channel takes it.
fn begin<D: 'static>(
    selecting: impl Future<Output = Result<RouterDetails<D>, AppError>> + Send + 'static,
) -> ValidationFuture<D> {
    Box::pin(async move {
        let RouterDetails { count, details } = selecting
            .await
            .map_err(|error| format!("failed to unmarshall request: {error}"))?;
        Ok(Validation {
            count: u64::try_from(count).unwrap_or(u64::MAX),
            details,
        })
    })
}

/// An inspection, in the memory that it has already.
fn answer(inspection: Inspection) -> InspectionAnswer {
    let Inspection {
        values,
        errors,
        held,
    } = inspection;
    let values = values.into_iter().map(|shown| InspectedValue {
        app_id: shown.app_id,
        name: shown.name,
        value: into_text(shown.value).into(),
    });
    InspectionAnswer {
        response: InspectResponse {
            is_success: errors.is_empty(),
            errors,
            values: values.collect(),
        },
        held: Box::new(held),
    }
}
