//! The event that a login attempt ends with.

use super::{LoginError, NewSession};
use crate::app::App;
use crate::error::AppError;
use crate::metrics::{LoginMethod, LoginOutcome};
use crate::records::get_policy;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_events::{Authentication, AuthenticationKind, Body, Method, Namespace};
use portcullis_storage::tables::identity_key;
use std::sync::Arc;
use std::time::Instant;

/// What becomes known of a login attempt.
pub(super) struct AttemptEvent {
    method: Method,
    begun: Instant,
    is_wanted: bool,
    shown: Option<ShownCredential>,
    owner: Option<CredentialOwner>,
    pub(super) has_improper_chain: bool,
}

/// A credential that was shown.
struct ShownCredential {
    owner: RecordNumber,
    opened_by: OpenedBy,
}

/// What is told of the owner of a credential, as far as it is known.
#[derive(Default)]
struct CredentialOwner {
    identity: Arc<str>,
    policy: Arc<str>,
}

impl AttemptEvent {
    pub(super) fn new(app: &App, method: Method) -> Self {
        Self {
            method,
            begun: Instant::now(),
            is_wanted: app.wants_events(Namespace::Authentication),
            shown: None,
            owner: None,
            has_improper_chain: false,
        }
    }

    /// Notes whose credential was shown, whether or not it lets its owner in.
    pub(super) fn note(&mut self, owner: RecordNumber, opened_by: OpenedBy) {
        if self.is_wanted {
            self.shown = Some(ShownCredential { owner, opened_by });
        }
    }

    /// Notes what was read of the owner, so that it need not be read again.
    pub(super) fn note_owner(&mut self, identity: &Identity, policy: &AuthPolicy) {
        if self.is_wanted {
            self.owner = Some(CredentialOwner {
                identity: identity.id.as_str().into(),
                policy: policy.id.as_str().into(),
            });
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
        let shown = self.shown.as_ref();
        let (authenticator, signer) = match shown.map(|shown| &shown.opened_by) {
            Some(OpenedBy::Authenticator(id)) => (id.as_str(), ""),
            Some(OpenedBy::Signer(id)) => ("", id.as_str()),
            Some(OpenedBy::ExternalId) | None => ("", ""),
        };
        let (authenticator_id, external_jwt_signer_id) = (authenticator.into(), signer.into());
        let owner = self
            .owner
            .or_else(|| CredentialOwner::read(app, shown?.owner));
        let owner = owner.unwrap_or_default();
        app.publish(Namespace::Authentication, || {
            Body::Authentication(Authentication {
                kind: kind(outcome),
                method: self.method,
                authenticator_id,
                external_jwt_signer_id,
                identity_id: owner.identity,
                auth_policy_id: owner.policy,
                remote_address: origin.peer.to_string().into(),
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

impl CredentialOwner {
    /// What is known of an owner who was refused. What cannot be read is not: the login itself says why it fails.
    fn read(app: &App, owner: RecordNumber) -> Option<Self> {
        let view = app.snapshot().ok()?;
        let identity: Identity = view.rows().get(&identity_key(owner)).ok()??;
        let policy = get_policy(view.rows(), &identity).ok();
        Some(Self {
            identity: identity.id.as_str().into(),
            policy: policy
                .map(|policy| policy.id.as_str().into())
                .unwrap_or_default(),
        })
    }
}
