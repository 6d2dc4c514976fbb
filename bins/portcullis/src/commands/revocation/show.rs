//! Table view of revocations.

use super::kind;
use crate::column::Column;
use crate::entity::{Entity, EntityKind};
use crate::moment;
use crate::names::Names;
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::revocation::RevocationDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RevocationId;

impl Entity for RevocationDetail {
    fn label(&self) -> String {
        kind::display(self.revoked).to_owned()
    }

    fn table(&self, now: Timestamp, _names: &Names) -> Table {
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("revoked", kind::display(self.revoked))
            .property("since", moment::full(self.base.updated_at, now))
            .property("until", moment::full(self.expires_at, now))
    }
}

impl EntityKind for RevocationDetail {
    const COMMAND: &'static str = "revocation";
    const SINGULAR: &'static str = "revocation";
    const PLURAL: &'static str = "revocations";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("type", "revoked", |revocation, _| {
            kind::display(revocation.revoked).into()
        }),
        Column::new("updatedAt", "since", |revocation, _| {
            revocation.base.updated_at.into()
        }),
        Column::new("expiresAt", "until", |revocation, _| {
            revocation.expires_at.into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &["type", "expiresAt", "issuedBefore"];
    const SEARCHED: &'static [&'static str] = &["id", "type"];

    fn base(&self) -> Option<&Base<RevocationId>> {
        Some(&self.base)
    }
}
