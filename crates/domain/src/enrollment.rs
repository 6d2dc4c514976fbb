//! Enrollments: single-use permissions to obtain a credential.
//!
//! States: *pending* until redeemed, deleted or expired. Redemption consumes the enrollment in the
//! transaction that makes the authenticator; an expired one can only be refreshed or deleted.

mod expiry;

use crate::clock::Timestamp;
use crate::ids::{CaId, EnrollmentId, IdentityId, RouterId};
use crate::tags::Tags;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// A pending enrollment, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Enrollment {
    /// Kept when the enrollment is refreshed.
    pub id: EnrollmentId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// Last refresh.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    #[serde(flatten)]
    pub purpose: EnrollmentPurpose,
    /// Exclusive.
    #[serde(flatten, with = "expiry")]
    pub expires_at: Timestamp,
    /// Whether the identity has gained rights since the token was drawn. Others may have seen the
    /// token before, so it cannot be redeemed until it is refreshed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outgrown: bool,
}

/// Secrets that redeem an enrollment.
#[derive(Debug, Clone)]
pub struct EnrollmentSecrets {
    /// The token, a UUID.
    pub token: SecretString,
    /// The token as a signed JWT.
    pub jwt: SecretString,
}

/// Recipient of the credential, and the enrollment method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EnrollmentPurpose {
    /// An identity obtains an authenticator.
    Identity {
        identity: IdentityId,
        method: EnrollmentMethod,
    },
    /// A router obtains its certificate, with a certificate request.
    Router {
        router: RouterId,
        /// Whether it is an edge router.
        is_edge: bool,
    },
}

/// Enrollment method of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnrollmentMethod {
    /// With a certificate request, signed by the network's own authority.
    Ott,
    /// With a certificate of a third-party authority.
    OttCa { ca: CaId },
    /// With a password chosen by the user.
    Updb {
        /// The username that the password will belong to.
        username: String,
    },
}

/// Kinds of [`EnrollmentMethod`], without their data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EnrollmentMethodKind {
    Ott,
    OttCa,
    Updb,
}

impl EnrollmentMethodKind {
    pub const ALL: [Self; 3] = [Self::Ott, Self::OttCa, Self::Updb];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ott => "ott",
            Self::OttCa => "ottca",
            Self::Updb => "updb",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl EnrollmentMethod {
    pub fn kind(&self) -> EnrollmentMethodKind {
        match self {
            Self::Ott => EnrollmentMethodKind::Ott,
            Self::OttCa { .. } => EnrollmentMethodKind::OttCa,
            Self::Updb { .. } => EnrollmentMethodKind::Updb,
        }
    }
}

/// An enrollment cannot be redeemed. It is not consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RedemptionError {
    #[error("the token is for another enrollment method")]
    WrongMethod,
    #[error("the enrollment has expired")]
    Expired,
}

impl EnrollmentPurpose {
    /// Method name on the wire.
    pub fn method_name(&self) -> &'static str {
        match self {
            Self::Identity { method, .. } => method.kind().name(),
            Self::Router { is_edge: true, .. } => "erott",
            Self::Router { is_edge: false, .. } => "trott",
        }
    }

    /// The method, for enrollments of identities.
    pub fn method(&self) -> Option<&EnrollmentMethod> {
        match self {
            Self::Identity { method, .. } => Some(method),
            Self::Router { .. } => None,
        }
    }

    /// The third-party authority whose certificate is required.
    pub fn ca(&self) -> Option<&CaId> {
        match self.method() {
            Some(EnrollmentMethod::OttCa { ca }) => Some(ca),
            Some(EnrollmentMethod::Ott | EnrollmentMethod::Updb { .. }) | None => None,
        }
    }

    /// Id of the identity or router.
    pub fn owner_id(&self) -> &str {
        match self {
            Self::Identity { identity, .. } => identity.as_str(),
            Self::Router { router, .. } => router.as_str(),
        }
    }
}

impl Enrollment {
    /// An enrollment that begins at `now`, without tags.
    pub fn new(
        id: EnrollmentId,
        purpose: EnrollmentPurpose,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            purpose,
            expires_at,
            is_outgrown: false,
        }
    }

    /// Whether it has expired at `now`; `expires_at` itself counts as expired.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    /// Validates that it can be redeemed at `now` by `method`; `None` accepts any method.
    ///
    /// # Errors
    ///
    /// [`RedemptionError`]; the method is checked before the expiry.
    pub fn validate_redemption(
        &self,
        method: Option<&str>,
        now: Timestamp,
    ) -> Result<(), RedemptionError> {
        if method.is_some_and(|name| name != self.purpose.method_name()) {
            Err(RedemptionError::WrongMethod)
        } else if self.is_expired(now) {
            Err(RedemptionError::Expired)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending_at(second: i64) -> Enrollment {
        Enrollment::new(
            EnrollmentId::from_wire("e"),
            EnrollmentPurpose::Identity {
                identity: IdentityId::from_wire("i"),
                method: EnrollmentMethod::Ott,
            },
            Timestamp::from_second(second).unwrap(),
            Timestamp::UNIX_EPOCH,
        )
    }

    #[test]
    fn enrollment_ends_at_the_named_second() {
        let enrollment = ending_at(100);
        let at = |second| {
            enrollment.validate_redemption(Some("ott"), Timestamp::from_second(second).unwrap())
        };
        assert_eq!(at(99), Ok(()));
        assert_eq!(at(100), Err(RedemptionError::Expired));
        assert_eq!(at(101), Err(RedemptionError::Expired));
    }

    #[test]
    fn method_is_checked_before_time() {
        let late = Timestamp::from_second(200).unwrap();
        assert_eq!(
            ending_at(100).validate_redemption(Some("updb"), late),
            Err(RedemptionError::WrongMethod)
        );
        assert_eq!(ending_at(300).validate_redemption(None, late), Ok(()));
    }

    #[test]
    fn records_of_identities_and_of_routers_are_read_back() {
        let router = Enrollment {
            purpose: EnrollmentPurpose::Router {
                router: RouterId::from_wire("r"),
                is_edge: true,
            },
            ..ending_at(100)
        };
        for (enrollment, name) in [(ending_at(100), "ott"), (router, "erott")] {
            assert_eq!(enrollment.purpose.method_name(), name);
            let json = serde_json::to_string(&enrollment).unwrap();
            let read: Enrollment = serde_json::from_str(&json).unwrap();
            assert_eq!(read, enrollment, "{json}");
        }
        let old = r#"{"id":"e","created_at":0,"updated_at":0,"identity":"i",
            "method":"ott","expires_at":100}"#;
        let read: Enrollment = serde_json::from_str(old).unwrap();
        assert_eq!(read, ending_at(100));
    }

    #[test]
    fn secrets_do_not_show() {
        let secrets = EnrollmentSecrets {
            token: "opensesame".into(),
            jwt: "opensesame".into(),
        };
        assert!(!format!("{secrets:?}").contains("opensesame"));
    }
}
