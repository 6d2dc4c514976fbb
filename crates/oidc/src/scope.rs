//! Scopes.

use serde::{Deserialize, Serialize};

/// A scope that clients can be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// ID tokens and user information.
    #[serde(rename = "openid")]
    OpenId,
    /// The name of the identity.
    Profile,
    /// Refresh tokens.
    OfflineAccess,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::OpenId, Self::Profile, Self::OfflineAccess];

    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenId => "openid",
            Self::Profile => "profile",
            Self::OfflineAccess => "offline_access",
        }
    }
}

/// Longest parameter `scope`.
const MAX_BYTES: usize = 1024;

/// Scopes without repetition, in the order in which they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scopes(Vec<Scope>);

/// A list of scopes is empty, malformed, or more than can be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("scope is missing or malformed, or exceeds what can be granted")]
pub struct ScopeError;

impl Scopes {
    /// Parses the parameter `scope` of an authorization request. Unknown scopes are ignored (OpenID Connect
    /// Core section 3.1.2.1), but something must remain (RFC 6749 section 3.3).
    pub fn parse(text: Option<&str>) -> Result<Self, ScopeError> {
        let mut scopes = Vec::with_capacity(Scope::ALL.len());
        for name in names(text.unwrap_or_default())? {
            let known = Scope::ALL.into_iter().find(|scope| scope.name() == name);
            scopes.extend(known.filter(|scope| !scopes.contains(scope)));
        }
        if scopes.is_empty() {
            return Err(ScopeError);
        }
        Ok(Self(scopes))
    }

    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// The scopes that `requested`, the parameter `scope` of a refresh, leaves of these; all of them without
    /// it. One that was not granted is refused, known or not (RFC 6749 section 6).
    pub fn reduced_to(&self, requested: Option<&str>) -> Result<Self, ScopeError> {
        let Some(requested) = requested else {
            return Ok(self.clone());
        };
        let was_granted = |name| self.0.iter().any(|scope| scope.name() == name);
        if !names(requested)?.all(was_granted) {
            return Err(ScopeError);
        }
        Self::parse(Some(requested))
    }
}

/// Splits a list (RFC 6749 section 3.3).
fn names(text: &str) -> Result<impl Iterator<Item = &str>, ScopeError> {
    let is_allowed =
        |byte: u8| (byte.is_ascii_graphic() || byte == b' ') && !b"\"\\".contains(&byte);
    if text.len() > MAX_BYTES || !text.bytes().all(is_allowed) {
        return Err(ScopeError);
    }
    Ok(text.split(' ').filter(|name| !name.is_empty()))
}

impl std::fmt::Display for Scopes {
    /// The form of the parameter `scope`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            let delimiter = if index == 0 { "" } else { " " };
            write!(formatter, "{delimiter}{}", scope.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_scopes_are_granted_in_their_order() {
        for (requested, granted) in [
            ("openid offline_access", "openid offline_access"),
            ("offline_access openid openid", "offline_access openid"),
            (" openid  profile ", "openid profile"),
            ("openid email urn:x#y", "openid"),
        ] {
            let scopes = Scopes::parse(Some(requested)).unwrap();
            assert_eq!(scopes.to_string(), granted);
            let json = serde_json::to_value(&scopes).unwrap();
            let names: Vec<_> = granted.split(' ').collect();
            assert_eq!(json, serde_json::json!(names));
        }
    }

    #[test]
    fn empty_and_malformed_lists_are_refused() {
        let long = "openid ".repeat(200);
        for requested in [
            "",
            " ",
            "email",
            "openid\tprofile",
            "openid \"",
            "openid é",
            &long,
        ] {
            assert_eq!(
                Scopes::parse(Some(requested)),
                Err(ScopeError),
                "{requested}"
            );
        }
        assert_eq!(Scopes::parse(None), Err(ScopeError));
    }

    #[test]
    fn refresh_only_reduces() {
        let granted = Scopes::parse(Some("openid offline_access")).unwrap();
        assert_eq!(granted.reduced_to(None), Ok(granted.clone()));
        let reduced = granted.reduced_to(Some("openid")).unwrap();
        assert_eq!(reduced.to_string(), "openid");
        for beyond in ["openid profile", "openid unknown", "", "openid \u{7f}"] {
            assert_eq!(
                granted.reduced_to(Some(beyond)),
                Err(ScopeError),
                "{beyond}"
            );
        }
    }
}
