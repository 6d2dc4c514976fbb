//! The management channel, over connections of the fabric API.

use portcullis_api::fabric::inspection::text;
use portcullis_app::App;
use portcullis_app::fabric::{self, Inspection, OpenChannel};
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

/// Answers what is known of the network.
struct Queries(Arc<App>);

impl NetworkQueries for Queries {
    fn inspect(
        &self,
        _permit: Permit<OpenChannel>,
        request: InspectRequest,
    ) -> QueryFuture<Result<InspectResponse, String>> {
        let app = Arc::clone(&self.0);
        Box::pin(async move {
            let inspected = fabric::inspect(&app, &request.app_regex, &request.names).await;
            inspected
                .map(|inspection| response(&inspection))
                .map_err(|error| error.to_string())
        })
    }
}

fn response(inspection: &Inspection) -> InspectResponse {
    let values = inspection.values.iter().map(|shown| InspectedValue {
        app_id: shown.app_id.clone(),
        name: shown.name.clone(),
        value: text(&shown.value).into_owned().into(),
    });
    InspectResponse {
        is_success: inspection.errors.is_empty(),
        errors: inspection.errors.clone(),
        values: values.collect(),
    }
}
