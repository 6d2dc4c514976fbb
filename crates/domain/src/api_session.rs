//! API sessions.

mod lifetime;
mod opened_by;

pub use lifetime::SessionLifetimes;
pub use opened_by::OpenedBy;

use crate::access::AuthLevel;
use crate::auth_policy::AuthPolicy;
use crate::clock::{self, SignedDuration, Timestamp};
use crate::ids::{ApiSessionId, CaId, IdentityId, SignerId};
use crate::oidc_session::OidcSession;
use crate::trust_generation::TrustGeneration;
use serde::{Deserialize, Serialize};

/// A session of an identity on the REST APIs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApiSession {
    pub id: ApiSessionId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// Last use as stored; the value in memory may be newer.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub last_activity_at: Timestamp,
    pub identity: IdentityId,
    /// The credential that opened it; the session ends when that credential is revoked.
    #[serde(rename = "authenticator")]
    pub opened_by: OpenedBy,
    /// Trust generation of the signer or third-party authority that opened it. Absent on sessions
    /// from before generations were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<TrustGeneration>,
    /// Present if a certificate opened the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<LoginCertificate>,
    /// Keyed hash of the token, or of the id if an OIDC login opened the session.
    pub token_hash: TokenHash,
    /// The token, which routers are told. Absent if an OIDC login opened the session, and on sessions
    /// from before it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<SealedToken>,
    /// Present if an OIDC login opened the session, so that signed tokens stand for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc: Option<OidcSession>,
    /// Config types that the client asked for, by id or name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub config_types: Vec<String>,
    /// Address of the client, without port.
    pub ip_address: String,
    #[serde(default)]
    pub totp: SessionTotp,
    /// Whether the certificate that opened it was issued by the network and can be extended.
    #[serde(default)]
    pub is_cert_extendable: bool,
    /// Whether the client omitted a required intermediate certificate.
    #[serde(default)]
    pub improper_client_cert_chain: bool,
}

/// The certificate that opened a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginCertificate {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// Fingerprint before a renewal through this session; open connections still present it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// When that renewal was confirmed. Absent on sessions from before this was recorded.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    pub replaced_at: Option<Timestamp>,
    /// The last second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_after: Timestamp,
    /// The third-party authority that issued it; `None` for the network's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<CaId>,
}

impl LoginCertificate {
    /// Whether a fingerprint is that of the certificate, or of the one that it replaced.
    pub fn is_or_replaced(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.has_replaced(fingerprint)
    }

    /// Whether a fingerprint is that of the certificate, or of the one that it replaced less than
    /// `grace` before `now`.
    pub fn is_or_replaced_within(
        &self,
        fingerprint: &str,
        grace: SignedDuration,
        now: Timestamp,
    ) -> bool {
        let is_recent = |at| now < clock::saturating_add(at, grace);
        self.fingerprint == fingerprint
            || (self.has_replaced(fingerprint) && self.replaced_at.is_some_and(is_recent))
    }

    fn has_replaced(&self, fingerprint: &str) -> bool {
        self.previous.as_deref() == Some(fingerprint)
    }
}

/// TOTP state of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTotp {
    /// Whether the identity was enrolled in TOTP at login, or enrolled through this session.
    pub is_required: bool,
    /// When a code was last accepted on this session. Kept after the enrollment is removed; compare
    /// it with the creation time of the current enrollment.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    pub passed_at: Option<Timestamp>,
    /// When a code last counted as a second factor. The code that completes an enrollment does not
    /// count: anyone with the session token could enroll and learn the secret.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    pub factor_at: Option<Timestamp>,
}

impl SessionTotp {
    /// Whether a code was accepted on this session.
    pub fn is_complete(self) -> bool {
        self.passed_at.is_some()
    }
}

/// Keyed hash of a token: identifies the session without revealing the token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(pub [u8; 16]);

impl std::fmt::Debug for TokenHash {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TokenHash(..)")
    }
}

/// A token as the vault has sealed it; it takes the key of the vault to read it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SealedToken(pub String);

impl std::fmt::Debug for SealedToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SealedToken(..)")
    }
}

/// A pending secondary factor of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenFactor {
    /// A TOTP code.
    Totp,
    /// A token of this external signer, required with every request.
    Token(SignerId),
}

