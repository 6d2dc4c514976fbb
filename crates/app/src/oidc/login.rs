//! Steps of a login until its code.

use super::end::end_by_id;
use crate::app::App;
use crate::error::AppError;
use crate::session_validity::LiveSession;
use crate::sessions::{self, LoginError, LoginRequest, NewSession};
use crate::signers::BearerTokens;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::entropy::EntropyError;
use portcullis_domain::ids::SignerId;
use portcullis_domain::peer::Peer;
use portcullis_domain::view::OpenFactorView;
use portcullis_oidc::authorization::AuthorizationRequest;
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::login::{
    AuthenticatedLogin, CertificateFacts, ClientDetails, IssueError, Login,
    LoginError as LoginOrderError, LoginRequestError, NewLogin, Presenter, PrimaryFactor,
    SecondaryFactor,
};
use portcullis_oidc::method::LoginMethod;
use portcullis_oidc::redirect::{RedirectUris, RegisteredUri};
use portcullis_pki::Csr;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use secrecy::SecretString;

/// Longest request for a certificate that comes with a login, in bytes. One with an RSA key of 8192
/// bits has half of it.
const MAX_CSR: usize = 8 * 1024;

/// A first factor.
#[derive(Debug, Clone)]
pub enum PrimaryCredential {
    Password {
        username: String,
        password: SecretString,
    },
    /// The client certificate of the connection.
    Certificate,
    /// A bearer token of an external signer.
    ExternalJwt,
}

/// What a client tells about itself with its first factor.
#[derive(Debug, Clone, Default)]
pub struct LoginDetails {
    /// Config types that it understands, by id or name.
    pub config_types: Vec<String>,
    pub env_info: EnvInfo,
    pub sdk_info: SdkInfo,
    /// A request in PEM for a certificate of the session.
    pub csr: Option<String>,
}

/// Where a step comes from.
#[derive(Debug, Clone, Copy)]
pub struct LoginClient<'c> {
    /// Who the step comes from, as the login request tells people apart.
    pub presenter: Presenter<'c>,
    pub origin: &'c Origin,
    /// Certificate chain of the connection in DER, leaf first.
    pub certificates: &'c [&'c [u8]],
    /// Bearer tokens of external signers.
    pub tokens: BearerTokens<'c>,
}

/// How far a login is.
#[derive(Debug, Clone)]
pub enum LoginProgress {
    /// The first factor is missing.
    Begun,
    /// These factors are missing.
    Open(Vec<OpenFactorView>),
    /// The code can be fetched.
    Complete,
}

