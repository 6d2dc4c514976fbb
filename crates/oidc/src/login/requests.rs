//! Logins in memory.

mod shelf;

use super::binding::{Binding, BindingSecret, Presenter};
use super::code::{AuthorizationCode, RedeemError, Redemption};
use super::state::{AuthenticatedLogin, Login};
use crate::authorization::{AuthorizationRequest, ErrorRedirect, RedirectedError};
use crate::secret::SecretHash;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_domain::peer::Peer;
use shelf::Shelf;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long a login may take; and how long its code is remembered.
pub const LOGIN_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// How long a code can be redeemed. Clients do so at once.
pub const CODE_LIFETIME: SignedDuration = SignedDuration::from_mins(1);

/// How many logins are kept. One takes at most about 12 KiB before its first factor is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginLimits {
    /// In all.
    pub total: usize,
    /// Of one peer.
    pub per_peer: usize,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            total: 4096,
            per_peer: 512,
        }
    }
}

/// Id of a login request, a random UUID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRequestId(String);

impl LoginRequestId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A login that was begun.
#[derive(Debug, Clone)]
pub struct NewLogin {
    pub id: LoginRequestId,
    /// The value of a cookie of its browser.
    pub secret: BindingSecret,
}

/// A login request cannot be used. All cases get the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginRequestError {
    #[error("the login request is unknown, has expired or gave way to others")]
    Unknown,
    #[error("a code was already issued for the login request")]
    Finished,
    #[error("the login request was begun by somebody else")]
    OtherBrowser,
}

/// No code is issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    #[error(transparent)]
    Request(#[from] LoginRequestError),
    /// The client is told so.
    #[error("the login is not complete")]
    Incomplete(ErrorRedirect),
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// The logins that are under way, and the codes that were issued.
///
/// Everybody may begin a login, so their number is bounded, of one peer and in all. Nobody is refused at the
/// limit: the oldest of the peer, or of the peer that has most, gives way.
#[derive(Debug, Default)]
pub struct LoginRequests {
    shelf: Shelf,
    /// Ids of login requests by their code, both as hashes.
    codes: BTreeMap<SecretHash, SecretHash>,
}

#[derive(Debug)]
struct Entry {
    binding: Binding,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Login(Login),
    Issued {
        code: SecretHash,
        login: Arc<AuthenticatedLogin>,
        used: CodeUse,
    },
}

/// How often a code was redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeUse {
    Never,
    Once,
    /// So it counts no more, whatever came of the first time.
    Twice,
}

impl LoginRequests {
    pub fn new(limits: LoginLimits) -> Self {
        Self {
            shelf: Shelf::new(limits),
            codes: BTreeMap::new(),
        }
    }

