//! What changes of the model may have an effect on.

use portcullis_wire::control::data_model::{RelatedEntity, Revocation, ServicePolicyChange};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What may be judged otherwise after changes of the model. All else is as before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// The model was replaced.
    pub everything: bool,
    /// Identities that changed, or that a policy relates no more, or anew.
    pub identities: BTreeSet<String>,
    pub services: BTreeSet<String>,
    /// Policies that changed, or whose services or checks did.
    pub policies: BTreeSet<String>,
    /// Identities, sessions and tokens with revocations.
    pub revoked: BTreeSet<String>,
    /// Configurations or their types.
    pub configs: bool,
    /// Public keys.
    pub keys: bool,
}

impl Touched {
    pub(in crate::access) fn everything() -> Self {
        Self {
            everything: true,
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.everything
            && self.identities.is_empty()
            && self.services.is_empty()
            && self.policies.is_empty()
            && self.revoked.is_empty()
            && !self.configs
            && !self.keys
    }

    pub(super) const fn configs(&mut self) {
        self.configs = true;
    }

    pub(super) const fn keys(&mut self) {
        self.keys = true;
    }

    pub(super) fn identity(&mut self, id: &str) {
        self.identities.insert(id.to_owned());
    }

    pub(super) fn identities<'a>(&mut self, ids: impl IntoIterator<Item = &'a Arc<str>>) {
        self.identities.extend(ids.into_iter().map(owned));
    }

    pub(super) fn service(&mut self, id: &str) {
        self.services.insert(id.to_owned());
    }

    pub(super) fn policy(&mut self, id: &str) {
        self.policies.insert(id.to_owned());
    }

    pub(super) fn policies<'a>(&mut self, ids: impl IntoIterator<Item = &'a Arc<str>>) {
        self.policies.extend(ids.into_iter().map(owned));
    }

    pub(super) fn revocation(&mut self, revocation: &Revocation) {
        self.revoked.insert(revocation.id.clone());
    }

    pub(super) fn relation(&mut self, change: &ServicePolicyChange) {
        if change.entity_type == RelatedEntity::Identity {
            self.identities.extend(change.entity_ids.iter().cloned());
        } else {
            self.policy(&change.policy_id);
        }
    }
}

fn owned(id: &Arc<str>) -> String {
    id.as_ref().to_owned()
}
