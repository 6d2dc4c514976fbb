//! Tokens for codes and for other tokens.

use super::end::end_by_id;
use super::issue::{TokenIssuer, certificate, holder_facts, seconds_left};
use crate::app::App;
use crate::error::AppError;
use crate::session_revocation::SessionRevocation;
use crate::session_validity::{LiveSession, RevocableToken, validate};
use crate::sessions::{self, time};
use crate::signers::BearerTokenError;
use crate::tokens;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, SessionLifetimes};
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::entropy::EntropyError;
use portcullis_domain::ids::SignerId;
use portcullis_domain::oidc_session::{
    EndReason, OidcClient, OidcSession, Presented, Presenter, RefreshToken, TokenId, Wanted,
};
use portcullis_events::{self as events, ApiSessionKind, ApiSessionType, Body, Namespace};
use portcullis_oidc::amr::Amr;
use portcullis_oidc::claims::{ClaimsError, IdTokenOrigin, RefreshClaims, SessionFacts};
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::login::{AuthenticatedLogin, RedeemError, Redemption};
use portcullis_oidc::scope::{Scope, ScopeError};
use portcullis_oidc::token_request::{
    Exchange, Grant, Refresh, RequestedType, SubjectType, TokenError, TokenRequest,
};
use portcullis_oidc::token_response::TokenResponse;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, RowsMut, WriteError};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;

/// Most certificates that the tokens of a session are bound to; the oldest but that of the login
/// give way.
const MAX_BOUND_CERTIFICATES: usize = 8;

/// Where a request to the token endpoint comes from.
#[derive(Debug, Clone, Copy)]
pub struct TokenClient<'c> {
    pub origin: &'c Origin,
    /// The issuer that the request is addressed to.
    pub issuer: &'c Issuer,
    /// Whether it says to be a page at that issuer's address.
    pub is_own_page: bool,
    /// Certificate chain of the connection in DER, leaf first.
    pub certificates: &'c [&'c [u8]],
}

