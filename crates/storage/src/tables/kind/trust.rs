//! Tables of authentication policies, third-party authorities and signers.

use super::managed::StoredSpec;
use super::values::{UniqueValue, policy_reference, references};
use super::{CA, Entity, SIGNER, UniqueIndex, entity_change};
use crate::key::Kind;
use portcullis_domain::auth_policy::AuthPolicySpec;
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::signer::Signer;

impl StoredSpec for AuthPolicySpec {
    fn references(&self) -> Vec<UniqueValue> {
        let mut signers = self.primary.ext_jwt.allowed_signers.clone();
        signers.extend(self.secondary.require_ext_jwt_signer.clone());
        references(&signers).collect()
    }
}

impl Entity for Ca {
    const KIND: Kind = CA;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![
            UniqueValue::new(UniqueIndex::CaId, self.id.as_str()),
            UniqueValue::new(UniqueIndex::CaName, self.spec.name.as_str()),
            UniqueValue::new(UniqueIndex::CaFingerprint, self.fingerprint.as_str()),
        ]
    }

    fn change(owner: Option<Owner>, number: RecordNumber, now: Option<&Self>) -> Change {
        Change::Ca(entity_change(owner, number, now))
    }
}

impl Entity for Signer {
    const KIND: Kind = SIGNER;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let mut values = vec![
            UniqueValue::new(UniqueIndex::SignerId, self.id.as_str()),
            UniqueValue::new(UniqueIndex::SignerName, self.spec.name.as_str()),
            UniqueValue::new(UniqueIndex::SignerIssuer, self.spec.issuer.as_str()),
        ];
        if let Some(kid) = &self.spec.kid {
            values.push(UniqueValue::new(UniqueIndex::SignerKid, kid.as_str()));
        }
        if let Some(certificate) = self.keys.certificate() {
            let fingerprint = certificate.fingerprint.as_str();
            values.push(UniqueValue::new(
                UniqueIndex::SignerFingerprint,
                fingerprint,
            ));
        }
        values
    }

    fn references(&self) -> Vec<UniqueValue> {
        policy_reference(&self.spec.enrollment.auth_policy)
            .into_iter()
            .collect()
    }

    fn change(owner: Option<Owner>, number: RecordNumber, now: Option<&Self>) -> Change {
        Change::Signer(entity_change(owner, number, now))
    }
}
