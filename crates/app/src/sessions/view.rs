//! Views of API sessions.

use super::last_activity;
use crate::app::App;
use crate::records::find_signer;
use crate::records::login_authenticator;
use portcullis_domain::api_session::{ApiSession, OpenFactor};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Credential, ExtensionRequest};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::SignerId;
use portcullis_domain::view::{ApiSessionView, IdentityRef, OpenFactorView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;

/// Open factors and pending requests of a session.
pub(super) struct PendingActions {
    pub(super) open_factors: Vec<OpenFactorView>,
    /// A pending request to extend the certificate.
    pub(super) extension: Option<ExtensionRequest>,
}

impl PendingActions {
    /// Loads what is open for a session, given the signer whose token was verified.
    pub(super) fn load(
        rows: Rows<'_>,
        session: &ApiSession,
        identity: &Identity,
        policy: &AuthPolicy,
        verified_signer: Option<&SignerId>,
    ) -> Result<Self, StoreError> {
        let authenticator = login_authenticator(rows, session)?;
        let extension = match authenticator.as_ref().map(|found| &found.entity.credential) {
            Some(Credential::Cert(cert)) => cert.open_extension(),
            Some(Credential::Updb(_)) | None => None,
        };
        Ok(Self {
            open_factors: open_factor_views(rows, session, identity, policy, verified_signer)?,
            extension,
        })
    }
}

/// Views of the open factors of a session.
pub(crate) fn open_factor_views(
    rows: Rows<'_>,
    session: &ApiSession,
    identity: &Identity,
    policy: &AuthPolicy,
    verified_signer: Option<&SignerId>,
) -> Result<Vec<OpenFactorView>, StoreError> {
    session
        .open_factors(policy, verified_signer)
        .into_iter()
        .map(|factor| open_factor_view(rows, identity, factor))
        .collect()
}

fn open_factor_view(
    rows: Rows<'_>,
    identity: &Identity,
    factor: OpenFactor,
) -> Result<OpenFactorView, StoreError> {
    match factor {
        OpenFactor::Totp => Ok(OpenFactorView::Totp {
            is_enrolled: identity.attached.totp == TotpState::Verified,
        }),
        OpenFactor::Token(id) => find_signer(rows, &id)?
            .map(|found| OpenFactorView::Token(Box::new(found.entity)))
            .ok_or_else(|| StoreError::corrupt("the signer required by a policy is missing")),
    }
}

pub(super) fn build_view(
    app: &App,
    session: ApiSession,
    identity: &Identity,
    open: PendingActions,
) -> ApiSessionView {
    let settings = app.settings();
    let is_admin = identity.has_admin_rights();
    ApiSessionView {
        access_token: None,
        ends_at: settings.session_lifetimes.expires_at(&session, is_admin),
        open_factors: open.open_factors,
        extension: open.extension,
        last_activity_at: last_activity(app, &session),
        timeout: settings.session_timeout,
        identity: IdentityRef::from(identity),
        session,
    }
}
