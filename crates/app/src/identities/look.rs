//! What is shown of identities, and to whom.

use super::find_policy;
use crate::app::{App, View};
use crate::cas;
use crate::enrollments::{self, secrets};
use crate::error::AppError;
use crate::rank::{WaysIn, outranks};
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

/// Puts identities together with what is shown of them to one caller, as of one moment.
pub(crate) struct Onlooker<'a> {
    app: &'a App,
    caller: &'a Caller,
    rows: Rows<'a>,
    ways_in: WaysIn,
    /// Names of policies: most identities of a list have the same one.
    policies: BTreeMap<AuthPolicyId, Option<String>>,
}

/// What is shown is looked for before the first session.
const _: () = assert!(
    ENROLLMENT.byte() < API_SESSION.byte() && AUTHENTICATOR.byte() < API_SESSION.byte(),
    "kinds that are shown with their identity have smaller numbers than sessions"
);

/// What lives under an identity.
#[derive(Default)]
struct Belongings {
    authenticators: Vec<Authenticator>,
    enrollments: Vec<Found<StoredEnrollment>>,
    has_session: bool,
}

impl<'a> Onlooker<'a> {
    pub(crate) fn new(app: &'a App, caller: &'a Caller, view: &'a View) -> Self {
        Self {
            app,
            caller,
            rows: view.rows(),
            ways_in: WaysIn::of(app),
            policies: BTreeMap::new(),
        }
    }

    /// Puts one identity together.
    pub(crate) fn look(&mut self, found: Found<Identity>) -> Result<IdentityView, AppError> {
        let belongings = self.belongings(&found)?;
        let shown = secrets::are_shown(self.ways_in, self.caller, &found.entity);
        let enrollments = belongings
            .enrollments
            .into_iter()
            .map(|stored| secrets::unseal_if(self.app, stored, shown))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(IdentityView {
            has_api_session: belongings.has_session,
            policy_name: self.policy_name(&found.entity.spec.auth_policy)?,
            authenticators: belongings.authenticators,
            ca: self.authority(&enrollments)?,
            enrollments,
            seen_at: self.app.env().now(),
            identity: found.entity,
        })
    }

    /// Whether the caller sees the enrollments of an identity.
    ///
    /// They are those of nobody above it, as in the list of enrollments. Their tokens are another
    /// matter: see [`secrets`].
    fn sees_enrollments(&self, identity: &Identity) -> bool {
        self.caller.identity == identity.id
            || (self.caller.may(enrollments::Read::ACCESS) && outranks(self.caller, identity))
    }

    fn belongings(&self, identity: &Found<Identity>) -> Result<Belongings, StoreError> {
        let shows_enrollments = self.sees_enrollments(&identity.entity);
        let mut belongings = Belongings::default();
        self.rows.each_below(&identity.key, &mut |record| {
            match record.kind() {
                ENROLLMENT if shows_enrollments => belongings.enrollments.push(record.read()?),
                AUTHENTICATOR => belongings.authenticators.push(record.read()?.entity),
                // There may be thousands, behind everything else that is shown.
                API_SESSION => {
                    belongings.has_session = true;
                    return Ok(ControlFlow::Break(()));
                },
                _ => {},
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(belongings)
    }

    /// The authority whose certificate one of the enrollments demands.
    fn authority(
        &self,
        enrollments: &[(Enrollment, Option<EnrollmentSecrets>)],
    ) -> Result<Option<CaRef>, StoreError> {
        let demanded = enrollments
            .iter()
            .find_map(|(enrollment, _)| enrollment.purpose.ca());
        let Some(ca) = demanded else {
            return Ok(None);
        };
        let found = cas::find_if_any(self.rows, ca)?
            .ok_or_else(|| StoreError::corrupt("the authority of an enrollment is lost"))?;
        Ok(Some(CaRef::from(&found.entity)))
    }

    fn policy_name(&mut self, id: &AuthPolicyId) -> Result<Option<String>, StoreError> {
        if let Some(name) = self.policies.get(id) {
            return Ok(name.clone());
        }
        let name = find_policy(self.rows, id)?.map(|policy| policy.entity.name.clone());
        self.policies.insert(id.clone(), name.clone());
        Ok(name)
    }
}
