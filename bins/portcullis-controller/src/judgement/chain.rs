//! Chains from certificates to the CA bundle.

use super::served::ServedCertificate;
use super::{
    EXPIRED, Finding, MISSING_INTERMEDIATE, NOT_YET_VALID, UNTRUSTED, WRONG_PURPOSE, describe_span,
};
use crate::ca_bundle::CaBundle;
use crate::config_key::ConfigKey;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, ChainError, TrustAnchors, VerifyAt};
use portcullis_yaml::Severity;

/// Most certificates between a CA and its root.
const MAX_DEPTH: usize = 8;

/// Judges served certificates as clients do that trust the CA bundle.
pub(super) struct ChainJudge {
    /// Everything that clients are offered.
    anchors: TrustAnchors,
    /// Only the roots, which is what careful clients trust.
    roots: TrustAnchors,
    /// The CA that signs identities, if every start refuses it for an issuer that the bundle lacks.
    orphan: Option<Certificate>,
    now: Timestamp,
}

impl ChainJudge {
    pub(super) fn new(bundle: &CaBundle, now: Timestamp) -> Self {
        // What cannot be an anchor is none for clients either.
        let anchors = |all: Vec<Certificate>| TrustAnchors::new(all).unwrap_or_default();
        Self {
            anchors: anchors(bundle.for_clients()),
            roots: anchors(bundle.roots_for_clients()),
            orphan: bundle.orphan().cloned(),
            now,
        }
    }

    /// Finds the first reason, beside dates and names of the leaf, for which clients refuse a chain.
    pub(super) fn judge(&self, served: &ServedCertificate) -> Option<Finding> {
        let (leaf, between) = (served.leaf(), served.intermediates.as_slice());
        let name = &served.key;
        if leaf.is_ca() {
            return Some(Finding {
                severity: Severity::Error,
                code: WRONG_PURPOSE,
                key: name.clone(),
                message: format!(
                    "the certificate {name} is that of a CA; clients refuse it as a server's"
                ),
                help: "name a certificate that a CA issued for this server".to_owned(),
            });
        }
        let at = VerifyAt::AnyCommonTime;
        let from_root = self.roots.verify_server_path(leaf, between, at);
        let is_cut_short = from_root == Err(ChainError::UnknownIssuer);
        let path = match from_root.or_else(|_| self.anchors.verify_server_path(leaf, between, at)) {
            Ok(path) => path,
            // Its own dates are judged by themselves.
            Err(ChainError::Expired | ChainError::NotYetValid) if !self.is_valid(leaf) => {
                return None;
            },
            Err(error @ (ChainError::Expired | ChainError::NotYetValid)) => {
                let outdated = between.iter().find(|it| !self.is_valid(it));
                return Some(match outdated {
                    Some(authority) => self.describe_outdated(served, authority),
                    None => describe_refusal(served, &error),
                });
            },
            Err(error) => return Some(describe_refusal(served, &error)),
        };
        let mut above = path.intermediates.iter().chain([path.authority]);
        if let Some(authority) = above.find(|it| !self.is_valid(it)) {
            return Some(self.describe_outdated(served, authority));
        }
        let is_said = self.orphan.as_ref() == Some(path.authority);
        if !is_cut_short || is_said {
            return None;
        }
        Some(if between.contains(path.authority) {
            describe_missing_root(name, path.authority)
        } else {
            describe_missing(name, path.authority)
        })
    }

    fn is_valid(&self, certificate: &Certificate) -> bool {
        certificate.is_valid_at(self.now)
    }

    fn describe_outdated(&self, served: &ServedCertificate, authority: &Certificate) -> Finding {
        let (name, subject) = (&served.key, authority.subject());
        let (begin, end) = (authority.not_before(), authority.not_after());
        let (code, fault) = if self.now < begin {
            (NOT_YET_VALID, format!("is not valid before {begin}"))
        } else {
            let span = describe_span(self.now.duration_since(end));
            (EXPIRED, format!("expired {span} ago, at {end}"))
        };
        Finding {
            severity: Severity::Error,
            code,
            key: name.clone(),
            message: format!(
                "the certificate {name} leads to the CA {subject}, which {fault}; clients refuse it"
            ),
            help: "have the certificate issued by a CA that is valid now".to_owned(),
        }
    }
}

