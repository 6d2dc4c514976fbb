//! Tables of identities and authenticators.

use super::values::{UniqueValue, policy_reference, references};
use super::{
    AUTHENTICATOR, EDGE_ROUTER_POLICY, Entity, IDENTITY, SERVICE_POLICY, TERMINATOR, UniqueIndex,
    Versions, entity_change,
};
use crate::key::Kind;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;

impl Entity for Identity {
    const KIND: Kind = IDENTITY;
    const CASCADES_TO: &'static [Kind] = &[TERMINATOR];
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY, EDGE_ROUTER_POLICY];

    fn unique_values(&self) -> Vec<UniqueValue> {
        // The default administrator index comes first, so that a second one is reported as that and
        // not as a duplicate name.
        let mut values = Vec::with_capacity(4);
        if self.is_default_admin {
            values.push(UniqueValue::new(UniqueIndex::DefaultAdministrator, ""));
        }
        values.push(UniqueValue::new(UniqueIndex::IdentityId, self.id.as_str()));
        values.push(UniqueValue::new(UniqueIndex::IdentityName, self.name()));
        if let Some(external_id) = &self.spec.external_id {
            values.push(UniqueValue::new(
                UniqueIndex::IdentityExternalId,
                external_id.as_str(),
            ));
        }
        values
    }

    fn references(&self) -> Vec<UniqueValue> {
        policy_reference(&self.spec.auth_policy)
            .into_iter()
            .chain(references(self.services()))
            .chain(references(self.configs()))
            .collect()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        gone.id()
            .is_some_and(|service| self.unlink_service(&service))
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::Identity(entity_change(owner, number, versions))
    }
}

impl Entity for Authenticator {
    const KIND: Kind = AUTHENTICATOR;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let credential = match &self.credential {
            Credential::Cert(cert) => UniqueValue::new(
                UniqueIndex::AuthenticatorFingerprint,
                cert.fingerprint.as_str(),
            ),
            Credential::Updb(updb) => {
                UniqueValue::new(UniqueIndex::AuthenticatorUsername, updb.username.as_str())
            },
        };
        vec![
            UniqueValue::new(UniqueIndex::AuthenticatorId, self.id.as_str()),
            credential,
        ]
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::Authenticator(entity_change(owner, number, versions))
    }
}
