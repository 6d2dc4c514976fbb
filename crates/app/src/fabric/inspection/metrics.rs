//! Metrics as REST shows them.

use super::Inspection;
use crate::app::App;
use portcullis_domain::view::{InspectedValue, LinkView};
use portcullis_events::{LinkRouters, MetricsForm, MetricsSource, inspected_metrics};
use std::collections::BTreeMap;

/// Maximum size of one value, bytes; a longer one stays as its router tells it.
const MAX_BYTES: usize = 16 * 1024 * 1024;

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
            let links = links.get_or_insert_with(|| Links::new(app));
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

/// The routers of links, by the ids of these.
struct Links(BTreeMap<String, LinkRouters>);

impl Links {
    fn new(app: &App) -> Self {
        let links = app.live_network().links().into_iter();
        let routers = |link: LinkView| {
            let routers = LinkRouters {
                source: link.source.as_str().into(),
                destination: link.destination.as_str().into(),
            };
            (link.id.as_str().to_owned(), routers)
        };
        Self(links.map(routers).collect())
    }

    fn routers(&self, link: &str) -> Option<LinkRouters> {
        self.0.get(link).cloned()
    }
}
