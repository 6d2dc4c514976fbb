//! The event that a login attempt ends with.

use super::{LoginError, LoginRequest, NewSession};
use crate::app::App;
use crate::error::AppError;
use crate::metrics::{LoginMethod, LoginOutcome};
use crate::records::get_policy;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthPolicyId, EntityId, IdentityId, RecordNumber};
use portcullis_events::{Authentication, AuthenticationKind, Body, Method, Namespace};
use portcullis_storage::tables::identity_key;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// What becomes known of a login attempt.
pub(super) struct AttemptEvent {
    method: Method,
    begun: Instant,
    is_wanted: bool,
    address: Option<SocketAddr>,
    opened_by: Option<OpenedBy>,
    identity: Option<IdentityId>,
    policy: Option<AuthPolicyId>,
    pub(super) has_improper_chain: bool,
}

impl AttemptEvent {
    pub(super) fn new(app: &App, method: Method, login: &LoginRequest<'_>) -> Self {
        Self {
            method,
            begun: Instant::now(),
            is_wanted: app.wants_events(Namespace::Authentication),
            address: login.address,
            opened_by: None,
            identity: None,
            policy: None,
            has_improper_chain: false,
        }
    }

    /// Notes whose credential was shown, whether or not it lets its owner in.
    pub(super) fn note(&mut self, app: &App, owner: RecordNumber, opened_by: OpenedBy) {
        if !self.is_wanted {
            return;
        }
        self.opened_by = Some(opened_by);
        // What cannot be read is not known; the login itself says why it fails.
        let Ok(view) = app.snapshot() else { return };
        if let Ok(Some(identity)) = view.rows().get::<Identity>(&identity_key(owner)) {
            let policy = get_policy(view.rows(), &identity).ok();
            self.policy = policy.map(|policy| policy.id.clone());
            self.identity = Some(identity.id);
        }
    }

    pub(super) fn publish(
        self,
        app: &App,
        origin: &Origin,
        outcome: &Result<NewSession, LoginError>,
    ) {
        self.measure(app, outcome);
        if !self.is_wanted {
            return;
        }
        let (authenticator, signer) = match &self.opened_by {
            Some(OpenedBy::Authenticator(id)) => (id.as_str(), ""),
            Some(OpenedBy::Signer(id)) => ("", id.as_str()),
            Some(OpenedBy::ExternalId) | None => ("", ""),
        };
        let (authenticator_id, external_jwt_signer_id) = (authenticator.into(), signer.into());
        let remote_address = self.address.map_or_else(
            || origin.address().to_string().into(),
            |address| address.to_string().into(),
        );
        app.publish(Namespace::Authentication, || {
            Body::Authentication(Authentication {
                kind: kind(outcome),
                method: self.method,
                authenticator_id,
                external_jwt_signer_id,
                identity_id: text(self.identity.as_ref()),
                auth_policy_id: text(self.policy.as_ref()),
                remote_address,
                has_improper_client_cert_chain: self.has_improper_chain,
            })
        });
    }

    /// Counts the login, whether or not anybody wants events.
    fn measure(&self, app: &App, outcome: &Result<NewSession, LoginError>) {
        let method = match self.method {
            Method::Password => LoginMethod::Password,
            Method::Cert => LoginMethod::Certificate,
            Method::ExtJwt => LoginMethod::Token,
        };
        let metrics = app.metrics();
        let outcome = match outcome {
            Ok(_session) => {
                metrics.session_created.record(self.begun.elapsed());
                LoginOutcome::Success
            },
            Err(LoginError::Refused(_) | LoginError::NoToken(_)) => LoginOutcome::Refused,
            Err(LoginError::Failed(_)) => LoginOutcome::Failed,
        };
        metrics.logins().count(method, outcome);
    }
}

fn kind(outcome: &Result<NewSession, LoginError>) -> AuthenticationKind {
    let reason = match outcome {
        Ok(_session) => return AuthenticationKind::Success,
        Err(LoginError::Refused(reason)) => reason.as_ref().into(),
        Err(LoginError::NoToken(_)) => "no token was accepted".into(),
        Err(LoginError::Failed(AppError::Overloaded(error))) => error.to_string().into(),
        // Its details are for the log.
        Err(LoginError::Failed(_)) => "the login could not be processed".into(),
    };
    AuthenticationKind::Failure { reason }
}

fn text(id: Option<&impl EntityId>) -> Arc<str> {
    id.map(EntityId::as_str).unwrap_or_default().into()
}