/// No tokens are issued.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    #[error(transparent)]
    Refused(#[from] TokenError),
    #[error(transparent)]
    Failed(#[from] AppError),
}

impl From<StoreError> for GrantError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<WriteError> for GrantError {
    fn from(error: WriteError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<EntropyError> for GrantError {
    fn from(error: EntropyError) -> Self {
        Self::Failed(error.into())
    }
}

/// Issues tokens for what a client presents.
pub async fn grant(
    app: &App,
    request: TokenRequest,
    client: &TokenClient<'_>,
) -> Result<TokenResponse, GrantError> {
    let grant = TokenGrant {
        app,
        client,
        oidc_client: request.client,
        csr: request.csr,
        tokens: TokenIssuer {
            app,
            issuer: client.issuer,
            now: app.env().now(),
        },
    };
    match request.grant {
        Grant::AuthorizationCode(redemption) => grant.redeem(&redemption).await,
        Grant::Refresh(refresh) => grant.refresh(&refresh, ApiSessionKind::Refreshed).await,
        Grant::Exchange(exchange) => match exchange.subject_type {
            SubjectType::AccessToken => grant.exchange_access(&exchange),
            SubjectType::RefreshToken => grant.exchange_refresh(&exchange).await,
        },
    }
}

struct TokenGrant<'g> {
    app: &'g App,
    client: &'g TokenClient<'g>,
    oidc_client: OidcClient,
    csr: Option<String>,
    tokens: TokenIssuer<'g>,
}

/// A session whose refresh token was presented, with what its next tokens tell.
struct Renewal {
    live: LiveSession,
    claims: RefreshClaims,
    facts: SessionFacts,
}

impl TokenGrant<'_> {
    /// Tokens for a code.
    async fn redeem(&self, redemption: &Redemption) -> Result<TokenResponse, GrantError> {
        let redeemed = {
            let mut requests = self.app.login_requests.lock();
            requests.redeem(redemption, self.tokens.now)
        };
        let login = match redeemed {
            Ok(login) => login,
            Err(error) => {
                if let RedeemError::Replayed { session } = &error {
                    end_by_id(self.app, self.client.origin, session, "revoke").await?;
                }
                return Err(TokenError::from(error).into());
            },
        };
        let response = self.open_tokens(&login, redemption).await;
        if response.is_err() {
            // Nobody has tokens for it, so the client may try again.
            let mut requests = self.app.login_requests.lock();
            requests.restore(&redemption.code, self.app.env().now());
        }
        response
    }

    /// The first tokens of a login, for its code.
    async fn open_tokens(
        &self,
        login: &AuthenticatedLogin,
        redemption: &Redemption,
    ) -> Result<TokenResponse, GrantError> {
        let (live, holder) = {
            let view = self.app.snapshot()?;
            let live = self.judge_login(view.rows(), login)?;
            let holder = holder_facts(view.rows(), &live)?;
            (live, holder)
        };
        let csr = self.csr.as_deref().or(login.client().csr.as_deref());
        let certificate = csr
            .map(|csr| certificate(self.app, &live, csr))
            .transpose()?;
        let certificate = certificate.transpose()?;
        let fingerprint = certificate
            .as_ref()
            .map(|issued| issued.fingerprint.clone());
        let facts = SessionFacts::new(login, holder, fingerprint);
        let lifetimes = self.lifetimes(&live);
        let refresh_id = facts
            .scopes
            .contains(Scope::OfflineAccess)
            .then(|| TokenId::generate(&*self.app.env().entropy))
            .transpose()?;
        let access_end = self.tokens.end_of(lifetimes.access);
        let first = refresh_id.clone().map(|id| RefreshToken {
            id,
            expires_at: self.tokens.end_of(lifetimes.refresh),
        });
        self.update_session(&live, passed_by(login), move |oidc| {
            Ok(oidc.issued(access_end, first.clone()))
        })
        .await?;
        let id = TokenId::generate(&*self.app.env().entropy)?;
        let access = self.tokens.access(id, facts.clone(), lifetimes.access)?;
        let mut response = response_with(access, &facts, lifetimes);
        if let Some(id) = refresh_id {
            let refresh = self.tokens.refresh(id, facts.clone(), lifetimes.refresh)?;
            response.refresh_token = Some(refresh);
        }
        let origin = IdTokenOrigin {
            nonce: login.request().nonce.as_deref(),
            code: Some(redemption.code.expose()),
            access_token: None,
        };
        self.add_id_token(&mut response, &live, &facts, origin)?;
        response.session_cert = certificate.map(|issued| issued.chain);
        let has_certificate = response.session_cert.is_some();
        self.publish(ApiSessionKind::Created, &live, has_certificate);
        Ok(response)
    }

    /// Judges by the current records whether a login still stands.
    fn judge_login(
        &self,
        rows: Rows<'_>,
        login: &AuthenticatedLogin,
    ) -> Result<LiveSession, GrantError> {
        let primary = login.primary();
        let token = RevocableToken {
            // No token has this id.
            id: "",
            session: &primary.session,
            identity: &primary.identity,
            issued_at: primary.authenticated_at,
        };
        let live = sessions::find_by_token(self.app, rows, token)?;
        let live = live.ok_or(TokenError::Revoked)?;
        check_factors(&live, &passed_by(login))?;
        Ok(live)
    }

    /// The next tokens for a refresh token, which are told of as this.
    async fn refresh(
        &self,
        refresh: &Refresh,
        kind: ApiSessionKind,
    ) -> Result<TokenResponse, GrantError> {
        let mut renewal = self.open_refresh(&refresh.token)?;
        let scopes = renewal.facts.scopes.reduced_to(refresh.scope.as_deref());
        let scopes = scopes.map_err(TokenError::from)?;
        let certificate = self.bind_certificate(&mut renewal)?;
        let lifetimes = self.lifetimes(&renewal.live);
        let refresh_id = self.rotate(&renewal, lifetimes).await?;
        let granted = SessionFacts {
            scopes,
            ..renewal.facts.clone()
        };
        let access_id = TokenId::generate(&*self.app.env().entropy)?;
        let access = self
            .tokens
            .access(access_id, granted.clone(), lifetimes.access)?;
        let mut response = response_with(access, &granted, lifetimes);
        let refresh = self
            .tokens
            .refresh(refresh_id, renewal.facts, lifetimes.refresh)?;
        response.refresh_token = Some(refresh);
        let origin = IdTokenOrigin::default();
        self.add_id_token(&mut response, &renewal.live, &granted, origin)?;
        response.session_cert = certificate;
        self.publish(kind, &renewal.live, response.session_cert.is_some());
        Ok(response)
    }

    async fn exchange_refresh(&self, exchange: &Exchange) -> Result<TokenResponse, GrantError> {
        if exchange.requested != RequestedType::IdToken {
            let refresh = Refresh {
                token: exchange.subject.clone(),
                scope: exchange.scope.clone(),
            };
            let response = self.refresh(&refresh, ApiSessionKind::Exchanged).await?;
            return Ok(response.exchanged_for(exchange.requested));
        }
        let renewal = self.open_refresh(&exchange.subject)?;
        self.present(&renewal, Wanted::IdToken).await?;
        let response = self.id_token_response(&renewal.live, &renewal.facts, exchange)?;
        self.publish(ApiSessionKind::Exchanged, &renewal.live, false);
        Ok(response)
    }

    fn exchange_access(&self, exchange: &Exchange) -> Result<TokenResponse, GrantError> {
        let subject = exchange.subject.expose_secret();
        let claims = tokens::verify_access(self.app, subject).or(Err(TokenError::Invalid))?;
        if claims.session.client_id != self.oidc_client {
            return Err(TokenError::Invalid.into());
        }
        let found = sessions::find_session(self.app, &claims, self.client.certificates)?;
        let live = found.map_err(|fault| match fault {
            BearerTokenError::Expired => TokenError::Expired,
            BearerTokenError::Missing | BearerTokenError::Invalid => TokenError::Revoked,
        })?;
        let holder = {
            let view = self.app.snapshot()?;
            holder_facts(view.rows(), &live)?
        };
        let facts = claims.session.clone().renewed(holder);
        check_factors(&live, &passed_in(&facts))?;
        if exchange.requested == RequestedType::IdToken {
            let response = self.id_token_response(&live, &facts, exchange)?;
            self.publish(ApiSessionKind::Exchanged, &live, false);
            return Ok(response);
        }
        let scopes = facts.scopes.reduced_to(exchange.scope.as_deref());
        let granted = SessionFacts {
            scopes: scopes.map_err(TokenError::from)?,
            ..facts
        };
        // It ends with the other one: at the same time, and by the same revocation.
        let left = claims.exp.saturating_sub(self.tokens.now.as_second());
        let left = SignedDuration::from_secs(left);
        let id = claims.jti.clone();
        let access = self.tokens.access(id, granted.clone(), left)?;
        let expires_in = seconds_left(left);
        let response = TokenResponse::new(access, expires_in, &granted.scopes);
        self.publish(ApiSessionKind::Exchanged, &live, false);
        Ok(response.exchanged_for(exchange.requested))
    }

    /// Verifies a refresh token, and judges its session by the current records.
    fn open_refresh(&self, token: &SecretString) -> Result<Renewal, GrantError> {
        let claims: RefreshClaims =
            tokens::verify(self.app, token.expose_secret()).or(Err(TokenError::Invalid))?;
        let served = self.app.network().serving_state();
        // Its client is compared where that decides about the session.
        let validation = tokens::validation(&served.issuers, self.tokens.now);
        claims.validate(&validation).map_err(|error| match error {
            ClaimsError::Expired => TokenError::Expired,
            ClaimsError::Issuer | ClaimsError::Audience | ClaimsError::NotYetValid => {
                TokenError::Invalid
            },
        })?;
        let view = self.app.snapshot()?;
        let rows = view.rows();
        let live = sessions::find_by_token(self.app, rows, revocable(&claims))?
            .ok_or(TokenError::Revoked)?;
        let (record, certificates) = (&live.session.entity, self.client.certificates);
        if !sessions::is_bound_to(self.app, rows, record, &claims.session, certificates)? {
            return Err(TokenError::Certificate.into());
        }
        let mut facts = claims.session.clone().renewed(holder_facts(rows, &live)?);
        bind_renewed(&mut facts, &live.session.entity);
        if live.session.entity.totp.is_complete() && !facts.amr.contains(&Amr::Totp) {
            facts.amr.push(Amr::Totp);
        }
        check_factors(&live, &passed_in(&facts))?;
        Ok(Renewal {
            live,
            claims,
            facts,
        })
    }

    /// Issues the certificate that a client asks for, and binds the next tokens to it as well.
    fn bind_certificate(&self, renewal: &mut Renewal) -> Result<Option<String>, GrantError> {
        let Some(csr) = &self.csr else {
            return Ok(None);
        };
        let issued = certificate(self.app, &renewal.live, csr)??;
        let facts = &mut renewal.facts;
        let bound = facts.z_cfs.get_or_insert_default();
        if bound.len() >= MAX_BOUND_CERTIFICATES {
            let is_other = |one: &String| facts.z_acf.as_ref() != Some(one);
            if let Some(oldest) = bound.iter().position(is_other) {
                bound.remove(oldest);
            }
        }
        bound.push(issued.fingerprint);
        Ok(Some(issued.chain))
    }

    /// Spends a refresh token; returns the id of the next one.
    async fn rotate(
        &self,
        renewal: &Renewal,
        lifetimes: TokenLifetimes,
    ) -> Result<TokenId, GrantError> {
        let next = TokenId::generate(&*self.app.env().entropy)?;
        let wanted = Wanted::Rotation {
            next: RefreshToken {
                id: next.clone(),
                expires_at: self.tokens.end_of(lifetimes.refresh),
            },
            access_expires_at: self.tokens.end_of(lifetimes.access),
        };
        self.present(renewal, wanted).await?;
        Ok(next)
    }

    /// Presents a refresh token in a transaction; one that was spent ends its session.
    async fn present(&self, renewal: &Renewal, wanted: Wanted) -> Result<(), GrantError> {
        let presenter = Presenter {
            client: self.oidc_client,
            is_console: self.app.oidc.serves_console && self.client.is_own_page,
        };
        let now = self.tokens.now;
        let claims = renewal.claims.clone();
        let revocation = SessionRevocation::new(self.app);
        let key = renewal.live.session.key;
        let recheck = Recheck::new(self, key, passed_in(&renewal.facts));
        let identity = &renewal.live.identity.entity.id;
        let actor = Actor::without_session(self.client.origin, identity.as_str());
        let ended: Option<EndReason> = self
            .app
            .commit(actor, move |rows| {
                if revocable(&claims).is_revoked(rows.rows())? {
                    return Err(TokenError::Revoked.into());
                }
                let (session, oidc) = recheck.session(rows.rows())?;
                match oidc.present(&claims.jti, presenter, wanted.clone(), now) {
                    Presented::Served(oidc) => {
                        recheck.write(rows, &session, oidc)?;
                        Ok(None)
                    },
                    Presented::JustSpent => Err(TokenError::JustSpent.into()),
                    Presented::Ended(reason) => {
                        rows.set_removal_verb("revoke");
                        revocation.end(rows, &key, &session)?;
                        Ok::<_, GrantError>(Some(reason))
                    },
                }
            })
            .await?;
        match ended {
            None => Ok(()),
            Some(reason) => {
                let session = renewal.live.session.entity.id.as_str();
                tracing::warn!(session, %reason, "the session was ended");
                Err(TokenError::Revoked.into())
            },
        }
    }

    /// Changes what a session has of OIDC, if it is still valid.
    async fn update_session(
        &self,
        live: &LiveSession,
        passed: Vec<SignerId>,
        change: impl Fn(&OidcSession) -> Result<OidcSession, GrantError> + Send + 'static,
    ) -> Result<(), GrantError> {
        let recheck = Recheck::new(self, live.session.key, passed);
        let actor = Actor::without_session(self.client.origin, live.identity.entity.id.as_str());
        self.app
            .commit(actor, move |rows| {
                let (session, oidc) = recheck.session(rows.rows())?;
                let oidc = change(&oidc)?;
                recheck.write(rows, &session, oidc)
            })
            .await
    }

    /// Tells that a session got tokens, and whether a certificate came with them.
    fn publish(&self, kind: ApiSessionKind, live: &LiveSession, has_certificate: bool) {
        self.app.publish(Namespace::ApiSession, || {
            let session = &live.session.entity;
            Body::ApiSession(events::ApiSession {
                kind,
                id: session.id.as_str().into(),
                session_type: ApiSessionType::Jwt,
                identity_id: session.identity.as_str().into(),
                ip_address: self.client.origin.peer.to_string().into(),
                has_certificate,
            })
        });
    }

    /// How long tokens of a session last. None outlives it.
    fn lifetimes(&self, live: &LiveSession) -> TokenLifetimes {
        let is_admin = live.identity.entity.has_admin_rights();
        let limits = self.app.settings().session_lifetimes;
        let end = limits.expires_at(&live.session.entity, is_admin);
        let left = end.map(|end| end.duration_since(self.tokens.now));
        let capped = |usual: SignedDuration| left.map_or(usual, |left| left.min(usual));
        TokenLifetimes {
            access: capped(self.app.oidc.access_token_lifetime),
            refresh: capped(self.app.oidc.refresh_token_lifetime),
        }
    }

    /// Adds the ID token that comes with an access token, if its scopes include one.
    fn add_id_token(
        &self,
        response: &mut TokenResponse,
        live: &LiveSession,
        facts: &SessionFacts,
        origin: IdTokenOrigin<'_>,
    ) -> Result<(), GrantError> {
        if facts.scopes.contains(Scope::OpenId) {
            let origin = IdTokenOrigin {
                access_token: Some(response.access_token()),
                ..origin
            };
            let name = live.identity.entity.name();
            response.id_token = Some(self.tokens.id_token(facts, name, origin)?);
        }
        Ok(())
    }

    fn id_token_response(
        &self,
        live: &LiveSession,
        facts: &SessionFacts,
        exchange: &Exchange,
    ) -> Result<TokenResponse, GrantError> {
        let scopes = facts.scopes.reduced_to(exchange.scope.as_deref());
        let scopes = scopes.map_err(TokenError::from)?;
        if !scopes.contains(Scope::OpenId) {
            return Err(TokenError::Scope(ScopeError).into());
        }
        let name = live.identity.entity.name();
        let token = self
            .tokens
            .id_token(facts, name, IdTokenOrigin::default())?;
        let lifetime = self.app.oidc.id_token_lifetime;
        let expires_in = seconds_left(lifetime);
        Ok(TokenResponse::of_id_token(token, expires_in, &scopes))
    }
}

/// An answer with an access token.
fn response_with(
    access: SecretString,
    facts: &SessionFacts,
    lifetimes: TokenLifetimes,
) -> TokenResponse {
    TokenResponse::new(access, seconds_left(lifetimes.access), &facts.scopes)
}

/// Binds tokens to the certificate of the login as it was renewed through the session.
fn bind_renewed(facts: &mut SessionFacts, session: &ApiSession) {
    let (Some(certificate), Some(of_login)) = (&session.certificate, &mut facts.z_acf) else {
        return;
    };
    if *of_login == certificate.fingerprint {
        return;
    }
    for bound in facts.z_cfs.iter_mut().flatten() {
        if bound == of_login {
            bound.clone_from(&certificate.fingerprint);
        }
    }
    of_login.clone_from(&certificate.fingerprint);
}

fn revocable(claims: &RefreshClaims) -> RevocableToken<'_> {
    RevocableToken {
        id: claims.jti.as_str(),
        session: &claims.session.z_asid,
        identity: &claims.session.sub,
        issued_at: time(claims.iat),
    }
}