/// A step of a login is refused.
#[derive(Debug, thiserror::Error)]
pub enum LoginStepError {
    /// The login request cannot be used, or not by this client.
    #[error(transparent)]
    Request(#[from] LoginRequestError),
    /// The step is out of order, or another identity takes it.
    #[error(transparent)]
    Order(#[from] LoginOrderError),
    #[error("csrPem is not a usable certificate signing request of at most 8 KiB")]
    Csr,
    /// The session of the login has ended in the meantime.
    #[error("the session of the login has ended")]
    SessionEnded,
    /// The credential is refused.
    #[error(transparent)]
    Credential(#[from] LoginError),
    #[error(transparent)]
    Failed(#[from] AppError),
}

impl From<StoreError> for LoginStepError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl PrimaryCredential {
    pub const fn method(&self) -> LoginMethod {
        match self {
            Self::Password { .. } => LoginMethod::Password,
            Self::Certificate => LoginMethod::Certificate,
            Self::ExternalJwt => LoginMethod::ExternalJwt,
        }
    }
}

/// Where a login may lead to that is addressed to `issuer`. A console that this controller serves is
/// at the same host.
pub fn login_uris(app: &App, issuer: &Issuer) -> RedirectUris {
    let uris = app.oidc.login_uris.clone();
    if !app.oidc.serves_console {
        return uris;
    }
    let own = RegisteredUri::parse(&format!("{}/auth/callback", issuer.origin()));
    uris.with(own.ok())
}

/// Where a logout may lead to.
pub fn logout_uris(app: &App) -> &RedirectUris {
    &app.oidc.logout_uris
}

/// Begins a login.
pub fn begin(
    app: &App,
    request: AuthorizationRequest,
    origin: &Origin,
) -> Result<NewLogin, EntropyError> {
    let peer = Peer::from_address(origin.address());
    let entropy = &*app.env().entropy;
    let mut requests = app.login_requests.lock();
    requests.begin(request, peer, app.env().now(), entropy)
}

/// Proves the first factor of a login, or repeats it together with a token of an external signer
/// that was missing.
pub async fn authenticate(
    app: &App,
    id: &str,
    credential: PrimaryCredential,
    details: LoginDetails,
    client: &LoginClient<'_>,
) -> Result<LoginProgress, LoginStepError> {
    let (oidc_client, config_types) = {
        let mut requests = app.login_requests.lock();
        let login = requests.get(id, client.presenter, app.env().now())?;
        let request = login.request();
        (request.client, request.config_types.clone())
    };
    // It is kept with the login until the code is redeemed, so it has to be one, and short.
    if let Some(csr) = &details.csr
        && (csr.len() > MAX_CSR || Csr::from_pem(csr).is_err())
    {
        return Err(LoginStepError::Csr);
    }
    let details = LoginDetails {
        config_types: if details.config_types.is_empty() {
            config_types
        } else {
            details.config_types
        },
        ..details
    };
    let request = LoginRequest {
        config_types: details.config_types.clone(),
        env_info: details.env_info.clone(),
        sdk_info: details.sdk_info.clone(),
        tokens: client.tokens,
        oidc: Some(oidc_client),
    };
    let method = credential.method();
    let opened = match credential {
        PrimaryCredential::Password { username, password } => {
            sessions::with_password(app, client.origin, &username, password, request).await
        },
        PrimaryCredential::Certificate => {
            sessions::with_certificate(app, client.origin, client.certificates, request).await
        },
        PrimaryCredential::ExternalJwt => sessions::with_token(app, client.origin, request).await,
    }?;
    let session = opened.view.session.id.clone();
    let outcome = record_primary(app, id, method, &opened, details, client);
    let is_used = outcome
        .as_ref()
        .is_ok_and(|login| login.primary().session == session);
    if !is_used {
        // It was opened for nothing.
        end_by_id(app, client.origin, &session, "displace").await?;
    }
    outcome?;
    progress(app, id, client.presenter)
}

/// Takes the step of the first factor; returns the login after it.
fn record_primary(
    app: &App,
    id: &str,
    method: LoginMethod,
    opened: &NewSession,
    details: LoginDetails,
    client: &LoginClient<'_>,
) -> Result<AuthenticatedLogin, LoginStepError> {
    let session = &opened.view.session;
    let needed: Vec<_> = opened
        .view
        .open_factors
        .iter()
        .map(missing_factor)
        .collect();
    let passed = opened.second_factor.clone().map(SecondaryFactor::Token);
    let primary = primary_factor(session, method);
    let details = ClientDetails {
        remote_address: client.origin.peer,
        config_types: session.config_types.clone(),
        env_info: details.env_info,
        sdk_info: details.sdk_info,
        csr: details.csr,
    };
    let mut requests = app.login_requests.lock();
    let login = requests.advance(id, client.presenter, app.env().now(), |login| {
        Ok::<_, LoginStepError>(login.authenticate(primary, details, passed, needed)?)
    })?;
    Ok(login.authenticated()?.clone())
}

fn primary_factor(session: &ApiSession, method: LoginMethod) -> PrimaryFactor {
    let certificate = session.certificate.as_ref();
    PrimaryFactor {
        identity: session.identity.clone(),
        session: session.id.clone(),
        method,
        opened_by: session.opened_by.clone(),
        authenticated_at: session.created_at,
        certificate: certificate.map(|certificate| CertificateFacts {
            fingerprint: certificate.fingerprint.clone(),
            is_extendable: session.is_cert_extendable,
            has_improper_chain: session.improper_client_cert_chain,
        }),
    }
}

fn missing_factor(open: &OpenFactorView) -> SecondaryFactor {
    match open {
        OpenFactorView::Totp { .. } => SecondaryFactor::Totp,
        OpenFactorView::Token(signer) => SecondaryFactor::Token(signer.id.clone()),
    }
}

/// How far a login is.
pub fn progress(
    app: &App,
    id: &str,
    presenter: Presenter<'_>,
) -> Result<LoginProgress, LoginStepError> {
    let state = {
        let mut requests = app.login_requests.lock();
        requests.get(id, presenter, app.env().now())?.clone()
    };
    let (login, missing) = match &state {
        Login::Begun(_) => return Ok(LoginProgress::Begun),
        Login::Complete(_) => return Ok(LoginProgress::Complete),
        Login::Open { login, missing } => (login, missing),
    };
    let view = app.snapshot()?;
    let live = find_session(app, view.rows(), login)?;
    let open = sessions::open_factor_views(
        view.rows(),
        &live.session.entity,
        &live.identity.entity,
        &live.policy,
        passed_signer(login, &live).as_ref(),
    )?;
    let is_missing = |factor: &OpenFactorView| missing.contains(&missing_factor(factor));
    Ok(LoginProgress::Open(
        open.into_iter().filter(is_missing).collect(),
    ))
}

/// The session that the first factor of a login opened.
pub(super) fn find_session(
    app: &App,
    rows: Rows<'_>,
    login: &AuthenticatedLogin,
) -> Result<LiveSession, LoginStepError> {
    sessions::find_oidc(app, rows, &login.primary().session)?.ok_or(LoginStepError::SessionEnded)
}

/// The signer that the policy demands a token of, if one was shown in this login.
pub(super) fn passed_signer(login: &AuthenticatedLogin, live: &LiveSession) -> Option<SignerId> {
    let demanded = live.policy.spec.secondary.require_ext_jwt_signer.clone()?;
    let factor = SecondaryFactor::Token(demanded.clone());
    login.has_passed(&factor).then_some(demanded)
}

/// Issues the code of a complete login, and returns where its browser is sent to.
pub fn issue_code(app: &App, id: &str, presenter: Presenter<'_>) -> Result<String, IssueError> {
    let entropy = &*app.env().entropy;
    let mut requests = app.login_requests.lock();
    requests.issue_code(id, presenter, app.env().now(), entropy)
}

/// The request that a login began with.
pub fn authorization_request(
    app: &App,
    id: &str,
    presenter: Presenter<'_>,
) -> Result<AuthorizationRequest, LoginRequestError> {
    let mut requests = app.login_requests.lock();
    let login = requests.get(id, presenter, app.env().now())?;
    Ok(login.request().clone())
}