impl ApiSession {
    /// A session that `opened_by` opens at `now`: of an unknown address, without a certificate, and
    /// without TOTP. What else is known of the login is set in its fields.
    pub fn new(
        id: ApiSessionId,
        identity: IdentityId,
        opened_by: OpenedBy,
        token_hash: TokenHash,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            created_at: now,
            last_activity_at: now,
            identity,
            opened_by,
            terms: None,
            certificate: None,
            token_hash,
            token: None,
            oidc: None,
            config_types: Vec::new(),
            ip_address: String::new(),
            totp: SessionTotp::default(),
            is_cert_extendable: false,
            improper_client_cert_chain: false,
        }
    }

    /// Whether its login goes on: it lacks its tokens, or the code of a TOTP enrollment. Whoever knows
    /// nothing but a password comes no further.
    ///
    /// What the policy demands beyond that is not known here. So a session of `zt-session` without
    /// an enrollment counts as finished, whatever its policy, and so does one of a policy with an
    /// external JWT as second factor, which is proved with each request.
    pub fn is_unfinished(&self) -> bool {
        let lacks_tokens = self.oidc.as_ref().is_some_and(OidcSession::is_pending);
        lacks_tokens || (self.totp.is_required && !self.totp.is_complete())
    }

    /// The pending factors under `policy`, given the signer of a verified token in the request, if
    /// any.
    pub fn open_factors(
        &self,
        policy: &AuthPolicy,
        verified_signer: Option<&SignerId>,
    ) -> Vec<OpenFactor> {
        let demands_totp = self.totp.is_required || policy.spec.secondary.require_totp;
        let totp = (demands_totp && !self.totp.is_complete()).then_some(OpenFactor::Totp);
        let signer = policy.spec.secondary.require_ext_jwt_signer.as_ref();
        let token = signer
            .filter(|signer| verified_signer != Some(signer))
            .map(|signer| OpenFactor::Token(signer.clone()));
        totp.into_iter().chain(token).collect()
    }

    /// Authentication level under `policy`; see [`ApiSession::open_factors`].
    pub fn auth_level(&self, policy: &AuthPolicy, verified_signer: Option<&SignerId>) -> AuthLevel {
        if self.open_factors(policy, verified_signer).is_empty() {
            AuthLevel::Full
        } else {
            AuthLevel::Partial
        }
    }

    /// Expiry of a session last used at `last_activity`.
    pub fn expires_at(last_activity: Timestamp, timeout: SignedDuration) -> Timestamp {
        clock::saturating_add(last_activity, timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AuthenticatorId;
    use crate::oidc_session::OidcClient;

    fn session(totp: SessionTotp) -> ApiSession {
        ApiSession {
            totp,
            ..ApiSession::new(
                ApiSessionId::from_wire("s"),
                IdentityId::from_wire("i"),
                OpenedBy::Authenticator(AuthenticatorId::from_wire("a")),
                TokenHash([0; 16]),
                Timestamp::UNIX_EPOCH,
            )
        }
    }

    #[test]
    fn standing_follows_the_factors() {
        let plain = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        let mut strict = plain.clone();
        strict.spec.secondary.require_totp = true;
        let totp = |is_required, is_complete: bool| {
            session(SessionTotp {
                is_required,
                passed_at: is_complete.then_some(Timestamp::UNIX_EPOCH),
                factor_at: None,
            })
        };
        for (session, policy, standing) in [
            (totp(false, false), &plain, AuthLevel::Full),
            (totp(true, false), &plain, AuthLevel::Partial),
            (totp(true, true), &plain, AuthLevel::Full),
            (totp(false, false), &strict, AuthLevel::Partial),
            (totp(false, true), &strict, AuthLevel::Full),
        ] {
            assert_eq!(
                session.auth_level(policy, None),
                standing,
                "{:?}",
                session.totp
            );
        }
    }

    #[test]
    fn login_goes_on_until_tokens_and_code_are_there() {
        let pending = OidcSession::pending(OidcClient::Native, Timestamp::UNIX_EPOCH);
        let issued = pending.issued(Timestamp::UNIX_EPOCH, None);
        let passed_at = Some(Timestamp::UNIX_EPOCH);
        for (is_required, passed_at, oidc, is_unfinished) in [
            (false, None, None, false),
            (true, None, None, true),
            (true, passed_at, None, false),
            (false, None, Some(&pending), true),
            (true, passed_at, Some(&pending), true),
            (true, passed_at, Some(&issued), false),
        ] {
            let mut session = session(SessionTotp {
                is_required,
                passed_at,
                factor_at: None,
            });
            session.oidc = oidc.cloned();
            assert_eq!(session.is_unfinished(), is_unfinished, "{session:?}");
        }
    }

    #[test]
    fn replaced_certificate_counts_for_a_while() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let renewed = |replaced_at| LoginCertificate {
            fingerprint: "new".to_owned(),
            previous: Some("old".to_owned()),
            replaced_at,
            not_after: at(10_000),
            ca: None,
        };
        let minute = SignedDuration::from_mins(1);
        for (replaced_at, fingerprint, now, counts) in [
            (Some(at(100)), "old", 159, true),
            (Some(at(100)), "old", 160, false),
            (Some(at(100)), "new", 160, true),
            (Some(at(100)), "other", 101, false),
            (None, "old", 0, false),
            (None, "new", 0, true),
        ] {
            let renewed = renewed(replaced_at);
            let within = renewed.is_or_replaced_within(fingerprint, minute, at(now));
            assert_eq!(within, counts, "{renewed:?} {fingerprint} {now}");
            assert_eq!(renewed.is_or_replaced(fingerprint), fingerprint != "other");
        }
    }

    #[test]
    fn certificate_without_the_time_of_its_renewal_is_read() {
        let stored = r#"{"fingerprint": "new", "previous": "old", "not_after": 100}"#;
        let read: LoginCertificate = serde_json::from_str(stored).unwrap();
        assert_eq!(
            (read.previous.as_deref(), read.replaced_at),
            (Some("old"), None)
        );
    }

    #[test]
    fn session_ends_a_timeout_after_its_last_use() {
        let used = Timestamp::from_second(1_000).unwrap();
        let ends = ApiSession::expires_at(used, SignedDuration::from_mins(30));
        assert_eq!(ends, Timestamp::from_second(2_800).unwrap());
    }

    #[test]
    fn tokens_do_not_show_themselves() {
        assert_eq!(format!("{:?}", TokenHash([7; 16])), "TokenHash(..)");
        let sealed = SealedToken("sealed".to_owned());
        assert_eq!(format!("{sealed:?}"), "SealedToken(..)");
    }

    #[test]
    fn the_shorter_life_counts_and_none_for_certificates() {
        let hours = SignedDuration::from_hours;
        let both = SessionLifetimes {
            all: Some(hours(12)),
            administrators: Some(hours(1)),
        };
        let admins = SessionLifetimes { all: None, ..both };
        let all = SessionLifetimes {
            administrators: None,
            ..both
        };
        let session = session(SessionTotp::default());
        for (lifetimes, is_admin, life) in [
            (both, true, Some(1)),
            (both, false, Some(12)),
            (admins, true, Some(1)),
            (admins, false, None),
            (all, true, Some(12)),
            (SessionLifetimes::default(), true, None),
        ] {
            let end = life.map(|life| clock::saturating_add(session.created_at, hours(life)));
            assert_eq!(lifetimes.expires_at(&session, is_admin), end);
        }
        let mut by_external_id = session.clone();
        by_external_id.opened_by = OpenedBy::ExternalId;
        let mut by_certificate = session.clone();
        by_certificate.certificate = Some(LoginCertificate {
            fingerprint: "f".to_owned(),
            previous: None,
            replaced_at: None,
            not_after: Timestamp::UNIX_EPOCH,
            ca: None,
        });
        for session in [by_external_id, by_certificate] {
            assert_eq!(both.expires_at(&session, true), None);
        }
    }

    #[test]
    fn factors_are_answered_in_any_order() {
        let signer = SignerId::from_wire("s");
        let other = SignerId::from_wire("t");
        let mut policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        policy.spec.secondary.require_totp = true;
        policy.spec.secondary.require_ext_jwt_signer = Some(signer.clone());
        let at = |is_complete: bool| {
            session(SessionTotp {
                is_required: false,
                passed_at: is_complete.then_some(Timestamp::UNIX_EPOCH),
                factor_at: None,
            })
        };
        let token = || OpenFactor::Token(signer.clone());
        for (is_complete, proved, open) in [
            (false, None, vec![OpenFactor::Totp, token()]),
            (false, Some(&other), vec![OpenFactor::Totp, token()]),
            (false, Some(&signer), vec![OpenFactor::Totp]),
            (true, None, vec![token()]),
            (true, Some(&signer), vec![]),
        ] {
            assert_eq!(at(is_complete).open_factors(&policy, proved), open);
        }
    }
}
