//! Table view of authenticators.

use crate::column::Column;
use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::AuthenticatorId;

impl Entity for AuthenticatorDetail {
    fn label(&self) -> String {
        format!("{} of {}", self.method, self.identity.name)
    }
}

impl EntityKind for AuthenticatorDetail {
    const COMMAND: &'static str = "authenticator";
    const SINGULAR: &'static str = "authenticator";
    const PLURAL: &'static str = "authenticators";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("method", "method", |one, _| one.method.as_ref().into()),
        Column::new("identity", "identity", |one, _| {
            one.identity.name.as_str().into()
        }),
        Column::id("identityId", "identity id", |one: &Self, _| {
            one.identity_id.as_str().into()
        })
        .wide(),
        Column::new("username", "username", |one, _| one.username.clone().into()),
        Column::new("fingerprint", "fingerprint", |one, _| {
            one.fingerprint.clone().into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "method",
        "identity",
        "certFingerprint",
        "certPem",
        "isIssuedByNetwork",
        "isExtendRequested",
        "isKeyRollRequested",
        "extendRequestedAt",
        "publicKeyPrint",
        "lastAuthResolvedToRoot",
        "lastExtendRolledKeys",
        "updbUsername",
    ];
    const SEARCHED: &'static [&'static str] = &["updbUsername", "certFingerprint"];
    const HAS_IDENTITY: bool = true;

    fn base(&self) -> Option<&Base<AuthenticatorId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let table = table
            .property("method", &self.method)
            .property("identity", &self.identity.name)
            .property("identity id", self.identity_id.as_str())
            .property("username", self.username.as_deref().unwrap_or_default());
        certificate(table, self)
    }
}

/// Adds the properties of a certificate.
fn certificate(table: Table, authenticator: &AuthenticatorDetail) -> Table {
    let Some(fingerprint) = &authenticator.fingerprint else {
        return table;
    };
    // Controllers do not name other issuers.
    let issuer = if authenticator.is_issued_by_network {
        "the network"
    } else {
        ""
    };
    let extension = match (
        authenticator.is_extend_requested,
        authenticator.is_key_roll_requested,
    ) {
        (false, _) => "",
        (true, false) => "requested",
        (true, true) => "requested, with a new key",
    };
    let renewal = match authenticator.last_extend_rolled_keys {
        None => "",
        Some(true) => "with a new key",
        Some(false) => "with the same key",
    };
    table
        .property("certificate", format!("SHA-1 {fingerprint}"))
        .property("issued by", issuer)
        .property("extension", extension)
        .property("last renewal", renewal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;
    use crate::render::Render as _;
    use serde_json::{Value, json};

    fn shown(members: &Value) -> String {
        let mut authenticator = json!({
            "_links": {"self": {"href": "./authenticators/a1"}},
            "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "id": "a1",
            "identity": {"_links": {}, "entity": "identities", "id": "i1", "name": "laptop"},
            "identityId": "i1",
            "isSomethingNew": 1,
        });
        for (name, value) in members.as_object().unwrap() {
            authenticator[name] = value.clone();
        }
        let authenticator: AuthenticatorDetail = serde_json::from_value(authenticator).unwrap();
        authenticator
            .table(Timestamp::UNIX_EPOCH, &Names::default())
            .render(None)
    }

    #[test]
    fn only_what_there_is_is_shown() {
        let password = shown(&json!({"method": "updb", "username": "ann"}));
        assert!(password.contains("username:"), "{password}");
        assert!(!password.contains("certificate:"), "{password}");
        let certificate = json!({"method": "cert", "certPem": "PEM", "fingerprint": "ab01",
            "isIssuedByNetwork": true, "isExtendRequested": true, "isKeyRollRequested": true,
            "lastExtendRolledKeys": false});
        let certificate = shown(&certificate);
        for line in [
            "SHA-1 ab01\n",
            "the network\n",
            "requested, with a new key\n",
            "with the same key\n",
        ] {
            assert!(certificate.contains(line), "{certificate}");
        }
        assert!(!certificate.contains("username:"), "{certificate}");
        let other = shown(&json!({"method": "cert", "fingerprint": "ab01"}));
        assert!(!other.contains("issued by:"), "{other}");
        assert!(!other.contains("extension:"), "{other}");
    }
}
