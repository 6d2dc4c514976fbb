//! The management channel, over connections of the fabric API.

use portcullis_api::fabric::inspection::InspectValue;
use portcullis_app::fabric::{self, OpenChannel};
use portcullis_app::{App, AppError, run_blocking};
use portcullis_domain::access::Permit;
use portcullis_event_sinks::EventBus;
use portcullis_listener::Upgrade;
use portcullis_management_channel::{
    ChannelLimits, ManagementChannel, NetworkQueries, QueryFuture,
};
use portcullis_wire::management::{InspectRequest, InspectResponse, InspectedValue};
use std::sync::Arc;

/// Opens management channels for the HTTP front end.
struct ChannelOpener(ManagementChannel);

impl portcullis_http::ManagementChannel for ChannelOpener {
    fn open(&self, permit: Permit<OpenChannel>) -> Option<Upgrade> {
        let opened = self.0.open(permit)?;
        Some(Upgrade::new(|stream, shutdown| {
            Box::pin(opened.serve(stream, shutdown))
        }))
    }
}

/// The management channel of a controller whose events go to `bus`.
pub(super) fn channel(
    app: &Arc<App>,
    bus: EventBus,
) -> Arc<dyn portcullis_http::ManagementChannel> {
    let queries = Arc::new(Queries(Arc::clone(app)));
    let limits = ChannelLimits::default();
    Arc::new(ChannelOpener(ManagementChannel::new(
        app, bus, queries, limits,
    )))
}

/// Answers what the controller knows by itself.
struct Queries(Arc<App>);

impl NetworkQueries for Queries {
    fn inspect(
        &self,
        _permit: Permit<OpenChannel>,
        request: InspectRequest,
    ) -> QueryFuture<Result<InspectResponse, String>> {
        let app = Arc::clone(&self.0);
        Box::pin(async move {
            let inspected = run_blocking(move || inspect(&app, &request)).await;
            inspected.map_err(|error| error.to_string())
        })
    }
}

fn inspect(app: &App, request: &InspectRequest) -> Result<InspectResponse, AppError> {
    let inspection = fabric::inspect(app, &request.app_regex, &request.names)?;
    let id = inspection.controller.unwrap_or_default();
    let values = inspection.values.into_iter().map(|(name, value)| {
        let inspected = InspectValue::new(id.clone(), name, value);
        InspectedValue {
            app_id: inspected.app_id,
            name: inspected.name,
            value: inspected.value.to_string().into(),
        }
    });
    Ok(InspectResponse {
        is_success: inspection.errors.is_empty(),
        values: values.collect(),
        errors: inspection.errors,
    })
}
