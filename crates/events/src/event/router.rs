//! Routers that come and go.

use crate::event::Event;
use jiff::Timestamp;
use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct RouterStatus {
    pub router_id: Arc<str>,
    pub is_online: bool,
}

/// Event type of what comes or goes with a router.
pub(super) const fn event_type(is_online: bool) -> &'static str {
    if is_online {
        "router-online"
    } else {
        "router-offline"
    }
}

impl RouterStatus {
    pub(crate) fn wire_form<'e>(
        &'e self,
        event: &'e Event,
        namespace: &'e str,
    ) -> impl Serialize + 'e {
        #[derive(Serialize)]
        struct Wire<'e> {
            namespace: &'e str,
            timestamp: Timestamp,
            event_src_id: &'e str,
            event_type: &'static str,
            router_id: &'e str,
            router_online: bool,
        }
        Wire {
            namespace,
            timestamp: event.time,
            event_src_id: &event.source,
            event_type: event_type(self.is_online),
            router_id: &self.router_id,
            router_online: self.is_online,
        }
    }
}
