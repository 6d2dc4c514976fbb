//! Enrollments: the single-use permission to obtain a credential.
//!
//! States: *pending* until redeemed, deleted or expired. Redemption consumes the enrollment in the
//! transaction that makes the authenticator; an expired one can only be refreshed or deleted.

mod expiry;

use crate::clock::Timestamp;
use crate::ids::{CaId, EnrollmentId, IdentityId, RouterId};
use crate::tags::Tags;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// A pending enrollment, without what redeems it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrollment {
    /// Its id, kept over a refresh.
    pub id: EnrollmentId,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it was last refreshed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Who is to obtain a credential, and how.
    #[serde(flatten)]
    pub purpose: Purpose,
    /// When it ends, exclusive.
    #[serde(flatten, with = "expiry")]
    pub expires_at: Timestamp,
    /// Whether its identity may do more than when the token was drawn. Others may have seen it then
    /// who are not to come up with the identity, so it opens nothing until it is refreshed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outgrown: bool,
}

/// What redeems an enrollment.
#[derive(Debug, Clone)]
pub struct EnrollmentSecrets {
    /// The token, a UUID.
    pub token: SecretString,
    /// The token in the signed form that is handed to a person.
    pub jwt: SecretString,
}

/// Who obtains a credential by an enrollment, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Purpose {
    /// An identity obtains an authenticator.
    Identity {
        /// The identity.
        identity: IdentityId,
        /// How it is redeemed.
        method: Method,
    },
    /// A router obtains its certificate, with a certificate request.
    Router {
        /// The router.
        router: RouterId,
        /// Whether it is an edge router.
        is_edge: bool,
    },
}

/// How an enrollment of an identity is redeemed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// With a certificate request, signed by the network's own authority.
    Ott,
    /// With a certificate of a third-party authority.
    OttCa {
        /// The authority.
        ca: CaId,
    },
    /// By choosing a password.
    Updb {
        /// The username that the password will belong to.
        username: String,
    },
}

/// The kinds of [`Method`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MethodKind {
    /// See [`Method::Ott`].
    Ott,
    /// See [`Method::OttCa`].
    OttCa,
    /// See [`Method::Updb`].
    Updb,
}

impl MethodKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Ott, Self::OttCa, Self::Updb];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ott => "ott",
            Self::OttCa => "ottca",
            Self::Updb => "updb",
        }
    }

    /// Finds the kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Method {
    /// Its kind.
    pub fn kind(&self) -> MethodKind {
        match self {
            Self::Ott => MethodKind::Ott,
            Self::OttCa { .. } => MethodKind::OttCa,
            Self::Updb { .. } => MethodKind::Updb,
        }
    }
}

/// An enrollment cannot be redeemed as asked. None of these consumes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RedemptionError {
    /// The token belongs to another method.
    #[error("the token is for another enrollment method")]
    WrongMethod,
    /// Its time is over.
    #[error("the enrollment has expired")]
    Expired,
}

impl Purpose {
    /// How it is redeemed: the word on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Identity { method, .. } => method.kind().name(),
            Self::Router { is_edge: true, .. } => "erott",
            Self::Router { is_edge: false, .. } => "trott",
        }
    }

    /// How an identity redeems it.
    pub fn method(&self) -> Option<&Method> {
        match self {
            Self::Identity { method, .. } => Some(method),
            Self::Router { .. } => None,
        }
    }

    /// The third-party authority whose certificate is demanded.
    pub fn ca(&self) -> Option<&CaId> {
        match self.method() {
            Some(Method::OttCa { ca }) => Some(ca),
            Some(Method::Ott | Method::Updb { .. }) | None => None,
        }
    }

    /// The id of whoever obtains a credential.
    pub fn holder(&self) -> &str {
        match self {
            Self::Identity { identity, .. } => identity.as_str(),
            Self::Router { router, .. } => router.as_str(),
        }
    }
}

impl Enrollment {
    /// Whether its time is over at `now`: it ends at the instant named, not after it.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    /// Checks that it may be redeemed at `now` in the way asked for; no way asked for is any.
    ///
    /// # Errors
    ///
    /// [`RedemptionError`], the method before the time.
    pub fn check(&self, asked: Option<&str>, now: Timestamp) -> Result<(), RedemptionError> {
        if asked.is_some_and(|name| name != self.purpose.name()) {
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
        let epoch = Timestamp::UNIX_EPOCH;
        Enrollment {
            id: EnrollmentId::from_wire("e"),
            created_at: epoch,
            updated_at: epoch,
            tags: Tags::default(),
            purpose: Purpose::Identity {
                identity: IdentityId::from_wire("i"),
                method: Method::Ott,
            },
            expires_at: Timestamp::from_second(second).unwrap(),
            is_outgrown: false,
        }
    }

    #[test]
    fn enrollment_ends_at_the_named_second() {
        let enrollment = ending_at(100);
        let at = |second| enrollment.check(Some("ott"), Timestamp::from_second(second).unwrap());
        assert_eq!(at(99), Ok(()));
        assert_eq!(at(100), Err(RedemptionError::Expired));
        assert_eq!(at(101), Err(RedemptionError::Expired));
    }

    #[test]
    fn method_is_checked_before_time() {
        let late = Timestamp::from_second(200).unwrap();
        assert_eq!(
            ending_at(100).check(Some("updb"), late),
            Err(RedemptionError::WrongMethod)
        );
        assert_eq!(ending_at(300).check(None, late), Ok(()));
    }

    #[test]
    fn records_of_identities_and_of_routers_are_read_back() {
        let router = Enrollment {
            purpose: Purpose::Router {
                router: RouterId::from_wire("r"),
                is_edge: true,
            },
            ..ending_at(100)
        };
        for (enrollment, name) in [(ending_at(100), "ott"), (router, "erott")] {
            assert_eq!(enrollment.purpose.name(), name);
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