    /// Begins a login that `peer` asks for.
    pub fn begin(
        &mut self,
        request: AuthorizationRequest,
        peer: Peer,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<NewLogin, EntropyError> {
        let id = LoginRequestId(entropy::uuid(entropy)?);
        let secret = BindingSecret::generate(entropy)?;
        let entry = Entry {
            binding: Binding::new(&secret),
            stage: Stage::Login(Login::begin(request)),
        };
        self.expire(now);
        let key = SecretHash::of(id.as_str());
        let displaced = self.shelf.insert(key, peer, entry, now);
        self.forget_codes(displaced);
        Ok(NewLogin { id, secret })
    }

    /// The state of a login.
    pub fn get(
        &mut self,
        id: &str,
        presenter: Presenter<'_>,
        now: Timestamp,
    ) -> Result<&Login, LoginRequestError> {
        self.login_mut(id, presenter, now).map(|login| &*login)
    }

    /// Takes a step. It gets the state as it is now, which may differ from the one that [`LoginRequests::get`]
    /// returned; if it fails, the state stays as it is.
    pub fn advance<E: From<LoginRequestError>>(
        &mut self,
        id: &str,
        presenter: Presenter<'_>,
        now: Timestamp,
        step: impl FnOnce(&Login) -> Result<Login, E>,
    ) -> Result<&Login, E> {
        let login = self.login_mut(id, presenter, now)?;
        *login = step(login)?;
        Ok(login)
    }

    /// Issues the code of a complete login, once, and returns the `Location` that its browser is sent to.
    pub fn issue_code(
        &mut self,
        id: &str,
        presenter: Presenter<'_>,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<String, IssueError> {
        let login = match self.login_mut(id, presenter, now)? {
            Login::Complete(login) => Arc::clone(login),
            incomplete @ (Login::Begun(_) | Login::Open { .. }) => {
                let error = RedirectedError::InteractionRequired;
                return Err(IssueError::Incomplete(
                    incomplete.request().error_redirect(error),
                ));
            },
        };
        let code = AuthorizationCode::generate(entropy)?;
        let location = code_location(login.request(), &code);
        let issued = Stage::Issued {
            code: code.hash(),
            login,
            used: CodeUse::Never,
        };
        let key = SecretHash::of(id);
        self.shelf.replace(key, now, issued);
        self.codes.insert(code.hash(), key);
        Ok(location)
    }

    /// Redeems a code, once. If that leads to no tokens, [`LoginRequests::restore`] undoes it.
    pub fn redeem(
        &mut self,
        redemption: &Redemption,
        now: Timestamp,
    ) -> Result<Arc<AuthenticatedLogin>, RedeemError> {
        self.expire(now);
        let issued = self.issued_mut(&redemption.code, now);
        let (login, used, age) = issued.ok_or(RedeemError::Unknown)?;
        redemption.check(login.request())?;
        if *used != CodeUse::Never {
            *used = CodeUse::Twice;
            let session = login.primary().session.clone();
            return Err(RedeemError::Replayed { session });
        }
        if age >= CODE_LIFETIME {
            return Err(RedeemError::Expired);
        }
        *used = CodeUse::Once;
        Ok(Arc::clone(login))
    }

    /// Lets the client redeem a code again, for as long as it lives, if it was redeemed once.
    pub fn restore(&mut self, code: &AuthorizationCode, now: Timestamp) {
        if let Some((_, used @ CodeUse::Once, _)) = self.issued_mut(code, now) {
            *used = CodeUse::Never;
        }
    }

    /// Forgets what has expired.
    pub fn expire(&mut self, now: Timestamp) {
        let expired = self.shelf.take_expired(now);
        self.forget_codes(expired);
    }

    /// Number of logins and codes that are kept.
    pub fn len(&self) -> usize {
        self.shelf.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn login_mut(
        &mut self,
        id: &str,
        presenter: Presenter<'_>,
        now: Timestamp,
    ) -> Result<&mut Login, LoginRequestError> {
        let entry = self.shelf.get_mut(SecretHash::of(id), now);
        let (entry, _age) = entry.ok_or(LoginRequestError::Unknown)?;
        if !entry.binding.admits(presenter) {
            return Err(LoginRequestError::OtherBrowser);
        }
        match &mut entry.stage {
            Stage::Login(login) => Ok(login),
            Stage::Issued { .. } => Err(LoginRequestError::Finished),
        }
    }

    /// The login that a code was issued for, how the code was used, and how old it is.
    fn issued_mut(
        &mut self,
        code: &AuthorizationCode,
        now: Timestamp,
    ) -> Option<(&Arc<AuthenticatedLogin>, &mut CodeUse, SignedDuration)> {
        let id = *self.codes.get(&code.hash())?;
        let (entry, age) = self.shelf.get_mut(id, now)?;
        match &mut entry.stage {
            Stage::Login(_) => None,
            Stage::Issued { login, used, .. } => Some((login, used, age)),
        }
    }

    fn forget_codes(&mut self, gone: Vec<Entry>) {
        for entry in gone {
            if let Stage::Issued { code, .. } = entry.stage {
                self.codes.remove(&code);
            }
        }
    }
}

fn code_location(request: &AuthorizationRequest, code: &AuthorizationCode) -> String {
    let state = request.state.iter().map(|state| ("state", state.as_str()));
    let parameters: Vec<_> = std::iter::once(("code", code.expose()))
        .chain(state)
        .collect();
    request.redirect_uri.with_parameters(&parameters)
}

#[cfg(test)]
mod tests;
