//! What routers want an administrator to know.

use super::text::beginning;
use super::{shortened, time_of_router};
use crate::plane::Plane;
use crate::session::Session;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_domain::token_bucket::{Rate, TokenBucket};
use portcullis_events::{Alert, Body, Namespace, is_short};
use portcullis_wire::control::alert as wire;
use std::collections::BTreeMap;

/// Alerts are for people, who read no more than a few.
const RATE: Rate = Rate {
    per_minute: 60,
    burst: 100,
};

/// Longest text, in bytes.
const MAX_TEXT: usize = 4096;
const MAX_DETAILS: usize = 32;
const MAX_RELATED: usize = 32;

/// How many alerts of a router are still told.
#[derive(Debug, Default)]
pub(crate) struct AlertLimit(TokenBucket);

impl AlertLimit {
    fn take(&mut self, now: Timestamp) -> bool {
        let is_within = self.0.has_token(RATE, now);
        if is_within {
            self.0.take(RATE, now);
        }
        is_within
    }
}

/// Tells of the alerts of a router; those of one that sends too many are dropped.
pub(crate) fn publish(plane: &Plane, session: &Session, alerts: Vec<wire::Alert>) {
    if !plane.app.wants_events(Namespace::Alert) {
        return;
    }
    for alert in alerts {
        if !session.alerts.lock().take(plane.app.env().now()) {
            tracing::warn!(router = %session.id(), "a router sends too many alerts");
            return;
        }
        let time = time_of_router(plane, alert.time_millis);
        let alert = alert_of(session.id(), alert);
        plane.app.publish_at(time, Body::Alert(alert));
    }
}

/// Whatever an alert names as its source, it is the router that sends it.
fn alert_of(router: &RouterId, alert: wire::Alert) -> Alert {
    let text = |text: &str| beginning(text, MAX_TEXT).to_owned();
    let details: Vec<_> = alert.details.iter().take(MAX_DETAILS).collect();
    let details: Vec<String> = details.into_iter().map(|detail| text(detail)).collect();
    Alert {
        source_type: "router".into(),
        source_id: router.as_str().into(),
        severity: shortened(&alert.severity),
        message: text(&alert.text).into(),
        details: (!details.is_empty()).then_some(details),
        related_entities: related(router, alert.related_entities),
    }
}

fn related(router: &RouterId, named: BTreeMap<String, String>) -> BTreeMap<String, String> {
    /// The router as a host of services.
    const TUNNELER: &str = "ert";
    let mut related = BTreeMap::new();
    for (kind, id) in named {
        if related.len() >= MAX_RELATED || !is_short(&kind) || !is_short(&id) {
            continue;
        }
        if kind != wire::Alert::SELF {
            related.insert(kind, id);
            continue;
        }
        related.insert("router".to_owned(), router.as_str().to_owned());
        if id == TUNNELER {
            related.insert("identity".to_owned(), router.as_str().to_owned());
        }
    }
    related
}
