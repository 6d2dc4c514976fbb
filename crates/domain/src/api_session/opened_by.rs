//! Credentials that open sessions.

use crate::identity::IdentityType;
use crate::ids::{AuthenticatorId, SignerId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The credential that opened a session.
///
/// The text form is the `authenticatorId` of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum OpenedBy {
    /// An authenticator of the identity.
    Authenticator(AuthenticatorId),
    /// A certificate of a third-party authority that contains the external id of the identity.
    ExternalId,
    /// A token of an external signer.
    Signer(SignerId),
}

/// No authenticator id collides with it: those are longer.
const INTERNAL: &str = "internal";

/// Ids contain no colon.
const SIGNER_PREFIX: &str = "extJwtId:";

impl OpenedBy {
    /// The text form on the wire.
    pub fn wire(&self) -> Cow<'_, str> {
        match self {
            Self::Authenticator(id) => Cow::Borrowed(id.as_str()),
            Self::ExternalId => Cow::Borrowed(INTERNAL),
            Self::Signer(id) => Cow::Owned(format!("{SIGNER_PREFIX}{id}")),
        }
    }

    /// Whether identities of this type may log in with it. Router identities use authenticators
    /// only, never certificates or tokens of third parties.
    pub fn is_allowed_for(&self, kind: IdentityType) -> bool {
        kind != IdentityType::Router || matches!(self, Self::Authenticator(_))
    }
}

impl From<OpenedBy> for String {
    fn from(opened_by: OpenedBy) -> Self {
        opened_by.wire().into_owned()
    }
}

impl From<String> for OpenedBy {
    fn from(text: String) -> Self {
        if text == INTERNAL {
            Self::ExternalId
        } else if let Some(id) = text.strip_prefix(SIGNER_PREFIX) {
            Self::Signer(SignerId::from_wire(id))
        } else {
            Self::Authenticator(AuthenticatorId::from_wire(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_leads_back() {
        for (opened_by, text) in [
            (
                OpenedBy::Authenticator(AuthenticatorId::from_wire("aB3")),
                r#""aB3""#,
            ),
            (OpenedBy::ExternalId, r#""internal""#),
            (
                OpenedBy::Signer(SignerId::from_wire("s1")),
                r#""extJwtId:s1""#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&opened_by).unwrap(), text);
            assert_eq!(serde_json::from_str::<OpenedBy>(text).unwrap(), opened_by);
        }
    }
}
