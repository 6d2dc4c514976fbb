//! Views of identities, restricted to what the caller may see.

use crate::app::{App, StoreView};
use crate::enrollment_records::{self, secrets};
use crate::error::AppError;
use crate::privilege::{CredentialGuard, can_impersonate};
use crate::records::{find_ca, find_policy};
use portcullis_domain::access::{Action as _, Caller};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthPolicyId;
use portcullis_domain::view::{CaRef, IdentityView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, ENROLLMENT, Found, Rows, StoredEnrollment,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Builds views of identities for one caller, from one snapshot.
pub(crate) struct IdentityViewBuilder<'a> {
    app: &'a App,
    caller: &'a Caller,
    rows: Rows<'a>,
    credential_guard: CredentialGuard,
    /// Cached policy names: most identities of a list share a policy.
    policies: BTreeMap<AuthPolicyId, Option<String>>,
}

/// The scan of dependents stops at the first session.
const _: () = assert!(
    ENROLLMENT.byte() < API_SESSION.byte() && AUTHENTICATOR.byte() < API_SESSION.byte(),
    "kinds in the view of an identity must have smaller numbers than sessions"
);

/// Dependents of an identity that its view shows.
#[derive(Default)]
struct IdentityDependents {
    authenticators: Vec<Authenticator>,
    enrollments: Vec<Found<StoredEnrollment>>,
    has_session: bool,
}

impl<'a> IdentityViewBuilder<'a> {
    pub(crate) fn new(app: &'a App, caller: &'a Caller, view: &'a StoreView) -> Self {
        Self {
            app,
            caller,
            rows: view.rows(),
            credential_guard: CredentialGuard::new(app),
            policies: BTreeMap::new(),
        }
    }

    /// Builds the view of one identity.
    pub(crate) fn build(&mut self, found: Found<Identity>) -> Result<IdentityView, AppError> {
        let dependents = self.dependents(&found)?;
        let is_visible = secrets::are_visible(self.credential_guard, self.caller, &found.entity);
        let enrollments = dependents
            .enrollments
            .into_iter()
            .map(|stored| secrets::unseal_if(self.app, stored, is_visible))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(IdentityView {
            has_api_session: dependents.has_session,
            edge_router_connection: self
                .app
                .live_network()
                .identity_connection(&found.entity.id),
            policy_name: self.policy_name(&found.entity.spec.auth_policy)?,
            authenticators: dependents.authenticators,
            ca: self.required_ca(&enrollments)?,
            enrollments,
            as_of: self.app.env().now(),
            identity: found.entity,
        })
    }

    /// Whether the caller sees the enrollments of an identity.
    ///
    /// Enrollments of identities with privileges that the caller lacks are hidden, as in the list
    /// of enrollments. For their tokens see [`secrets`].
    fn can_see_enrollments(&self, identity: &Identity) -> bool {
        self.caller.identity == identity.id
            || (self.caller.has_access(enrollment_records::Read::ACCESS)
                && can_impersonate(self.caller, identity))
    }

    fn dependents(&self, identity: &Found<Identity>) -> Result<IdentityDependents, StoreError> {
        let shows_enrollments = self.can_see_enrollments(&identity.entity);
        let mut dependents = IdentityDependents::default();
        self.rows.for_each_dependent(&identity.key, &mut |record| {
            match record.kind() {
                ENROLLMENT if shows_enrollments => dependents.enrollments.push(record.read()?),
                AUTHENTICATOR => dependents.authenticators.push(record.read()?.entity),
                // There may be thousands of sessions; they come after everything else that is
                // shown.
                API_SESSION => {
                    dependents.has_session = true;
                    return Ok(ControlFlow::Break(()));
                },
                _ => {},
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(dependents)
    }

    /// The CA required by one of the enrollments.
    fn required_ca(
        &self,
        enrollments: &[(Enrollment, Option<EnrollmentSecrets>)],
    ) -> Result<Option<CaRef>, StoreError> {
        let demanded = enrollments
            .iter()
            .find_map(|(enrollment, _)| enrollment.purpose.ca());
        let Some(ca) = demanded else {
            return Ok(None);
        };
        let found = find_ca(self.rows, ca)?
            .ok_or_else(|| StoreError::corrupt("the CA of an enrollment is missing"))?;
        Ok(Some(CaRef::from(&found.entity)))
    }

    fn policy_name(&mut self, id: &AuthPolicyId) -> Result<Option<String>, StoreError> {
        if let Some(name) = self.policies.get(id) {
            return Ok(name.clone());
        }
        let name = find_policy(self.rows, id)?.map(|policy| policy.entity.spec.name.clone());
        self.policies.insert(id.clone(), name.clone());
        Ok(name)
    }
}
