//! Table view of sessions.

use crate::column::Column;
use crate::entity::{Entity, EntityKind};
use crate::moment;
use crate::names::Names;
use crate::table::Table;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ApiSessionId;

impl Entity for ApiSessionDetail {
    fn label(&self) -> String {
        format!("of {} from {}", self.identity.name, self.ip_address)
    }

    fn table(&self, now: Timestamp, _names: &Names) -> Table {
        let used = super::last_used(self);
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("identity", &self.identity.name)
            .property("identity id", self.identity_id.as_str())
            .property("opened by", &self.authenticator_id)
            .property("TOTP code", super::totp_status(self))
            .property("address", &self.ip_address)
            .property("opened", moment::full(self.base.created_at, now))
            .property(
                "last used",
                used.map_or_else(String::new, |used| moment::full(used, now)),
            )
    }
}

impl EntityKind for ApiSessionDetail {
    const COMMAND: &'static str = "session";
    const SINGULAR: &'static str = "session";
    const PLURAL: &'static str = "sessions";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("identity", "identity", |session, _| {
            session.identity.name.as_str().into()
        }),
        Column::id("identityId", "identity id", |session: &Self, _| {
            session.identity_id.as_str().into()
        })
        .wide(),
        Column::new("ipAddress", "address", |session, _| {
            session.ip_address.as_str().into()
        }),
        Column::new("isMfaComplete", "totp", |session, _| {
            super::totp_status(session).into()
        }),
        Column::new("createdAt", "opened", |session, _| {
            session.base.created_at.into()
        }),
        Column::new("lastActivityAt", "last used", |session, _| {
            super::last_used(session).into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "token",
        "identity",
        "lastActivityAt",
        "authenticator",
        "ipAddress",
        "mfaComplete",
        "mfaRequired",
        "improperClientCertChain",
    ];
    const SEARCHED: &'static [&'static str] = &["ipAddress"];
    const HAS_IDENTITY: bool = true;

    fn base(&self) -> Option<&Base<ApiSessionId>> {
        Some(&self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_layout;
    use serde_json::json;

    #[test]
    fn latest_use_is_shown_and_no_token() {
        let mut session = json!({
            "_links": {},
            "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "id": "c1",
            "authQueries": [],
            "authenticatorId": "a1",
            "cachedLastActivityAt": "2031-04-05T08:00:00.000Z",
            "configTypes": [],
            "identity": {"_links": {}, "entity": "identities", "id": "i1", "name": "laptop"},
            "identityId": "i1",
            "ipAddress": "192.0.2.1",
            "isCertExtendable": false,
            "isMfaComplete": false,
            "isMfaRequired": false,
            "lastActivityAt": "2031-04-05T07:00:00.000Z",
            "token": "t1",
        });
        let now = "2031-04-05T09:00:00Z".parse().unwrap();
        let cells = |session: &serde_json::Value| {
            let session: ApiSessionDetail = serde_json::from_value(session.clone()).unwrap();
            table_layout::row(&session, now)
        };
        assert_eq!(
            cells(&session),
            ["c1", "laptop", "192.0.2.1", "", "3h ago", "1h ago"]
        );
        session["cachedLastActivityAt"].take();
        assert_eq!(cells(&session)[5], "2h ago");
        session["isMfaRequired"] = json!(true);
        assert_eq!(cells(&session)[3], "pending");
        session["isMfaComplete"] = json!(true);
        assert_eq!(cells(&session)[3], "passed");
    }
}
