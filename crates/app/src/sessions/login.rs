//! Login: exchanges a credential for a session.
//!
//! Whatever is wrong with a credential, its owner or its policy, the response is the same; for
//! tokens it also names the signers that are trusted. The reason goes to the log and the audit
//! trail. Checks made outside the transaction are repeated inside it against the current records.

mod attempt_event;
mod certificate;
mod password;
mod password_attempt;
mod password_failure;
mod token;

pub use certificate::with_certificate;
pub use password::with_password;
pub(crate) use password_attempt::PasswordAttempt;
pub(crate) use password_failure::{PasswordPurpose, record_failed_password, reset_wrong_passwords};
pub use token::with_token;

use attempt_event::AttemptEvent;

use super::sealed_token::seal_token;
use super::session_quota::EvictionPlan;
use super::{PendingActions, oidc_hash, second_factor_token, token_hash};
use crate::app::App;
use crate::error::AppError;
use crate::records::{get_policy, totp_state};
use crate::services::RequestedConfigTypes;
use crate::signers::{BearerTokenError, BearerTokens, TokenChallenge};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::audit::Actor;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::ExtensionRequest;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::entropy::{self, EntropyError};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::{ApiSessionId, RecordNumber, SignerId};
use portcullis_domain::oidc_session::{OidcClient, OidcSession};
use portcullis_domain::view::{ApiSessionView, OpenFactorView};
use portcullis_oidc::login::LOGIN_LIFETIME;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{API_SESSION, Found, Rows, RowsMut, WriteError, identity_key};
use secrecy::SecretString;
use std::borrow::Cow;
use std::sync::Arc;

/// What a client sends with its credential.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest<'t> {
    /// Config types that the client understands.
    pub config_types: Vec<String>,
    pub env_info: EnvInfo,
    pub sdk_info: SdkInfo,
    /// Bearer tokens of external signers.
    pub tokens: BearerTokens<'t>,
    /// The OIDC client that the login is for, if it is one of OIDC.
    pub oidc: Option<OidcClient>,
}

#[derive(Debug)]
pub struct NewSession {
    pub view: ApiSessionView,
    /// Shown only once. For a session of OIDC it opens nothing; signed tokens do.
    pub token: SecretString,
    /// The signer whose token was accepted as second factor.
    pub second_factor: Option<SignerId>,
    /// The challenge for a client that lacks the bearer token of its second factor.
    pub challenge: Option<TokenChallenge>,
}