/// How long tokens last that are issued now.
#[derive(Clone, Copy)]
struct TokenLifetimes {
    access: SignedDuration,
    refresh: SignedDuration,
}

/// The external signers whose tokens were shown in a login.
fn passed_by(login: &AuthenticatedLogin) -> Vec<SignerId> {
    signers_in(&login.amr())
}

/// The external signers whose tokens were shown in the login of a session.
fn passed_in(facts: &SessionFacts) -> Vec<SignerId> {
    signers_in(&facts.amr)
}

fn signers_in(amr: &[Amr]) -> Vec<SignerId> {
    let signers = amr.iter().filter_map(|amr| match amr {
        Amr::ExternalSigner(signer) => Some(signer.clone()),
        Amr::Method(_) | Amr::Totp => None,
    });
    signers.collect()
}

/// Checks that no factor is open by the policy as it is now. Routers judge tokens by themselves, so
/// none is issued for a session that would be partial.
fn check_factors(live: &LiveSession, passed: &[SignerId]) -> Result<(), TokenError> {
    let demanded = live.policy.spec.secondary.require_ext_jwt_signer.as_ref();
    let shown = demanded.filter(|demanded| passed.contains(demanded));
    let session = &live.session.entity;
    if session.open_factors(&live.policy, shown).is_empty() {
        Ok(())
    } else {
        Err(TokenError::OpenFactor)
    }
}

