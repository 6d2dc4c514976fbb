//! What is shown of a session: whose it is, what it has still to answer, what waits for its holder.

use super::judge::authenticator_of;
use super::last_activity;
use crate::app::App;
use crate::signers;
use portcullis_domain::api_session::{ApiSession, OpenFactor};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Credential, ExtensionRequest};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::SignerId;
use portcullis_domain::view::{ApiSessionView, AuthQuestion, IdentityRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;

/// What the holder of a session has still to do.
pub(super) struct StillOpen {
    /// What its client has to answer.
    pub(super) questions: Vec<AuthQuestion>,
    /// The request for another certificate.
    pub(super) extension: Option<ExtensionRequest>,
}

impl StillOpen {
    /// Reads what is open for a session, in a request that brought a good token of the signer
    /// `proved`, if any.
    pub(super) fn read(
        rows: Rows<'_>,
        session: &ApiSession,
        identity: &Identity,
        policy: &AuthPolicy,
        proved: Option<&SignerId>,
    ) -> Result<Self, StoreError> {
        let authenticator = authenticator_of(rows, session)?;
        let extension = match authenticator.as_ref().map(|found| &found.entity.credential) {
            Some(Credential::Cert(cert)) => cert.open_extension(),
            Some(Credential::Updb(_)) | None => None,
        };
        Ok(Self {
            questions: questions(rows, session, identity, policy, proved)?,
            extension,
        })
    }
}

/// What a client has to be told to answer the open factors of a session.
pub(super) fn questions(
    rows: Rows<'_>,
    session: &ApiSession,
    identity: &Identity,
    policy: &AuthPolicy,
    proved: Option<&SignerId>,
) -> Result<Vec<AuthQuestion>, StoreError> {
    session
        .open_factors(policy, proved)
        .into_iter()
        .map(|factor| question(rows, identity, factor))
        .collect()
}

fn question(
    rows: Rows<'_>,
    identity: &Identity,
    factor: OpenFactor,
) -> Result<AuthQuestion, StoreError> {
    match factor {
        OpenFactor::Totp => Ok(AuthQuestion::Totp {
            is_enrolled: identity.attached.totp == TotpState::Verified,
        }),
        OpenFactor::Token(id) => signers::find(rows, &id)?
            .map(|found| AuthQuestion::Token(Box::new(found.entity)))
            .ok_or_else(|| StoreError::corrupt("the signer that a policy demands is lost")),
    }
}

/// Puts a session together with whose it is and what is open for it.
pub(super) fn look(
    app: &App,
    session: ApiSession,
    identity: &Identity,
    open: StillOpen,
) -> ApiSessionView {
    let settings = app.settings();
    let is_admin = identity.has_admin_rights();
    ApiSessionView {
        ends_at: settings.session_lifetimes.end(&session, is_admin),
        questions: open.questions,
        extension: open.extension,
        last_activity_at: last_activity(app, &session),
        timeout: settings.session_timeout,
        identity: IdentityRef::from(identity),
        session,
    }
}
