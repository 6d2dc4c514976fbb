//! Tables of authentication policies, third-party authorities and signers.

use super::UniqueIndex;
use super::managed::StoredSpec;
use super::values::{UniqueValue, policy_reference, references};
use portcullis_domain::auth_policy::AuthPolicySpec;
use portcullis_domain::ca::CaSpec;
use portcullis_domain::signer::SignerSpec;

impl StoredSpec for AuthPolicySpec {
    fn references(&self) -> Vec<UniqueValue> {
        let mut signers = self.primary.ext_jwt.allowed_signers.clone();
        signers.extend(self.secondary.require_ext_jwt_signer.clone());
        references(&signers).collect()
    }
}

impl StoredSpec for CaSpec {
    fn further_values(&self) -> Vec<UniqueValue> {
        let fingerprint = self.fingerprint.as_str();
        vec![UniqueValue::new(UniqueIndex::CaFingerprint, fingerprint)]
    }
}

impl StoredSpec for SignerSpec {
    fn further_values(&self) -> Vec<UniqueValue> {
        let certificate = self.keys.certificate();
        let values = [
            (UniqueIndex::SignerIssuer, Some(&self.settings.issuer)),
            (UniqueIndex::SignerKid, self.settings.kid.as_ref()),
            (
                UniqueIndex::SignerFingerprint,
                certificate.map(|certificate| &certificate.fingerprint),
            ),
        ];
        values
            .into_iter()
            .filter_map(|(index, value)| Some(UniqueValue::new(index, value?.as_str())))
            .collect()
    }

    fn references(&self) -> Vec<UniqueValue> {
        policy_reference(&self.settings.enrollment.auth_policy)
            .into_iter()
            .collect()
    }
}
