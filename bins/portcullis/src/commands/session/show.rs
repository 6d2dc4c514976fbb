//! Table view of sessions.

use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ApiSessionId;

impl Entity for ApiSessionDetail {
    fn label(&self) -> String {
        format!("of {} from {}", self.identity.name, self.ip_address)
    }

    fn table(&self, _now: Timestamp) -> Table {
        let used = super::last_used(self);
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("identity", &self.identity.name)
            .property("identity id", self.identity_id.as_str())
            .property("opened by", &self.authenticator_id)
            .property("TOTP code", super::totp_status(self))
            .property("address", &self.ip_address)
            .property("opened", self.base.created_at.to_string())
            .property(
                "last used",
                used.map_or_else(String::new, |used| used.to_string()),
            )
    }
}

impl EntityKind for ApiSessionDetail {
    const COMMAND: &'static str = "session";
    const SINGULAR: &'static str = "session";
    const PLURAL: &'static str = "sessions";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "identity",
        "identity id",
        "address",
        "totp",
        "opened",
        "last used",
    ];

    fn base(&self) -> &Base<ApiSessionId> {
        &self.base
    }

    fn extra_cells(&self, _now: Timestamp) -> Vec<String> {
        let used = super::last_used(self);
        vec![
            self.identity.name.clone(),
            self.identity_id.to_string(),
            self.ip_address.clone(),
            super::totp_status(self).to_owned(),
            self.base.created_at.to_string(),
            used.map_or_else(String::new, |used| used.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listable::Listable as _;
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
            session.cells(now)
        };
        let (opened, stored) = ("2031-04-05T06:07:08.009Z", "2031-04-05T07:00:00.000Z");
        let cached = "2031-04-05T08:00:00.000Z";
        assert_eq!(
            cells(&session),
            ["c1", "laptop", "i1", "192.0.2.1", "", opened, cached]
        );
        session["cachedLastActivityAt"].take();
        assert_eq!(cells(&session)[6], stored);
        session["isMfaRequired"] = json!(true);
        assert_eq!(cells(&session)[4], "pending");
        session["isMfaComplete"] = json!(true);
        assert_eq!(cells(&session)[4], "passed");
    }
}
