//! Partial update of an external JWT signer.

use super::{SignerEnrollment, SignerSpec, TargetToken};
use crate::ids::AuthPolicyId;
use crate::patch::assign;
use crate::tags::Tags;
use std::collections::BTreeSet;

/// The members of a signer to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignerPatch {
    /// New name.
    pub name: Option<String>,
    /// Whether its tokens count.
    pub enabled: Option<bool>,
    /// New issuer.
    pub issuer: Option<String>,
    /// New audience.
    pub audience: Option<String>,
    /// New key id; `Some(None)` takes it away.
    pub kid: Option<Option<String>>,
    /// New selector of the claim that names the identity.
    pub claims_property: Option<String>,
    /// Whether that claim is the external id.
    pub use_external_id: Option<bool>,
    /// Where people log in; `Some(None)` takes it away.
    pub external_auth_url: Option<Option<String>>,
    /// New OAuth client id; `Some(None)` takes it away.
    pub client_id: Option<Option<String>>,
    /// New OAuth scopes, all of them.
    pub scopes: Option<BTreeSet<String>>,
    /// Which token clients are to present.
    pub target_token: Option<TargetToken>,
    /// How holders of its tokens become identities.
    pub enrollment: EnrollmentPatch,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// Where the keys are to come from, as far as that changes; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPatch {
    /// A certificate, PEM; `Some(None)` takes it away.
    pub certificate: Option<Option<String>>,
    /// The address of a key set; `Some(None)` takes it away.
    pub endpoint: Option<Option<String>>,
}

/// How holders of a signer's tokens become identities, as far as that changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnrollmentPatch {
    /// Whether they may ask for a certificate.
    pub to_cert: Option<bool>,
    /// Whether they may go on with tokens.
    pub to_token: Option<bool>,
    /// The policy of the identities made.
    pub auth_policy: Option<AuthPolicyId>,
    /// New selector of the claim that becomes the name.
    pub name_selector: Option<String>,
    /// New selector of the claim that becomes the role attributes; `Some(None)` takes it away.
    pub attribute_selector: Option<Option<String>>,
}

impl SignerPatch {
    /// Writes the set members into `spec`.
    pub fn apply(self, spec: &mut SignerSpec) {
        assign(&mut spec.name, self.name);
        assign(&mut spec.enabled, self.enabled);
        assign(&mut spec.issuer, self.issuer);
        assign(&mut spec.audience, self.audience);
        assign(&mut spec.kid, self.kid);
        assign(&mut spec.claims_property, self.claims_property);
        assign(&mut spec.use_external_id, self.use_external_id);
        assign(&mut spec.external_auth_url, self.external_auth_url);
        assign(&mut spec.client_id, self.client_id);
        assign(&mut spec.scopes, self.scopes);
        assign(&mut spec.target_token, self.target_token);
        self.enrollment.apply(&mut spec.enrollment);
        assign(&mut spec.tags, self.tags);
    }
}

impl EnrollmentPatch {
    fn apply(self, rules: &mut SignerEnrollment) {
        assign(&mut rules.to_cert, self.to_cert);
        assign(&mut rules.to_token, self.to_token);
        assign(&mut rules.auth_policy, self.auth_policy);
        assign(&mut rules.name_selector, self.name_selector);
        assign(&mut rules.attribute_selector, self.attribute_selector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::ids::SignerId;
    use crate::signer::{KeySource, Signer};

    fn signer() -> Signer {
        let keys = KeySource::KeySet("https://idp.example.test/keys".to_owned());
        let mut spec = SignerSpec::new("idp", "https://idp.example.test", "network", true);
        spec.kid = Some("k".to_owned());
        Signer::new(SignerId::from_wire("s"), keys, spec, Timestamp::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn only_set_members_change() {
        let (before, now) = (signer(), Timestamp::UNIX_EPOCH);
        let mut after = before.clone();
        after
            .merge(before.keys.clone(), SignerPatch::default(), now)
            .unwrap();
        assert_eq!(after, before);
        let patch = SignerPatch {
            kid: Some(None),
            enabled: Some(false),
            enrollment: EnrollmentPatch {
                to_cert: Some(true),
                ..EnrollmentPatch::default()
            },
            ..SignerPatch::default()
        };
        after.merge(before.keys.clone(), patch, now).unwrap();
        let mut expected = before;
        expected.terms = expected.terms.followed(true);
        expected.spec.kid = None;
        expected.spec.enabled = false;
        expected.spec.enrollment.to_cert = true;
        assert_eq!(after, expected);
    }

    #[test]
    fn terms_change_with_what_makes_tokens_good_and_names_their_holders() {
        let counts: [fn(&mut SignerPatch); 5] = [
            |patch| patch.issuer = Some("x".to_owned()),
            |patch| patch.audience = Some("x".to_owned()),
            |patch| patch.kid = Some(None),
            |patch| patch.claims_property = Some("x".to_owned()),
            |patch| patch.use_external_id = Some(true),
        ];
        let is_told: [fn(&mut SignerPatch); 8] = [
            |patch| patch.name = Some("x".to_owned()),
            |patch| patch.enabled = Some(false),
            |patch| patch.client_id = Some(Some("x".to_owned())),
            |patch| patch.scopes = Some(["s".to_owned()].into()),
            |patch| patch.external_auth_url = Some(Some("x".to_owned())),
            |patch| patch.target_token = Some(TargetToken::Id),
            |patch| patch.enrollment.to_cert = Some(true),
            |patch| patch.audience = Some(signer().spec.audience),
        ];
        let all = counts.map(|set| (set, true)).into_iter();
        for (set, is_other) in all.chain(is_told.map(|set| (set, false))) {
            let before = signer();
            let (mut after, mut patch) = (before.clone(), SignerPatch::default());
            set(&mut patch);
            let keys = || before.keys.clone();
            after
                .merge(keys(), patch.clone(), before.updated_at)
                .unwrap();
            assert_eq!(after.terms != before.terms, is_other, "{patch:?}");
            let changed = after.clone();
            after
                .replace(keys(), before.spec.clone(), before.updated_at)
                .unwrap();
            assert_eq!(after.terms != changed.terms, is_other, "{patch:?}");
            assert_eq!(
                after.terms != before.terms,
                is_other,
                "there is no way back"
            );
        }
        let mut after = signer();
        let keys = KeySource::KeySet("https://else.example.test/keys".to_owned());
        after
            .merge(keys, SignerPatch::default(), Timestamp::UNIX_EPOCH)
            .unwrap();
        assert_ne!(after.terms, signer().terms);
    }

    #[test]
    fn blank_members_are_refused_and_change_nothing() {
        for field in ["name", "issuer", "audience"] {
            let blank = |member| (member == field).then(|| " ".to_owned());
            let patch = SignerPatch {
                name: blank("name"),
                issuer: blank("issuer"),
                audience: blank("audience"),
                ..SignerPatch::default()
            };
            let mut after = signer();
            let keys = after.keys.clone();
            let error = after.merge(keys, patch, Timestamp::UNIX_EPOCH).unwrap_err();
            assert_eq!(error.field, field);
            assert_eq!(after, signer());
        }
    }
}