/// Judges a session again in the transaction that changes it.
#[derive(Clone)]
struct Recheck {
    key: RecordKey,
    passed: Vec<SignerId>,
    lifetimes: SessionLifetimes,
    now: Timestamp,
}

impl Recheck {
    fn new(grant: &TokenGrant<'_>, key: RecordKey, passed: Vec<SignerId>) -> Self {
        Self {
            key,
            passed,
            lifetimes: grant.app.settings().session_lifetimes,
            now: grant.tokens.now,
        }
    }

    fn session(&self, rows: Rows<'_>) -> Result<(Arc<ApiSession>, OidcSession), GrantError> {
        let session: Arc<ApiSession> = rows.get_shared(&self.key)?.ok_or(TokenError::Revoked)?;
        let found = Found {
            key: self.key,
            entity: Arc::clone(&session),
        };
        let live = validate(rows, found, self.lifetimes, self.now)?;
        check_factors(&live.ok_or(TokenError::Revoked)?, &self.passed)?;
        let oidc = session.oidc.clone().ok_or(TokenError::Revoked)?;
        Ok((session, oidc))
    }

    fn write(
        &self,
        rows: &mut RowsMut<'_>,
        session: &ApiSession,
        oidc: OidcSession,
    ) -> Result<(), GrantError> {
        if session.oidc.as_ref() == Some(&oidc) {
            return Ok(());
        }
        let mut after = session.clone();
        after.oidc = Some(oidc);
        Ok(rows.replace(&self.key, session, &after)?)
    }
}
