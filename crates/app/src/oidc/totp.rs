//! TOTP within a login: the same operations as on the REST APIs, on the session of the login.

use super::login::{
    LoginClient, LoginProgress, LoginStepError, find_session, passed_signer, progress,
};
use crate::app::App;
use crate::error::AppError;
use crate::mfa;
use crate::records::{find_enabled_signer, holder_name};
use crate::session_validity::LiveSession;
use crate::sessions;
use portcullis_domain::access::{Action, ApiSurface, Caller, Permit, SecondFactorToken};
use portcullis_domain::view::MfaView;
use portcullis_oidc::login::{AuthenticatedLogin, SecondaryFactor};
use portcullis_storage::tables::Rows;
use secrecy::SecretString;
use std::sync::Arc;

/// An enrollment that was begun, with its QR code in PNG.
#[derive(Debug)]
pub struct TotpEnrollment {
    /// Name of the identity.
    pub account: String,
    pub view: MfaView,
    pub qr_code: Vec<u8>,
}

/// Answers the TOTP factor of a login with a code of the authenticator app or a recovery code.
pub async fn pass_totp(
    app: &App,
    id: &str,
    code: &SecretString,
    client: &LoginClient<'_>,
) -> Result<LoginProgress, LoginStepError> {
    let (login, permit) = permit(app, id, client).await?;
    mfa::authenticate(app, &permit, code).await?;
    record_pass(app, id, &login, client)
}

/// Begins a TOTP enrollment.
pub async fn enroll_totp(
    app: &App,
    id: &str,
    client: &LoginClient<'_>,
) -> Result<TotpEnrollment, LoginStepError> {
    let (_login, permit) = permit(app, id, client).await?;
    mfa::start(app, &permit).await?;
    read_totp(app, id, client).await
}

/// Reads an enrollment that is not verified yet.
pub async fn read_totp(
    app: &App,
    id: &str,
    client: &LoginClient<'_>,
) -> Result<TotpEnrollment, LoginStepError> {
    let (login, permit) = permit(app, id, client).await?;
    let account = {
        let view = app.snapshot()?;
        let live = find_session(app, view.rows(), &login)?;
        live.identity.entity.name().to_owned()
    };
    Ok(TotpEnrollment {
        account,
        view: mfa::read_own(app, &permit)?,
        qr_code: mfa::qr_code(app, &permit)?,
    })
}

/// Completes an enrollment, which counts as the TOTP factor of the login.
pub async fn verify_totp(
    app: &App,
    id: &str,
    code: &SecretString,
    client: &LoginClient<'_>,
) -> Result<LoginProgress, LoginStepError> {
    let (login, permit) = permit(app, id, client).await?;
    mfa::verify(app, &permit, code).await?;
    record_pass(app, id, &login, client)
}

/// Removes an enrollment; a verified one takes a code, and a login without open factors.
pub async fn abandon_totp(
    app: &App,
    id: &str,
    code: Option<&SecretString>,
    client: &LoginClient<'_>,
) -> Result<(), LoginStepError> {
    let (_login, permit) = permit(app, id, client).await?;
    Ok(mfa::remove_own(app, &permit, code).await?)
}

/// The permit of whoever proved the first factor of a login.
async fn permit<A: Action>(
    app: &App,
    id: &str,
    client: &LoginClient<'_>,
) -> Result<(AuthenticatedLogin, Permit<A>), LoginStepError> {
    let login = {
        let mut requests = app.login_requests.lock();
        let state = requests.get(id, client.presenter, app.env().now())?;
        state.authenticated()?.clone()
    };
    let caller = caller(app, &login, client).await?;
    let permit = Permit::request(ApiSurface::Edge, Arc::new(caller)).map_err(AppError::from)?;
    Ok((login, permit))
}

async fn caller(
    app: &App,
    login: &AuthenticatedLogin,
    client: &LoginClient<'_>,
) -> Result<Caller, LoginStepError> {
    let (live, shown) = {
        let view = app.snapshot()?;
        let live = find_session(app, view.rows(), login)?;
        let shown = shown_token(view.rows(), login, &live)?;
        (live, shown)
    };
    let proof = match shown {
        Some(shown) => Some(shown),
        None => sessions::second_factor(app, &live, client.tokens).await?,
    };
    Ok(live.into_caller(client.origin.clone(), None, proof))
}

/// The token of an external signer that was shown earlier in the login.
fn shown_token(
    rows: Rows<'_>,
    login: &AuthenticatedLogin,
    live: &LiveSession,
) -> Result<Option<SecondFactorToken>, AppError> {
    let Some(signer) = passed_signer(login, live) else {
        return Ok(None);
    };
    let found = find_enabled_signer(rows, &signer)?;
    Ok(found.and_then(|found| {
        let spec = &found.entity.spec;
        let holder = holder_name(&spec.settings, &live.identity.entity)?;
        Some(SecondFactorToken {
            signer,
            terms: spec.terms,
            holder: holder.to_owned(),
        })
    }))
}

fn record_pass(
    app: &App,
    id: &str,
    login: &AuthenticatedLogin,
    client: &LoginClient<'_>,
) -> Result<LoginProgress, LoginStepError> {
    let needed: Vec<_> = {
        let view = app.snapshot()?;
        let live = find_session(app, view.rows(), login)?;
        let open = live.session.entity.open_factors(&live.policy, None);
        open.into_iter().map(SecondaryFactor::from).collect()
    };
    {
        let mut requests = app.login_requests.lock();
        requests.advance(id, client.presenter, app.env().now(), |login| {
            let identity = login.authenticated()?.identity().clone();
            Ok::<_, LoginStepError>(login.pass(&identity, SecondaryFactor::Totp, needed)?)
        })?;
    }
    progress(app, id, client.presenter)
}
