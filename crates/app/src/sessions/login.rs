//! Login: a credential goes in, a session comes out.
//!
//! Whatever is wrong with a credential, its owner or its policy, the answer outside is one and the
//! same; the reason goes to the log. What was checked outside the transaction is checked again
//! inside it against the records as they are then.

use super::hash;
use super::room::Room;
use crate::app::App;
use crate::audit;
use crate::error::AppError;
use crate::identities::{owner, policy_of};
use crate::network::BadChain;
use crate::password::Verdict;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, SessionTotp};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{self, EntropyError};
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::ApiSessionId;
use portcullis_domain::view::{ApiSessionView, IdentityRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    API_SESSION, Found, Index, Rows, RowsMut, UniqueValue, WriteError, identity_key,
};
use secrecy::SecretString;

/// What a client says with its credential.
#[derive(Debug, Clone, Default)]
pub struct Login {
    /// The types of configurations that it wants to see.
    pub config_types: Vec<String>,
    /// Its machine.
    pub env_info: EnvInfo,
    /// Its software.
    pub sdk_info: SdkInfo,
}

/// A session that a login opened.
#[derive(Debug)]
pub struct NewSession {
    /// The session.
    pub view: ApiSessionView,
    /// Its token, which is shown this once.
    pub token: SecretString,
}

