//! Metrics as REST shows them.

use super::Inspection;
use crate::app::App;
use crate::fabric::link_routers::LinkRoutersById;
use portcullis_domain::view::InspectedValue;
use portcullis_events::{MetricsForm, MetricsSource, inspected_metrics};

/// Maximum size of one value, bytes; a longer one stays as its router tells it.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The controller's metrics in the JSON that OpenZiti's controllers have for them.
pub(super) fn own(app: &App) -> String {
    let snapshot = app.metrics().registry().snapshot();
    let controller = app.network().serving_state().controller.id.to_string();
    snapshot.to_json(&controller, app.env().now()).to_string()
}

impl Inspection {
    /// Shows metrics as objects, as events have them, or as texts for Prometheus, as their names say.
    pub fn convert_metrics(&mut self, app: &App) {
        let mut links = None;
        for value in &mut self.values {
            let InspectedValue::Text(text) = &mut value.value else {
                continue;
            };
            let Some(form) = form(&value.name) else {
                continue;
            };
            let links = links.get_or_insert_with(|| LinkRoutersById::new(app));
            let source = MetricsSource {
                controller: app.network().serving_state().controller.id.as_str().into(),
                id: value.app_id.as_str().into(),
                now: app.env().now(),
            };
            let converted =
                inspected_metrics(&source, text, (form, MAX_BYTES), |link| links.routers(link));
            if let Some(converted) = converted.filter(|text| self.held.add(text.len())) {
                *text = converted;
            }
        }
    }
}

fn form(name: &str) -> Option<MetricsForm> {
    match &*name.to_lowercase() {
        "metrics" | "metrics:json" => Some(MetricsForm::Events),
        "metrics:prometheus" => Some(MetricsForm::Prometheus),
        _ => None,
    }
}
