//! Table view of revocations.

use super::kind;
use crate::commands::pagination;
use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::revocation::RevocationDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RevocationId;

impl Entity for RevocationDetail {
    fn label(&self) -> String {
        kind::display(self.revoked).to_owned()
    }

    fn table(&self, _now: Timestamp) -> Table {
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("revoked", kind::display(self.revoked))
            .property("since", self.base.updated_at.to_string())
            .property("until", self.expires_at.to_string())
    }
}

impl EntityKind for RevocationDetail {
    const COMMAND: &'static str = "revocation";
    const SINGULAR: &'static str = "revocation";
    const PLURAL: &'static str = "revocations";
    const COLUMNS: &'static [&'static str] = &["id", "revoked", "since", "until"];

    fn base(&self) -> &Base<RevocationId> {
        &self.base
    }

    fn extra_cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            kind::display(self.revoked).to_owned(),
            self.base.updated_at.to_string(),
            pagination::format_expiry(self.expires_at, now),
        ]
    }
}
