//! States of a login before there is a code.

use super::factors::{self, ClientDetails, PrimaryFactor, SecondaryFactor};
use crate::amr::Amr;
use crate::authorization::AuthorizationRequest;
use portcullis_domain::ids::IdentityId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A login before there is a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// Nobody has proved anything.
    Begun(Arc<AuthorizationRequest>),
    /// It is known whose login it is, and something is missing.
    Open {
        login: Arc<AuthenticatedLogin>,
        /// Never empty.
        missing: BTreeSet<SecondaryFactor>,
    },
    /// A code can be issued.
    Complete(Arc<AuthenticatedLogin>),
}

/// A login of which the first factor was proved, by the identity that all others belong to as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedLogin {
    request: Arc<AuthorizationRequest>,
    primary: PrimaryFactor,
    client: ClientDetails,
    passed: BTreeSet<SecondaryFactor>,
}

/// A step of a login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// A secondary factor, or a TOTP enrollment, before the first factor.
    #[error("the first factor has not been proved yet")]
    NotAuthenticated,
    #[error("the login belongs to another identity")]
    OtherIdentity,
}

impl Login {
    /// A login for `request`.
    pub fn begin(request: AuthorizationRequest) -> Self {
        Self::Begun(Arc::new(request))
    }

    /// The login after a first factor was proved, together with `passed` that came in the same request. A
    /// later proof of a first factor changes nothing but that; clients repeat the first one to send the
    /// token of a second.
    ///
    /// # Errors
    ///
    /// [`LoginError::OtherIdentity`] if it is not the identity that began to log in.
    pub fn authenticate(
        &self,
        primary: PrimaryFactor,
        client: ClientDetails,
        passed: impl IntoIterator<Item = SecondaryFactor>,
        needed: impl IntoIterator<Item = SecondaryFactor>,
    ) -> Result<Self, LoginError> {
        let mut login = match self {
            Self::Begun(request) => AuthenticatedLogin {
                request: Arc::clone(request),
                primary,
                client,
                passed: BTreeSet::new(),
            },
            Self::Open { login, .. } | Self::Complete(login) => {
                login.check_identity(&primary.identity)?;
                AuthenticatedLogin::clone(login)
            },
        };
        login.passed.extend(passed);
        Ok(login.into_state(needed))
    }

    /// The login after `identity` proved a secondary factor.
    ///
    /// # Errors
    ///
    /// [`LoginError`] if there is no first factor, or it was that of another identity.
    pub fn pass(
        &self,
        identity: &IdentityId,
        factor: SecondaryFactor,
        needed: impl IntoIterator<Item = SecondaryFactor>,
    ) -> Result<Self, LoginError> {
        let login = self.authenticated()?;
        login.check_identity(identity)?;
        let mut login = login.clone();
        login.passed.insert(factor);
        Ok(login.into_state(needed))
    }

    /// What is known once the first factor was proved. Secondary factors and TOTP enrollments start here.
    ///
    /// # Errors
    ///
    /// [`LoginError::NotAuthenticated`] before.
    pub fn authenticated(&self) -> Result<&AuthenticatedLogin, LoginError> {
        match self {
            Self::Begun(_) => Err(LoginError::NotAuthenticated),
            Self::Open { login, .. } | Self::Complete(login) => Ok(login),
        }
    }

    pub fn request(&self) -> &AuthorizationRequest {
        match self {
            Self::Begun(request) => request,
            Self::Open { login, .. } | Self::Complete(login) => &login.request,
        }
    }

    /// The secondary factors that are missing, as they were needed at the last step.
    pub fn missing(&self) -> impl Iterator<Item = &SecondaryFactor> {
        let missing = match self {
            Self::Open { missing, .. } => Some(missing),
            Self::Begun(_) | Self::Complete(_) => None,
        };
        missing.into_iter().flatten()
    }
}

impl AuthenticatedLogin {
    fn into_state(self, needed: impl IntoIterator<Item = SecondaryFactor>) -> Login {
        let needed = needed.into_iter();
        let missing: BTreeSet<_> = needed
            .filter(|factor| !self.passed.contains(factor))
            .collect();
        let login = Arc::new(self);
        if missing.is_empty() {
            Login::Complete(login)
        } else {
            Login::Open { login, missing }
        }
    }

    fn check_identity(&self, identity: &IdentityId) -> Result<(), LoginError> {
        if self.primary.identity == *identity {
            Ok(())
        } else {
            Err(LoginError::OtherIdentity)
        }
    }

    pub fn identity(&self) -> &IdentityId {
        &self.primary.identity
    }

    pub fn request(&self) -> &AuthorizationRequest {
        &self.request
    }

    pub fn primary(&self) -> &PrimaryFactor {
        &self.primary
    }

    pub fn client(&self) -> &ClientDetails {
        &self.client
    }

    pub fn has_passed(&self, factor: &SecondaryFactor) -> bool {
        self.passed.contains(factor)
    }

    /// The values of the claim `amr`.
    pub fn amr(&self) -> Vec<Amr> {
        factors::amr(&self.primary, &self.passed)
    }
}

#[cfg(test)]
mod tests;