/// A login did not open a session.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The credential does not let anybody in; the reason is for the log only.
    #[error("login refused: {0}")]
    Refused(&'static str),
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

/// Logs in with a username and password.
///
/// An unknown username costs as much as a wrong password.
pub async fn with_password(
    app: &App,
    origin: &Origin,
    username: &str,
    password: SecretString,
    login: Login,
) -> Result<NewSession, LoginError> {
    let by_name = UniqueValue::new(Index::AuthenticatorUsername, username);
    let found: Option<Found<Authenticator>> = app
        .snapshot()
        .map_err(LoginError::Failed)?
        .rows()
        .find(&by_name)?;
    let stored = found
        .as_ref()
        .and_then(|found| match &found.entity.credential {
            Credential::Updb(updb) => Some(updb.password.clone()),
            Credential::Cert(_) => None,
        });
    let verdict = app
        .passwords
        .verify(password, stored)
        .await
        .map_err(AppError::from)?;
    match (verdict, found) {
        (Verdict::Right, Some(found)) => open(app, origin, found, login, Means::Password).await,
        (Verdict::Wrong, _) | (_, None) => Err(LoginError::Refused("wrong name or password")),
    }
}

/// Logs in with the certificate of the TLS connection: the chain that the client presented, in DER,
/// the leaf whose key it has proved to hold first.
pub async fn with_certificate(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    login: Login,
) -> Result<NewSession, LoginError> {
    let good = app.network().judge(chain).map_err(|bad| {
        LoginError::Refused(match bad {
            BadChain::Missing => "no certificate was presented",
            BadChain::Unreadable(_) => "the certificate cannot be read",
            BadChain::Foreign(_) => "the certificate is of another authority",
        })
    })?;
    let fingerprint = good.fingerprint.to_string();
    let by_fingerprint = UniqueValue::new(Index::AuthenticatorFingerprint, fingerprint);
    let found = app
        .snapshot()
        .map_err(LoginError::Failed)?
        .rows()
        .find::<Authenticator>(&by_fingerprint)?
        .ok_or(LoginError::Refused("the certificate belongs to nobody"))?;
    let means = Means::Certificate {
        is_improper: good.is_improper,
        is_in_time: good.validity.contains(app.env().now()),
    };
    open(app, origin, found, login, means).await
}

/// By what a client logs in.
#[derive(Debug, Clone, Copy)]
enum Means {
    Password,
    Certificate { is_improper: bool, is_in_time: bool },
}

impl Means {
    /// Whether a policy lets this in.
    fn check(self, policy: &AuthPolicy) -> Result<(), LoginError> {
        match self {
            Self::Password if !policy.primary.updb.allowed => {
                Err(LoginError::Refused("the policy does not allow passwords"))
            },
            Self::Certificate { .. } if !policy.primary.cert.allowed => Err(LoginError::Refused(
                "the policy does not allow certificates",
            )),
            Self::Certificate {
                is_in_time: false, ..
            } if !policy.primary.cert.allow_expired_certs => {
                Err(LoginError::Refused("the certificate is out of its time"))
            },
            Self::Password | Self::Certificate { .. } => Ok(()),
        }
    }
}

/// Opens a session for the owner of an authenticator.
async fn open(
    app: &App,
    origin: &Origin,
    authenticator: Found<Authenticator>,
    login: Login,
    means: Means,
) -> Result<NewSession, LoginError> {
    let now = app.env().now();
    // Refusals are settled here as far as they can be: what waits for the disk would tell by its
    // time that the password was right.
    admit(
        app.snapshot().map_err(LoginError::Failed)?.rows(),
        &authenticator,
        means,
        now,
    )?;
    let token = entropy::uuid(&*app.env().entropy)?;
    let Login {
        config_types,
        env_info,
        sdk_info,
    } = login;
    let session = ApiSession {
        id: ApiSessionId::generate(&*app.env().entropy)?,
        created_at: now,
        last_activity_at: now,
        identity: authenticator.entity.identity.clone(),
        authenticator: authenticator.entity.id.clone(),
        token_hash: hash(app, &token),
        config_types: wanted(&config_types),
        ip_address: origin.address.to_string(),
        totp: SessionTotp::default(),
        is_cert_extendable: is_extendable(&authenticator.entity),
        improper_client_cert_chain: matches!(
            means,
            Means::Certificate {
                is_improper: true,
                ..
            }
        ),
    };
    let number = app.number(API_SESSION);
    let owner = authenticator.root_number();
    let key = identity_key(owner).dependent(API_SESSION, number.0);
    let room = Room::for_one_more(app, owner);
    let (session, identity, open_factors, ended) = app
        .commit(move |rows| {
            let (identity, policy) = admit(rows.rows(), &authenticator, means, now)?;
            let mut session = session.clone();
            session.totp.is_required = identity.entity.attached.totp == TotpState::Verified;
            let ended = room.make(rows)?;
            rows.insert(&key, &session)?;
            remember_client(rows, &identity, &env_info, &sdk_info)?;
            let open_factors = session.open_factors(&policy);
            let identity = IdentityRef::from(&identity.entity);
            Ok::<_, LoginError>((session, identity, open_factors, ended))
        })
        .await?;
    let note = |operation, session: &ApiSessionId| {
        audit::changed_by_stranger(origin, identity.id.as_str(), operation, session.as_str());
    };
    for session in &ended {
        note("api-session.displace", session);
    }
    note("api-session.create", &session.id);
    let view = ApiSessionView {
        last_activity_at: session.last_activity_at,
        timeout: app.settings().session_timeout,
        session,
        identity,
        open_factors,
    };
    Ok(NewSession {
        view,
        token: token.into(),
    })
}

/// The types of configurations that a session shows, out of those that its client named: all of
/// them, or those that exist, which none does yet.
fn wanted(named: &[String]) -> Vec<String> {
    const ALL: &str = "all";
    if named.iter().any(|name| name == ALL) {
        vec![ALL.to_owned()]
    } else {
        Vec::new()
    }
}

/// Judges the owner of an authenticator by the records as they are now.
fn admit(
    rows: Rows<'_>,
    checked: &Found<Authenticator>,
    means: Means,
    now: Timestamp,
) -> Result<(Found<Identity>, AuthPolicy), LoginError> {
    let current: Option<Authenticator> = rows.get(&checked.key)?;
    if !current.is_some_and(|current| current.credential == checked.entity.credential) {
        return Err(LoginError::Refused("the authenticator changed meanwhile"));
    }
    let identity = owner(rows, checked)?;
    if identity.entity.attached.authenticators == 0 {
        let key = identity.key;
        return Err(StoreError::corrupt(format!("identity {key} knows no authenticator")).into());
    }
    if identity.entity.is_disabled(now) {
        return Err(LoginError::Refused("the identity is disabled"));
    }
    let policy = policy_of(rows, &identity.entity)?;
    means.check(&policy)?;
    Ok((identity, policy))
}

/// Keeps what the client said of itself, if it said something new.
fn remember_client(
    rows: &mut RowsMut<'_>,
    identity: &Found<Identity>,
    env_info: &EnvInfo,
    sdk_info: &SdkInfo,
) -> Result<(), WriteError> {
    let known = &identity.entity;
    if known.env_info == *env_info && known.sdk_info == *sdk_info {
        return Ok(());
    }
    let mut after = known.clone();
    after.env_info = env_info.clone();
    after.sdk_info = sdk_info.clone();
    rows.replace(&identity.key, known, &after)
}

fn is_extendable(authenticator: &Authenticator) -> bool {
    matches!(&authenticator.credential, Credential::Cert(cert) if cert.is_issued_by_network)
}
