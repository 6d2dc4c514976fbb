//! Logins, and attempts at them.

use serde::Serialize;
use std::sync::Arc;

/// Somebody logged in, or failed to. Ids are empty as far as they are not known.
#[derive(Debug, Clone)]
pub struct Authentication {
    pub kind: AuthenticationKind,
    pub method: Method,
    pub authenticator_id: Arc<str>,
    pub external_jwt_signer_id: Arc<str>,
    pub identity_id: Arc<str>,
    pub auth_policy_id: Arc<str>,
    /// Host and port of the client.
    pub remote_address: Arc<str>,
    /// Whether the client sent its certificates in an order that makes no chain.
    pub has_improper_client_cert_chain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthenticationKind {
    Success,
    Failure {
        /// In words.
        reason: Arc<str>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    Password,
    Cert,
    ExtJwt,
}

impl AuthenticationKind {
    pub(crate) const NAMES: [&'static str; 2] = ["success", "fail"];

    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure { .. } => "fail",
        }
    }
}

impl Authentication {
    /// Bytes of why it failed.
    pub(super) fn size(&self) -> usize {
        match &self.kind {
            AuthenticationKind::Success => 0,
            AuthenticationKind::Failure { reason } => reason.len(),
        }
    }

    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            event_type: &'static str,
            #[serde(rename = "type")]
            method: Method,
            authenticator_id: &'e str,
            external_jwt_signer_id: &'e str,
            identity_id: &'e str,
            auth_policy_id: &'e str,
            remote_address: &'e str,
            success: bool,
            reason: &'e str,
            improper_client_cert_chain: bool,
        }
        let reason = match &self.kind {
            AuthenticationKind::Success => "",
            AuthenticationKind::Failure { reason } => reason,
        };
        Wire {
            event_type: self.kind.as_str(),
            method: self.method,
            authenticator_id: &self.authenticator_id,
            external_jwt_signer_id: &self.external_jwt_signer_id,
            identity_id: &self.identity_id,
            auth_policy_id: &self.auth_policy_id,
            remote_address: &self.remote_address,
            success: self.kind == AuthenticationKind::Success,
            reason,
            improper_client_cert_chain: self.has_improper_client_cert_chain,
        }
    }
}
