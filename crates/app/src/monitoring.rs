//! The controller's figures as a whole: for events and for Prometheus.

mod page;

pub use page::{families, page};

use crate::app::App;
use portcullis_domain::entropy;
use portcullis_events::{Body, Namespace, metrics_of};
use std::sync::Arc;
use std::time::Duration;

/// Accounts for the time since the last call, and forgets what routers have reported that are gone. To be called
/// every [`TICK`](portcullis_metrics::TICK).
pub fn tick(app: &App, elapsed: Duration) {
    app.metrics().registry().tick(elapsed);
    let reports = app.metrics().reports();
    if reports.are_kept() {
        reports.retain(&app.live_network().online_routers());
    }
}

/// Publishes the controller's metrics as events, if somebody wants them.
pub fn publish(app: &App) {
    if !app.wants_events(Namespace::Metrics) {
        return;
    }
    let event_id = match entropy::uuid(&*app.env().entropy) {
        Ok(event_id) => event_id,
        Err(error) => {
            tracing::warn!(%error, "metrics of the controller are not published: they have no id");
            return;
        },
    };
    let (controller, now) = (controller_id(app), app.env().now());
    let snapshot = app.metrics().registry().snapshot();
    let message = snapshot.into_message(event_id, controller.to_string(), now, Vec::new());
    for metric in metrics_of(&controller, &message, |_link| None) {
        app.publish_at(now, Body::Metric(metric));
    }
}

fn controller_id(app: &App) -> Arc<str> {
    app.network().serving_state().controller.id.as_str().into()
}
