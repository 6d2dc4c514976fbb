//! The questions of the edge.

use super::{AccessControl, Keeper, session_removed};
use crate::access::binding::{Binding, Dates};
use crate::access::claims::{AccessClaims, ServiceClaims};
use crate::access::consequences::EndReason;
use crate::access::model::Judgement;
use crate::access::posture::SessionPosture;
use crate::access::verifier::{self, TokenError, TokenVerifier, is_signed};
use crate::edge::{
    Access, ApiSession, ClientCertificates, LoginRefusal, Refusal, ServiceId, ServiceReference,
    ServiceSession, SessionKind,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::control::data_model::Service;
use portcullis_wire::{ErrorCode, Token};
use std::sync::Arc;

impl<K: Keeper> Access for K {
    fn authenticate(
        &self,
        token: &Token,
        certificates: &ClientCertificates,
        now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal> {
        if !is_signed(token) {
            return self.look(|control| control.authenticate_legacy(token, certificates, now));
        }
        let claims = match verifier::read(self, token) {
            Ok(claims) => claims,
            Err(TokenError::UnknownKey) => return Err(LoginRefusal::Unknown),
            Err(error) => return Err(LoginRefusal::Refused(error.to_string())),
        };
        self.look(|control| control.authenticate_oidc(token, claims, certificates, now))
    }

    fn renew(
        &self,
        session: &ApiSession,
        token: &Token,
        now: Timestamp,
    ) -> Result<ApiSession, Refusal> {
        if session.kind != SessionKind::Oidc {
            let reason = "the session has no access token that could be renewed";
            return Err(Refusal::new(ErrorCode::InvalidApiSessionType, reason));
        }
        let refuse = |reason: String| Refusal::new(ErrorCode::InvalidApiSession, reason);
        let claims: AccessClaims =
            verifier::read(self, token).map_err(|error| refuse(error.to_string()))?;
        if claims.z_asid != session.id || claims.sub != session.identity.as_str() {
            return Err(refuse("the token is one of another session".to_owned()));
        }
        if let Some(reason) = self.look(|control| control.why_not(&claims, now)) {
            return Err(refuse(reason.to_string()));
        }
        Ok(ApiSession {
            token: token.clone(),
            expires_at: Some(claims.expires_at()),
            claims: Some(Arc::new(claims)),
            ..session.clone()
        })
    }

    fn check_session(&self, session: &ApiSession, now: Timestamp) -> Result<(), String> {
        let ended = self.look(|control| control.why_session_ended(session, now));
        ended.map_or(Ok(()), |reason| Err(reason.to_string()))
    }

    fn check_service_session(
        &self,
        session: &ApiSession,
        token: &Token,
        now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        let claims = verifier::read(self, token);
        let claims =
            claims.map_err(|error| Refusal::new(ErrorCode::InvalidSession, error.to_string()))?;
        self.look(|control| control.service_session(session, claims, now))
    }

    fn find_service(
        &self,
        session: &ApiSession,
        service: ServiceReference<'_>,
    ) -> Result<ServiceId, Refusal> {
        self.look(|control| control.service_named(session, service))
    }

    fn check_grant(
        &self,
        session: &ApiSession,
        grant: ServiceGrant,
        service: &ServiceId,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        self.look(|control| control.check_right(session, grant, service, now))
    }

    fn requires_encryption(&self, service: &ServiceId) -> bool {
        self.look(|control| {
            let service = control.model().service(service.as_str());
            service.is_some_and(|service| service.requires_encryption)
        })
    }
}

impl<V: TokenVerifier> AccessControl<V> {
    fn authenticate_oidc(
        &self,
        token: &Token,
        claims: AccessClaims,
        certificates: &ClientCertificates,
        now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal> {
        if let Some(reason) = self.why_not(&claims, now) {
            return Err(LoginRefusal::Refused(reason.to_string()));
        }
        let binding = Binding {
            identity: &claims.sub,
            session: &claims.z_asid,
            fingerprints: claims.z_cfs.as_deref().unwrap_or_default(),
            dates: Dates::Checked {
                may_have_expired: claims.z_cae,
            },
        };
        let bound = binding.check(certificates, now);
        bound.map_err(|error| LoginRefusal::Refused(error.to_string()))?;
        let session = self.session(&claims.z_asid, &claims.sub, SessionKind::Oidc, token);
        Ok(ApiSession {
            expires_at: Some(claims.expires_at()),
            claims: Some(Arc::new(claims)),
            ..session
        })
    }

    fn authenticate_legacy(
        &self,
        token: &Token,
        certificates: &ClientCertificates,
        now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal> {
        let found = self.legacy.find(token).ok_or(LoginRefusal::Unknown)?;
        if let Some(reason) = self.why_identity_ended(&found.identity, false) {
            return Err(LoginRefusal::Refused(reason.to_string()));
        }
        let binding = Binding {
            identity: &found.identity,
            session: &found.id,
            fingerprints: &found.fingerprints,
            dates: Dates::Ignored,
        };
        let bound = binding.check(certificates, now);
        bound.map_err(|error| LoginRefusal::Refused(error.to_string()))?;
        let kind = SessionKind::Legacy(found.controller.clone());
        Ok(self.session(&found.id, &found.identity, kind, token))
    }

    /// A session without claims.
    fn session(&self, id: &str, identity: &str, kind: SessionKind, token: &Token) -> ApiSession {
        let known = self.model().identity(identity);
        ApiSession {
            id: id.to_owned(),
            identity: identity.into(),
            identity_name: known.map_or("", |known| known.name.as_str()).into(),
            kind,
            token: token.clone(),
            expires_at: None,
            claims: None,
            identity_was_known: known.is_some(),
        }
    }

    /// Why a session does not hold any more.
    fn why_session_ended(&self, session: &ApiSession, now: Timestamp) -> Option<EndReason> {
        let known = self.clients.session(&session.id);
        let known = known.filter(|known| !known.channels.is_empty());
        let is_removed = match session.kind {
            SessionKind::Legacy(_) => self.legacy.find(&session.token).is_none(),
            SessionKind::Oidc => false,
        };
        if is_removed {
            Some(EndReason::SessionRemoved)
        } else if let Some(known) = known {
            self.why_ended(known, now)
        } else if let Some(claims) = &session.claims {
            self.why_not(claims, now)
        } else {
            self.why_identity_ended(session.identity.as_str(), session.identity_was_known)
        }
    }

    /// What the token of a session for a service permits.
    fn service_session(
        &self,
        session: &ApiSession,
        claims: ServiceClaims,
        now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        let refuse = |reason: &str| Refusal::new(ErrorCode::InvalidSession, reason);
        if !claims.count_at(now) || self.model().is_token_revoked(&claims.jti) {
            return Err(refuse("the token does not count any more"));
        }
        let is_own_identity = claims
            .z_iid
            .as_ref()
            .is_none_or(|identity| identity == session.identity.as_str());
        if claims.z_asid != session.id || !is_own_identity {
            return Err(refuse("the token is one of another session"));
        }
        if self.removed.contains(&claims.jti, now) {
            return Err(session_removed());
        }
        Ok(ServiceSession {
            id: claims.jti.into(),
            service: claims.sub.into(),
            grant: claims.z_st,
        })
    }

    fn service_named(
        &self,
        session: &ApiSession,
        service: ServiceReference<'_>,
    ) -> Result<ServiceId, Refusal> {
        // Who has no right to a service does not learn whether there is one.
        let is_seen = |service: &&Service| {
            let model = self.model();
            model.has_any_right(session.identity.as_str(), &service.id)
        };
        let (found, code) = match service {
            ServiceReference::Id(id) => (self.model().service(id), ErrorCode::AccessDenied),
            ServiceReference::Name(name) => (
                self.model().service_by_name(name),
                ErrorCode::InvalidService,
            ),
        };
        let found = found.filter(is_seen);
        found
            .map(|service| service.id.as_str().into())
            .ok_or_else(|| Refusal::new(code, "service not found"))
    }

    fn check_right(
        &self,
        session: &ApiSession,
        grant: ServiceGrant,
        service: &ServiceId,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let known = self.clients.session(&session.id);
        let unknown = SessionPosture::default();
        let posture = known.map_or(&unknown, |known| &known.posture);
        let identity = session.identity.as_str();
        let client = posture.client();
        let judgement = self
            .model()
            .judge(identity, service.as_str(), grant, Some(&client), now);
        match judgement {
            Judgement::Granted { .. } => Ok(()),
            Judgement::Failing(checks) => Err(Refusal::posture(checks.into_iter().collect())),
            Judgement::NotGranted => Err(Refusal::new(
                ErrorCode::AccessDenied,
                "no policy gives the right",
            )),
        }
    }

    /// Why an access token does not count, or no longer.
    fn why_not(&self, claims: &AccessClaims, now: Timestamp) -> Option<EndReason> {
        if !claims.count_at(now) {
            return Some(EndReason::Expired);
        }
        if self.model().is_revoked(claims) {
            return Some(EndReason::Revoked);
        }
        self.why_identity_ended(&claims.sub, false)
    }
}
