//! Rights that tests give and take.

use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Access, ApiSession, ClientCertificates, ControllerId, LoginRefusal, Refusal, ServiceId,
    ServiceReference, ServiceSession, SessionKind,
};
use portcullis_wire::{ErrorCode, Token};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// An [`Access`] that knows what it was told. Tokens of sessions for services read
/// `ey<grant>:<service>:<session>`, so that tests need no keys.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    pub(crate) sessions: RefCell<BTreeMap<String, ApiSession>>,
    pub(crate) names: RefCell<BTreeMap<String, String>>,
    /// What identities may do.
    pub(crate) grants: RefCell<BTreeSet<(String, ServiceGrant, String)>>,
    /// Posture checks that fail, for everybody.
    pub(crate) failing_checks: RefCell<Vec<String>>,
    pub(crate) revoked: RefCell<BTreeSet<String>>,
    /// Services that require encryption.
    pub(crate) encrypted: RefCell<BTreeSet<String>>,
    /// Questions that were asked.
    pub(crate) asked: Cell<usize>,
}

impl Judge {
    pub(crate) fn allow(&self, identity: &str, grant: ServiceGrant, service: &str) {
        let grant = (identity.to_owned(), grant, service.to_owned());
        self.grants.borrow_mut().insert(grant);
    }

    pub(crate) fn deny(&self, identity: &str, grant: ServiceGrant, service: &str) {
        let grant = (identity.to_owned(), grant, service.to_owned());
        self.grants.borrow_mut().remove(&grant);
    }

    pub(crate) fn know(&self, session: ApiSession) {
        let token = session.token.expose().clone();
        self.sessions.borrow_mut().insert(token, session);
    }
}

/// A session of an identity whose name is its id.
pub(crate) fn session(identity: &str, kind: SessionKind) -> ApiSession {
    ApiSession {
        id: format!("session-of-{identity}"),
        identity: identity.into(),
        identity_name: identity.into(),
        token: Token::new(format!("ey-{identity}")),
        kind,
        expires_at: None,
        claims: None,
        identity_was_known: true,
    }
}

pub(crate) fn legacy() -> SessionKind {
    SessionKind::Legacy(ControllerId::from("instance-1"))
}

pub(crate) fn certificates(fingerprint: &str) -> ClientCertificates {
    ClientCertificates {
        fingerprints: [fingerprint.to_owned()].into(),
        not_before: Timestamp::MIN,
        not_after: Timestamp::MAX,
        spiffe_id: None,
        is_first_party: true,
    }
}

/// A token of a session for a service.
pub(crate) fn service_token(grant: ServiceGrant, service: &str) -> Token {
    Token::new(format!("ey{grant:?}:{service}:s-{service}"))
}

impl Access for Judge {
    fn authenticate(
        &self,
        token: &Token,
        certificates: &ClientCertificates,
        _now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal> {
        self.asked.set(self.asked.get() + 1);
        let sessions = self.sessions.borrow();
        let session = sessions.get(token.expose()).ok_or(LoginRefusal::Unknown)?;
        let is_bound = certificates.fingerprints.first().map(String::as_str);
        if is_bound == Some(session.identity.as_str()) {
            Ok(session.clone())
        } else {
            Err(LoginRefusal::Refused("another certificate".to_owned()))
        }
    }

    fn renew(
        &self,
        session: &ApiSession,
        token: &Token,
        _now: Timestamp,
    ) -> Result<ApiSession, Refusal> {
        if session.kind != SessionKind::Oidc {
            let code = ErrorCode::InvalidApiSessionType;
            return Err(Refusal::new(
                code,
                "a legacy session has no token to update",
            ));
        }
        let sessions = self.sessions.borrow();
        let renewed = sessions.get(token.expose());
        let renewed = renewed.filter(|renewed| renewed.id == session.id);
        renewed
            .cloned()
            .ok_or_else(|| Refusal::new(ErrorCode::InvalidApiSession, "invalid token"))
    }

    fn check_session(&self, session: &ApiSession, now: Timestamp) -> Result<(), String> {
        let is_expired = session.expires_at.is_some_and(|end| end <= now);
        if is_expired || self.revoked.borrow().contains(&session.id) {
            return Err("the session has ended".to_owned());
        }
        Ok(())
    }

    fn check_service_session(
        &self,
        _session: &ApiSession,
        token: &Token,
        _now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        let invalid = || Refusal::new(ErrorCode::InvalidSession, "not a session");
        let text = token.expose().strip_prefix("ey").ok_or_else(invalid)?;
        let parts: Vec<&str> = text.split(':').collect();
        let [grant, service, id] = parts.as_slice() else {
            return Err(invalid());
        };
        let grant = match *grant {
            "Dial" => ServiceGrant::Dial,
            "Bind" => ServiceGrant::Bind,
            _ => return Err(invalid()),
        };
        Ok(ServiceSession {
            id: (*id).into(),
            service: (*service).into(),
            grant,
        })
    }

    fn find_service(
        &self,
        _session: &ApiSession,
        service: ServiceReference<'_>,
    ) -> Result<ServiceId, Refusal> {
        match service {
            ServiceReference::Id(id) => Ok(id.into()),
            ServiceReference::Name(name) => {
                let id = self.names.borrow().get(name).cloned();
                id.map(Into::into)
                    .ok_or_else(|| Refusal::new(ErrorCode::InvalidService, "service not found"))
            },
        }
    }

    fn check_grant(
        &self,
        session: &ApiSession,
        grant: ServiceGrant,
        service: &ServiceId,
        _now: Timestamp,
    ) -> Result<(), Refusal> {
        let identity = session.identity.as_str().to_owned();
        let asked = (identity, grant, service.as_str().to_owned());
        if !self.grants.borrow().contains(&asked) {
            return Err(Refusal::new(ErrorCode::AccessDenied, "no access"));
        }
        let failing = self.failing_checks.borrow();
        if failing.is_empty() {
            Ok(())
        } else {
            Err(Refusal::posture(failing.clone()))
        }
    }

    fn requires_encryption(&self, service: &ServiceId) -> bool {
        self.encrypted.borrow().contains(service.as_str())
    }
}
