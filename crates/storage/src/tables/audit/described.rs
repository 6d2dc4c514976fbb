//! How the audit trail speaks of each kind of record.

use super::super::kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, IDENTITY, MFA, POSTURE_CHECK, REVOCATION, ROUTER, SERVICE,
    SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE, SIGNER, TERMINATOR,
};
use crate::key::Kind;

/// How the audit trail speaks of records of one kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Described {
    /// What operations call such a record.
    pub(super) noun: &'static str,
    /// Members, at any depth, of which it is said that they changed, and no more.
    pub(super) secret: &'static [&'static str],
    /// Members, by their path, that are bookkeeping: a change of these alone is no event.
    pub(super) silent: &'static [&'static str],
    /// Whether the record has no id that anybody knows, and goes by that of its owner.
    pub(super) goes_by_owner: bool,
}

/// Whether a member says nothing that the event does not say anyhow.
pub(super) fn is_said_anyhow(member: &str) -> bool {
    ["id", "created_at", "updated_at"].contains(&member)
}

const fn plain(noun: &'static str) -> Described {
    Described {
        noun,
        secret: &[],
        silent: &[],
        goes_by_owner: false,
    }
}

/// How the audit trail speaks of records of `kind`; `None` for a kind that it does not know, of whose
/// members nothing is said.
pub(super) fn described(kind: Kind) -> Option<Described> {
    Some(match kind {
        IDENTITY => Described {
            silent: &["attached", "wrong_passwords", "wrong_codes"],
            ..plain("identity")
        },
        AUTH_POLICY => plain("auth-policy"),
        ENROLLMENT => Described {
            secret: &["token", "jwt", "token_hash"],
            silent: &["identity", "router"],
            ..plain("enrollment")
        },
        AUTHENTICATOR => Described {
            secret: &["password"],
            silent: &["identity", "credential.updb.throttle"],
            ..plain("authenticator")
        },
        API_SESSION => Described {
            secret: &["token_hash"],
            silent: &["identity", "last_activity_at", "totp"],
            ..plain("api-session")
        },
        CA => Described {
            secret: &["verification_token"],
            ..plain("ca")
        },
        SIGNER => plain("external-jwt-signer"),
        SESSION_CERTIFICATE => Described {
            secret: &["session"],
            ..plain("api-session-certificate")
        },
        MFA => Described {
            secret: &["secret", "recovery_codes"],
            goes_by_owner: true,
            ..plain("mfa")
        },
        CONFIG_TYPE => plain("config-type"),
        CONFIG => plain("config"),
        SERVICE => plain("service"),
        ROUTER => plain("router"),
        TERMINATOR => plain("terminator"),
        SERVICE_POLICY => plain("service-policy"),
        EDGE_ROUTER_POLICY => plain("edge-router-policy"),
        SERVICE_EDGE_ROUTER_POLICY => plain("service-edge-router-policy"),
        POSTURE_CHECK => plain("posture-check"),
        SESSION => Described {
            secret: &["api_session_token"],
            silent: &["identity"],
            ..plain("session")
        },
        REVOCATION => plain("revocation"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::dispatch::KINDS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_described_by_a_noun_of_its_own() {
        let nouns: BTreeSet<_> = KINDS
            .iter()
            .map(|&kind| described(kind).expect("the trail knows it").noun)
            .collect();
        assert_eq!(nouns.len(), KINDS.len());
    }
}
