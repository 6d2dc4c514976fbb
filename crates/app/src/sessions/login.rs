//! Login: a credential goes in, a session comes out.
//!
//! Whatever is wrong with a credential, its owner or its policy, the answer outside is one and the
//! same; the reason goes to the log. What was checked outside the transaction is checked again
//! inside it against the records as they are then.

mod attempt;
mod certificate;
mod password;
mod refusal;
mod token;

pub(crate) use attempt::Attempt;
pub use certificate::with_certificate;
pub use password::with_password;
pub(crate) use refusal::{Guess, forgive, note_refusal};
pub use token::with_token;

use super::room::Room;
use super::{StillOpen, hash, second_token};
use crate::app::App;
use crate::error::AppError;
use crate::identities::policy_of;
use crate::mfa;
use crate::services::Wanted;
use crate::signers::{BearerTokens, Demand, TokenFault};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, OpenedBy, SessionTotp};
use portcullis_domain::audit::Actor;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::ExtensionRequest;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, EntropyError};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::{ApiSessionId, Number};
use portcullis_domain::view::{ApiSessionView, AuthQuestion};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{API_SESSION, Found, Rows, RowsMut, WriteError, identity_key};
use secrecy::SecretString;
use std::sync::Arc;

/// What a client says with its credential.
#[derive(Debug, Clone, Default)]
pub struct Login {
    /// The types of configurations that it wants to see.
    pub config_types: Vec<String>,
    /// Its machine.
    pub env_info: EnvInfo,
    /// Its software.
    pub sdk_info: SdkInfo,
    /// The tokens of external signers that came along.
    pub tokens: BearerTokens,
}

/// A session that a login opened.
#[derive(Debug)]
pub struct NewSession {
    /// The session.
    pub view: ApiSessionView,
    /// Its token, which is shown this once.
    pub token: SecretString,
    /// What its holder is told who lacks the token that is the second factor.
    pub demand: Option<Demand>,
}

/// A login did not open a session.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The credential does not let anybody in; the reason is for the log only.
    #[error("login refused: {0}")]
    Refused(&'static str),
    /// No token of an external signer lets anybody in.
    #[error("login refused: no token lets anybody in")]
    NoToken(Demand),
    /// The login could not be judged.
    #[error(transparent)]
    Failed(#[from] AppError),
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

/// A credential that was found to be good, and what follows from it.
///
/// Its owner and the owner's policy are judged by [`open`]; what a way adds to that is here.
trait Way: Clone + Send + 'static {
    /// Number of the identity that it lets in.
    fn identity(&self) -> Number;

    /// What the session will live no longer than.
    fn opened_by(&self) -> OpenedBy;

    /// Checks that what the credential was judged by is still so.
    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError>;

    /// Checks that a policy lets this in.
    fn admit(&self, policy: &AuthPolicy, now: Timestamp) -> Result<(), LoginError>;

    /// Writes down what the login changes besides the session, and completes the session. Answers
    /// the request for another certificate, if one waits for the holder.
    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError>;
}

/// Opens a session for whom a credential lets in.
async fn open(
    app: &App,
    origin: &Origin,
    way: impl Way,
    login: Login,
) -> Result<NewSession, LoginError> {
    let now = app.env().now();
    // What is refused now need not wait for its turn at the store.
    let (identity, policy, config_types) = {
        let view = app.snapshot().map_err(LoginError::Failed)?;
        let (identity, policy) = judge(view.rows(), &way, now)?;
        let named = login.config_types.iter().map(String::as_str);
        let wanted = Wanted::read(view.rows(), named)?;
        (identity, policy, wanted.to_names())
    };
    let (proved, fault) =
        match second_token::prove(app, &identity.entity, &policy, &login.tokens).await? {
            Ok(proof) => (proof.map(|proof| proof.signer), TokenFault::Missing),
            Err(fault) => (None, fault),
        };
    let token = entropy::uuid(&*app.env().entropy)?;
    let owner = way.identity();
    let session = ApiSession {
        id: ApiSessionId::generate(&*app.env().entropy)?,
        created_at: now,
        last_activity_at: now,
        identity: identity.entity.id,
        opened_by: way.opened_by(),
        terms: None,
        certificate: None,
        token_hash: hash(app, &token),
        config_types,
        ip_address: origin.address.to_string(),
        totp: SessionTotp::default(),
        is_cert_extendable: false,
        improper_client_cert_chain: false,
    };
    let key = identity_key(owner).dependent(API_SESSION, app.number(API_SESSION).0);
    let room = Room::for_one_more(app, owner, &session);
    let actor = Actor::stranger(origin, session.identity.as_str());
    let (session, identity, open) = app
        .commit(actor, move |rows| {
            rows.removal("displace");
            let (identity, policy) = judge(rows.rows(), &way, now)?;
            let mut session = session.clone();
            let totp = mfa::state(rows.rows(), &identity)?;
            session.totp.is_required = totp == TotpState::Verified;
            let mut after = identity.entity.clone();
            remember_client(&mut after, &login);
            let extension = way.settle(rows, &mut after, &mut session)?;
            if after != identity.entity {
                rows.replace(&identity.key, &identity.entity, &after)?;
            }
            room.make(rows)?;
            rows.insert(&key, &session)?;
            let questions =
                super::questions(rows.rows(), &session, &after, &policy, proved.as_ref())?;
            let open = StillOpen {
                questions,
                extension,
            };
            Ok::<_, LoginError>((session, after, open))
        })
        .await?;
    let view = super::look(app, session, &identity, open);
    Ok(NewSession {
        demand: demand(&view, fault),
        view,
        token: token.into(),
    })
}

/// What the holder of a session is told who has to bring a token with each request.
fn demand(view: &ApiSessionView, fault: TokenFault) -> Option<Demand> {
    view.questions.iter().find_map(|question| match question {
        AuthQuestion::Token(signer) => Some(Demand::of_one(signer, fault)),
        AuthQuestion::Totp { .. } => None,
    })
}

/// Judges whom a credential lets in by the records as they are now.
fn judge(
    rows: Rows<'_>,
    way: &impl Way,
    now: Timestamp,
) -> Result<(Found<Identity>, Arc<AuthPolicy>), LoginError> {
    let key = identity_key(way.identity());
    let entity: Identity = rows
        .get(&key)?
        .ok_or(LoginError::Refused("the identity is gone"))?;
    way.recheck(rows, &entity)?;
    if !way.opened_by().fits(entity.kind) {
        return Err(LoginError::Refused("it is the identity of a router"));
    }
    if entity.is_disabled(now) {
        return Err(LoginError::Refused("the identity is disabled"));
    }
    let policy = policy_of(rows, &entity)?;
    way.admit(&policy, now)?;
    Ok((Found { key, entity }, policy))
}

/// Checks that an identity knows of an authenticator: absence is never permission.
fn require_authenticator(identity: &Identity) -> Result<(), LoginError> {
    if identity.attached.authenticators == 0 {
        let id = &identity.id;
        return Err(StoreError::corrupt(format!("identity {id} knows no authenticator")).into());
    }
    Ok(())
}

/// Keeps what the client said of itself.
fn remember_client(identity: &mut Identity, login: &Login) {
    identity.env_info.clone_from(&login.env_info);
    identity.sdk_info.clone_from(&login.sdk_info);
}
