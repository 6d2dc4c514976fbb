//! `portcullis authenticator show`.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_domain::ids::AuthenticatorId;

const EXAMPLES: &str = "\
Examples:
  portcullis authenticator show v1kz.YB3Rs
  portcullis authenticator show v1kz.YB3Rs --output json | jq -r .certPem > laptop.crt";

/// Arguments of `authenticator show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the authenticator, as shown by `authenticator list`
    id: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let id = AuthenticatorId::from_wire(arguments.id);
    let authenticator = session.client.entity::<AuthenticatorDetail>(&id).await?;
    context
        .output
        .write_result(&authenticator, || table(&authenticator))
}

/// Renders an authenticator as a table.
pub(super) fn table(authenticator: &AuthenticatorDetail) -> Table {
    let table = Table::with_properties()
        .property("id", authenticator.base.id.as_str())
        .property("method", &authenticator.method)
        .property("identity", &authenticator.identity.name)
        .property("identity id", authenticator.identity_id.as_str())
        .property(
            "username",
            authenticator.username.as_deref().unwrap_or_default(),
        );
    certificate(table, authenticator)
        .property("created", authenticator.base.created_at.to_string())
        .property("updated", authenticator.base.updated_at.to_string())
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
        let authenticator = serde_json::from_value(authenticator).unwrap();
        table(&authenticator).render()
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