/// Says that a chain ends below the root, at a CA that only the whole bundle knows.
fn describe_missing(name: &ConfigKey, authority: &Certificate) -> Finding {
    Finding {
        severity: Severity::Warning,
        code: MISSING_INTERMEDIATE,
        key: name.clone(),
        message: format!(
            "{name} does not lead from the certificate to a root: {} is missing; clients that trust \
             the root alone refuse it",
            authority.subject(),
        ),
        help: "append the certificates of the CAs between it and the root to the file".to_owned(),
    }
}

/// Says that a whole chain is served, whose root the bundle lacks.
fn describe_missing_root(name: &ConfigKey, authority: &Certificate) -> Finding {
    Finding {
        severity: Severity::Warning,
        code: UNTRUSTED,
        key: name.clone(),
        message: format!(
            "the certificate {name} leads to the CA {}, whose issuer {} is not in identity.ca; clients \
             that trust the roots alone refuse it",
            authority.subject(),
            authority.issuer(),
        ),
        help: "add that root to identity.ca".to_owned(),
    }
}

/// Says why no path leads from a certificate to the bundle.
fn describe_refusal(served: &ServedCertificate, error: &ChainError) -> Finding {
    let (name, leaf) = (&served.key, served.leaf());
    let issuer = leaf.issuer();
    let (code, fault, help) = match error {
        ChainError::WrongPurpose(_) => (
            WRONG_PURPOSE,
            "is not for servers: its extended key usage lacks serverAuth".to_owned(),
            "have it issued for server authentication".to_owned(),
        ),
        ChainError::UnknownIssuer if leaf.is_self_issued() => (
            UNTRUSTED,
            "is self-signed".to_owned(),
            "have it issued by a CA of identity.ca".to_owned(),
        ),
        ChainError::UnknownIssuer => (
            UNTRUSTED,
            format!("was issued by {issuer} and does not lead to a CA of identity.ca"),
            "append the certificates of the CAs between it and the root to the file, and add the \
             root to identity.ca"
                .to_owned(),
        ),
        ChainError::Anchor(_)
        | ChainError::Expired
        | ChainError::NotYetValid
        | ChainError::AnchorOutsideValidity
        | ChainError::TooLong
        | ChainError::Invalid(_) => (
            UNTRUSTED,
            "has a chain that breaks a rule of RFC 5280, such as a path length, a name constraint or \
             a key usage of a CA"
                .to_owned(),
            format!("look at the certificate of {issuer} with `openssl x509 -text`"),
        ),
    };
    Finding {
        severity: Severity::Error,
        code,
        key: name.clone(),
        message: format!("the certificate {name} {fault}; clients refuse it"),
        help,
    }
}

/// Finds out whether the CA that signs identities leads to the bundle by its signatures: that its
/// issuer has the right name is looked at by every start.
pub(super) fn judge_signing(bundle: &CaBundle) -> Option<Finding> {
    if bundle.orphan().is_some() {
        return None;
    }
    let known = bundle.for_clients();
    let mut at = bundle.signing().first()?;
    for _ in 0..MAX_DEPTH {
        if at.is_self_issued() || bundle.trusted().any(|trusted| trusted == at) {
            return None;
        }
        let Some(issuer) = known.iter().find(|issuer| at.is_issued_by(issuer)) else {
            break;
        };
        at = issuer;
    }
    let key = ConfigKey::Signing;
    Some(Finding {
        severity: Severity::Error,
        code: UNTRUSTED,
        message: format!(
            "the certificate {key} was not signed by the CA {} of identity.ca that it names; what it \
             issues is refused",
            at.issuer(),
        ),
        key,
        help: "name the root in identity.ca that signed it: another one has the same name"
            .to_owned(),
    })
}
