//! Partial updates of external JWT signers.

use super::{SignerEnrollment, SignerSettings, TargetToken};
use crate::ids::AuthPolicyId;
use crate::patch::assign;
use crate::tags::Tags;
use std::collections::BTreeSet;

/// Members of a signer to change; `None` leaves a member unchanged, and `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignerSettingsPatch {
    pub name: Option<String>,
    /// Whether its tokens are accepted.
    pub enabled: Option<bool>,
    pub issuer: Option<String>,
    pub audience: Option<String>,
    pub kid: Option<Option<String>>,
    pub claims_property: Option<String>,
    pub use_external_id: Option<bool>,
    pub external_auth_url: Option<Option<String>>,
    pub client_id: Option<Option<String>>,
    pub scopes: Option<BTreeSet<String>>,
    /// The token that clients present.
    pub target_token: Option<TargetToken>,
    pub enrollment: SignerEnrollmentPatch,
    pub tags: Option<Tags>,
}

/// Key source members to change; `None` leaves a member unchanged, and `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySourcePatch {
    /// PEM.
    pub certificate: Option<Option<String>>,
    /// URL of a key set.
    pub endpoint: Option<Option<String>>,
}

/// Enrollment members to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignerEnrollmentPatch {
    /// Whether they can enroll for a certificate.
    pub to_cert: Option<bool>,
    /// Whether they can enroll and keep authenticating with tokens.
    pub to_token: Option<bool>,
    /// Authentication policy of the new identities.
    pub auth_policy: Option<AuthPolicyId>,
    pub name_selector: Option<String>,
    /// `Some(None)` removes it.
    pub attribute_selector: Option<Option<String>>,
}

impl SignerSettingsPatch {
    /// Writes the set members into `settings`.
    pub fn apply(self, settings: &mut SignerSettings) {
        assign(&mut settings.name, self.name);
        assign(&mut settings.enabled, self.enabled);
        assign(&mut settings.issuer, self.issuer);
        assign(&mut settings.audience, self.audience);
        assign(&mut settings.kid, self.kid);
        assign(&mut settings.claims_property, self.claims_property);
        assign(&mut settings.use_external_id, self.use_external_id);
        assign(&mut settings.external_auth_url, self.external_auth_url);
        assign(&mut settings.client_id, self.client_id);
        assign(&mut settings.scopes, self.scopes);
        assign(&mut settings.target_token, self.target_token);
        self.enrollment.apply(&mut settings.enrollment);
        assign(&mut settings.tags, self.tags);
    }
}

impl SignerEnrollmentPatch {
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
    use crate::signer::{KeySource, Signer, SignerSpec};

    fn signer() -> Signer {
        let keys = KeySource::KeySet("https://idp.example.test/keys".to_owned());
        let mut settings = SignerSettings::new("idp", "https://idp.example.test", "network", true);
        settings.kid = Some("k".to_owned());
        let spec = SignerSpec::new(keys, settings);
        Signer::new(SignerId::from_wire("s"), spec, Timestamp::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn only_set_members_change() {
        let (before, now) = (signer(), Timestamp::UNIX_EPOCH);
        let mut after = before.clone();
        after.patch(SignerSettingsPatch::default(), now).unwrap();
        assert_eq!(after.spec, before.spec);
        let patch = SignerSettingsPatch {
            kid: Some(None),
            enabled: Some(false),
            enrollment: SignerEnrollmentPatch {
                to_cert: Some(true),
                ..SignerEnrollmentPatch::default()
            },
            ..SignerSettingsPatch::default()
        };
        after.patch(patch, now).unwrap();
        let mut expected = before.spec;
        expected.terms = expected.terms.next_if(true);
        expected.settings.kid = None;
        expected.settings.enabled = false;
        expected.settings.enrollment.to_cert = true;
        assert_eq!(after.spec, expected);
    }

    #[test]
    fn terms_change_with_what_makes_tokens_good_and_names_their_holders() {
        let counts: [fn(&mut SignerSettingsPatch); 5] = [
            |patch| patch.issuer = Some("x".to_owned()),
            |patch| patch.audience = Some("x".to_owned()),
            |patch| patch.kid = Some(None),
            |patch| patch.claims_property = Some("x".to_owned()),
            |patch| patch.use_external_id = Some(true),
        ];
        let is_told: [fn(&mut SignerSettingsPatch); 8] = [
            |patch| patch.name = Some("x".to_owned()),
            |patch| patch.enabled = Some(false),
            |patch| patch.client_id = Some(Some("x".to_owned())),
            |patch| patch.scopes = Some(["s".to_owned()].into()),
            |patch| patch.external_auth_url = Some(Some("x".to_owned())),
            |patch| patch.target_token = Some(TargetToken::Id),
            |patch| patch.enrollment.to_cert = Some(true),
            |patch| patch.audience = Some(signer().spec.settings.audience),
        ];
        let all = counts.map(|set| (set, true)).into_iter();
        for (set, is_other) in all.chain(is_told.map(|set| (set, false))) {
            let before = signer();
            let (mut after, mut patch) = (before.clone(), SignerSettingsPatch::default());
            set(&mut patch);
            let terms = |signer: &Signer| signer.spec.terms;
            after.patch(patch.clone(), before.updated_at).unwrap();
            assert_eq!(terms(&after) != terms(&before), is_other, "{patch:?}");
            let changed = after.clone();
            after
                .replace(before.spec.clone(), before.updated_at)
                .unwrap();
            assert_eq!(terms(&after) != terms(&changed), is_other, "{patch:?}");
            assert_eq!(
                terms(&after) != terms(&before),
                is_other,
                "there is no way back"
            );
        }
        let mut after = signer();
        let mut spec = after.spec.clone();
        spec.keys = KeySource::KeySet("https://else.example.test/keys".to_owned());
        after.replace(spec, Timestamp::UNIX_EPOCH).unwrap();
        assert_ne!(after.spec.terms, signer().spec.terms);
    }

    #[test]
    fn blank_members_are_refused_and_change_nothing() {
        for field in ["name", "issuer", "audience"] {
            let blank = |member| (member == field).then(|| " ".to_owned());
            let patch = SignerSettingsPatch {
                name: blank("name"),
                issuer: blank("issuer"),
                audience: blank("audience"),
                ..SignerSettingsPatch::default()
            };
            let mut after = signer();
            let error = after.patch(patch, Timestamp::UNIX_EPOCH).unwrap_err();
            assert_eq!(error.field, field);
            assert_eq!(after, signer());
        }
    }
}
