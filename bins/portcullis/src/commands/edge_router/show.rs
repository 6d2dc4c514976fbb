//! Table view of edge routers.

use crate::column::Column;
use crate::commands::router::{EnrollableRouter, RouterState};
use crate::commands::{attributes, configs};
use crate::entity::{EntityKind, Named};
use crate::names::Names;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::entity::Base;
use portcullis_api::router::PendingRouterEnrollment;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;

impl EnrollableRouter for EdgeRouterDetail {
    const NEW_TOKEN_HINT: &'static str =
        "`portcullis edge-router re-enroll` invalidates its certificate and issues a new token";

    fn enrollment(&self) -> &PendingRouterEnrollment {
        &self.enrollment
    }
}

/// Enrollment and connection state.
fn router_state(router: &EdgeRouterDetail) -> RouterState<'_> {
    RouterState {
        is_disabled: router.common.disabled.unwrap_or_default(),
        is_online: router.common.is_online,
        is_verified: router.is_verified,
        enrollment: &router.enrollment,
    }
}

impl Named for EdgeRouterDetail {
    fn name(&self) -> &str {
        &self.common.name
    }
}

impl EntityKind for EdgeRouterDetail {
    const COMMAND: &'static str = "edge-router";
    const SINGULAR: &'static str = "edge router";
    const PLURAL: &'static str = "edge routers";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("state", "state", |router, _| {
            router_state(router).display().into()
        }),
        Column::new("cost", "cost", |router, _| {
            router.common.cost.unwrap_or_default().to_string().into()
        }),
        Column::new("noTraversal", "traversal", |router, _| {
            yes_or_no(!router.common.no_traversal.unwrap_or_default()).into()
        }),
        Column::new("isTunnelerEnabled", "tunneler", |router, _| {
            router.is_tunneler_enabled.into()
        }),
        Column::new("roleAttributes", "attributes", |router, _| {
            attributes::display(router.role_attributes.as_ref()).into()
        }),
        Column::new("hostname", "host", |router: &Self, _| {
            router.common.hostname.as_str().into()
        })
        .wide(),
        Column::new("versionInfo", "version", |router: &Self, _| {
            router.version_info.version.as_str().into()
        })
        .wide(),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "fingerprint",
        "cost",
        "noTraversal",
        "disabled",
        "configs",
        "roleAttributes",
        "isVerified",
        "isTunnelerEnabled",
        "connected",
        "online",
    ];

    fn base(&self) -> Option<&Base<RouterId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, now: Timestamp) -> Table {
        let common = &self.common;
        let attributes = attributes::display(self.role_attributes.as_ref());
        let traversal = yes_or_no(!common.no_traversal.unwrap_or_default());
        let table = table
            .property("state", router_state(self).display())
            .property("enrollment", router_state(self).enrollment_expiry(now))
            .property("tunneler", yes_or_no(self.is_tunneler_enabled))
            .property("traversal", traversal)
            .property("cost", common.cost.unwrap_or_default().to_string())
            .property("role attributes", attributes);
        add_reported_properties(table, self)
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        configs::fetch_names(client, self.configs.as_ref()).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        let configs = configs::display(self.configs.as_ref(), names);
        table.property("configurations", configs)
    }
}

/// Adds the properties that the router reports.
fn add_reported_properties(table: Table, router: &EdgeRouterDetail) -> Table {
    let common = &router.common;
    let protocols: Vec<_> = common.supported_protocols.values().cloned().collect();
    let listeners: Vec<_> = router.ctrl_chan_listeners.keys().cloned().collect();
    let fingerprint = router.fingerprint.as_ref();
    let certificate = fingerprint.map(|sum| format!("SHA-1 {sum}"));
    table
        .property("certificate", certificate.unwrap_or_default())
        .property("host", &common.hostname)
        .property("client endpoints", protocols.join(", "))
        .property("control listeners", listeners.join(", "))
        .property("version", &router.version_info.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity as _;
    use crate::render::Render as _;
    use crate::table_layout;
    use serde_json::json;

    #[test]
    fn router_is_told_in_words() {
        let mut router = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "r1", "name": "edge-1",
            "cost": 7, "noTraversal": true, "disabled": false, "isOnline": false,
            "isTunnelerEnabled": true, "isVerified": false, "hostname": "",
            "supportedProtocols": {"tls": "tls://edge-1:3022"}, "syncStatus": "",
            "roleAttributes": ["public"], "certPem": null, "configs": null, "interfaces": null,
            "unverifiedCertPem": null, "unverifiedFingerprint": null,
            "enrollmentJwt": "aa.bb.cc", "enrollmentToken": "tok",
            "enrollmentExpiresAt": "2031-04-05T09:07:08.009Z",
        });
        let read = |router: &serde_json::Value| -> EdgeRouterDetail {
            serde_json::from_value(router.clone()).unwrap()
        };
        let shown = read(&router)
            .table(Timestamp::UNIX_EPOCH, &Names::default())
            .render(None);
        for words in [
            "edge-1\n",
            "not enrolled\n",
            "pending, until ",
            "tls://edge-1:3022\n",
        ] {
            assert!(shown.contains(words), "{shown}");
        }
        assert!(
            !shown.contains("aa.bb.cc") && !shown.contains("tok\n"),
            "{shown}"
        );
        router["isVerified"] = json!(true);
        router["isOnline"] = json!(true);
        assert_eq!(
            table_layout::row(&read(&router), Timestamp::UNIX_EPOCH),
            ["edge-1", "online", "7", "no", "yes", "public", "r1"]
        );
    }
}
