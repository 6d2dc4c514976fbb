//! Table view of transit routers.

use crate::column::Column;
use crate::commands::configs;
use crate::commands::router::{self, EnrollableRouter, RouterState};
use crate::entity::{EntityKind, Named};
use crate::names::Names;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::entity::Base;
use portcullis_api::router::PendingRouterEnrollment;
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;

impl EnrollableRouter for TransitRouterDetail {
    const NEW_TOKEN_HINT: &'static str =
        "to get a new token for an enrolled router, delete it and create it again";

    fn enrollment(&self) -> &PendingRouterEnrollment {
        &self.enrollment
    }
}

/// Enrollment and connection state.
fn router_state(router: &TransitRouterDetail) -> RouterState<'_> {
    RouterState {
        is_disabled: router.disabled,
        is_online: router.is_online,
        is_verified: router.is_verified,
        enrollment: &router.enrollment,
    }
}

impl Named for TransitRouterDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for TransitRouterDetail {
    const COMMAND: &'static str = "transit-router";
    const SINGULAR: &'static str = "router";
    const PLURAL: &'static str = "routers";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("state", "state", |router, _| {
            router_state(router).display().into()
        }),
        Column::new("cost", "cost", |router, _| router.cost.to_string().into()),
        Column::new("noTraversal", "traversal", |router, _| {
            yes_or_no(!router.no_traversal).into()
        }),
    ];
    const FIELDS: &'static [&'static str] = router::FIELDS;

    fn base(&self) -> Option<&Base<RouterId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, now: Timestamp) -> Table {
        let listeners: Vec<_> = self.ctrl_chan_listeners.keys().cloned().collect();
        let fingerprint = self.fingerprint.as_ref();
        table
            .property("state", router_state(self).display())
            .property("enrollment", router_state(self).enrollment_expiry(now))
            .property("traversal", yes_or_no(!self.no_traversal))
            .property("cost", self.cost.to_string())
            .property(
                "certificate",
                fingerprint
                    .map(|sum| format!("SHA-1 {sum}"))
                    .unwrap_or_default(),
            )
            .property("control listeners", listeners.join(", "))
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        configs::fetch_names(client, self.configs.as_ref()).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        let configs = configs::display(self.configs.as_ref(), names);
        table.property("configurations", configs)
    }
}