/// Why a login opened no session.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The credential was refused; the reason is for the log only.
    #[error("login refused: {0}")]
    Refused(Cow<'static, str>),
    /// No token of an external signer was accepted.
    #[error("login refused: no token was accepted")]
    NoToken(TokenChallenge),
    /// The login could not be processed.
    #[error(transparent)]
    Failed(#[from] AppError),
}

impl LoginError {
    fn refused(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused(reason.into())
    }
}

impl From<StoreError> for LoginError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<WriteError> for LoginError {
    fn from(error: WriteError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<EntropyError> for LoginError {
    fn from(error: EntropyError) -> Self {
        Self::Failed(error.into())
    }
}

/// A credential that was verified, of any login method.
///
/// [`open_session`] checks the owner and its policy; implementations add what is specific to the
/// method.
trait VerifiedCredential: Clone + Send + 'static {
    /// Number of the identity that logs in.
    fn identity(&self) -> RecordNumber;

    /// What the lifetime of the session is bound to.
    fn opened_by(&self) -> OpenedBy;

    /// Checks that the credential is unchanged since it was verified.
    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError>;

    /// Checks that a policy allows this method.
    fn check_policy(&self, policy: &AuthPolicy, now: Timestamp) -> Result<(), LoginError>;

    /// Writes what the login changes besides the session, and completes the session. Returns the
    /// pending request to extend the certificate, if there is one.
    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError>;
}

/// Opens a session for a verified credential.
async fn open_session(
    app: &App,
    origin: &Origin,
    credential: impl VerifiedCredential,
    login: LoginRequest<'_>,
    event: &mut AttemptEvent,
) -> Result<NewSession, LoginError> {
    let now = app.env().now();
    event.note(credential.identity(), credential.opened_by());
    // Refuses early what need not wait for the store.
    let (identity, policy, config_types) = {
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let (identity, policy) = authorize(view.rows(), &credential, now)?;
        event.note_owner(&identity.entity, &policy);
        let named = login.config_types.iter().map(String::as_str);
        let wanted = RequestedConfigTypes::resolve(view.rows(), named)?;
        (identity, policy, wanted.to_names())
    };
    let second_factor =
        second_factor_token::verify(app, &identity.entity, &policy, login.tokens).await?;
    let fault = second_factor.fault();
    let verified_signer = second_factor.into_token().map(|proof| proof.signer);
    let token = entropy::uuid(&*app.env().entropy)?;
    let owner = credential.identity();
    let (id, hash) = if login.oidc.is_some() {
        let id = ApiSessionId::from_wire(entropy::uuid(&*app.env().entropy)?);
        let hash = oidc_hash(app, &id);
        (id, hash)
    } else {
        let id = ApiSessionId::generate(&*app.env().entropy)?;
        (id, token_hash(app, &token))
    };
    let opened_by = credential.opened_by();
    let mut session = ApiSession::new(id, identity.entity.id, opened_by, hash, now);
    session.oidc = login
        .oidc
        .map(|client| OidcSession::pending(client, clock::saturating_add(now, LOGIN_LIFETIME)));
    session.config_types = config_types;
    session.ip_address = origin.address().to_string();
    let key = identity_key(owner).dependent(API_SESSION, app.next_number(API_SESSION).0);
    if session.oidc.is_none() {
        session.token = Some(seal_token(app, &key, &token).map_err(LoginError::Failed)?);
    }
    let eviction = EvictionPlan::new(app, owner, &session);
    let actor = Actor::without_session(origin, session.identity.as_str());
    let second_factor = verified_signer.clone();
    let (env_info, sdk_info) = (login.env_info, login.sdk_info);
    let (session, identity, open) = app
        .commit(actor, move |rows| {
            rows.set_removal_verb("displace");
            // Again: the records may have changed since, in particular while the tokens were
            // verified.
            let (identity, policy) = authorize(rows.rows(), &credential, now)?;
            let mut session = session.clone();
            let totp = totp_state(rows.rows(), &identity)?;
            session.totp.is_required = totp == TotpState::Verified;
            let mut after = identity.entity.clone();
            after.env_info.clone_from(&env_info);
            after.sdk_info.clone_from(&sdk_info);
            let extension = credential.apply(rows, &mut after, &mut session)?;
            if after != identity.entity {
                rows.replace(&identity.key, &identity.entity, &after)?;
            }
            eviction.apply(rows)?;
            rows.insert(&key, &session)?;
            let open_factors = super::open_factor_views(
                rows.rows(),
                &session,
                &after,
                &policy,
                verified_signer.as_ref(),
            )?;
            let open = PendingActions {
                open_factors,
                extension,
            };
            Ok::<_, LoginError>((session, after, open))
        })
        .await?;
    let view = super::build_view(app, session, &identity, open);
    Ok(NewSession {
        challenge: token_challenge(&view, fault),
        view,
        second_factor,
        token: token.into(),
    })
}

/// The challenge for a holder that has to send a bearer token with each request.
fn token_challenge(view: &ApiSessionView, fault: BearerTokenError) -> Option<TokenChallenge> {
    view.open_factors.iter().find_map(|factor| match factor {
        OpenFactorView::Token(signer) => Some(TokenChallenge::for_signer(signer, fault)),
        OpenFactorView::Totp { .. } => None,
    })
}

/// Authorizes a credential against the current records.
fn authorize(
    rows: Rows<'_>,
    credential: &impl VerifiedCredential,
    now: Timestamp,
) -> Result<(Found<Identity>, Arc<AuthPolicy>), LoginError> {
    let key = identity_key(credential.identity());
    let entity: Identity = rows
        .get(&key)?
        .ok_or(LoginError::refused("the identity was deleted"))?;
    credential.recheck(rows, &entity)?;
    if !credential.opened_by().is_allowed_for(entity.kind) {
        return Err(LoginError::refused("router identities cannot log in"));
    }
    if entity.is_disabled(now) {
        return Err(LoginError::refused("the identity is disabled"));
    }
    let policy = get_policy(rows, &entity)?;
    credential.check_policy(&policy, now)?;
    Ok((Found { key, entity }, policy))
}

/// Checks that an identity counts at least one authenticator: absence is never permission.
fn require_authenticator(identity: &Identity) -> Result<(), LoginError> {
    if identity.attached.authenticators == 0 {
        let id = &identity.id;
        return Err(StoreError::corrupt(format!("identity {id} counts no authenticators")).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
