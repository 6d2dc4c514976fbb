//! Sessions of every kind, and the requests that end them.

use crate::entities::auth_policies::{made, policy};
use crate::support::credentials::{authenticator_of, token_by, with_certificate};
use crate::support::idp::{Idp, log_in_with, session as session_of};
use crate::support::third_party::{Authority, add, common_name_claim};
use crate::support::{create, find_identity_id, log_in_by_certificate, text};
use http::Method;
use portcullis_pki::Certificate;
use portcullis_testkit::{Harness, PASSWORD, client_key_and_csr};
use serde_json::{Value, json};
use std::sync::Arc;

/// What ends a session.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    OwnLogout,
    SessionDeleted,
    IdentityDeleted,
    IdentityDisabled,
    IdentityUnderAnotherPolicy,
    PolicyForbidsPasswords,
    PolicyDemandsTotp,
    PasswordDeleted,
    PasswordSet,
    PasswordChangedElsewhere,
    PasswordEnrolledAnew,
    CertificateDeleted,
    CertificateRenewedElsewhere,
    PolicyForbidsCertificates,
    AuthorityDeleted,
    AuthorityDisabled,
    ClaimRemoved,
    ExternalIdTaken,
    SignerDeleted,
    SignerDisabled,
    SignerReadsAnotherClaim,
    PolicyForbidsTokens,
}

pub(super) const ENDS: [End; 22] = [
    End::OwnLogout,
    End::SessionDeleted,
    End::IdentityDeleted,
    End::IdentityDisabled,
    End::IdentityUnderAnotherPolicy,
    End::PolicyForbidsPasswords,
    End::PolicyDemandsTotp,
    End::PasswordDeleted,
    End::PasswordSet,
    End::PasswordChangedElsewhere,
    End::PasswordEnrolledAnew,
    End::CertificateDeleted,
    End::CertificateRenewedElsewhere,
    End::PolicyForbidsCertificates,
    End::AuthorityDeleted,
    End::AuthorityDisabled,
    End::ClaimRemoved,
    End::ExternalIdTaken,
    End::SignerDeleted,
    End::SignerDisabled,
    End::SignerReadsAnotherClaim,
    End::PolicyForbidsTokens,
];

/// A session, and the request that ends it.
pub(super) struct Ending {
    pub(super) session: String,
    /// Who asks for the end.
    pub(super) by: String,
    pub(super) certificates: Vec<Certificate>,
    pub(super) request: (Method, String),
    pub(super) body: Value,
}

/// A controller on which sessions are opened to be ended.
pub(super) struct World {
    pub(super) controller: Arc<Harness>,
    admin: String,
    /// How many users there were.
    users: usize,
}

impl World {
    pub(super) async fn new() -> Self {
        let controller = Arc::new(Harness::start().await);
        let admin = controller.admin().await;
        Self {
            controller,
            admin,
            users: 0,
        }
    }

    /// Opens a session for a new user, and puts the request together that ends it.
    pub(super) async fn open(&mut self, end: End) -> Ending {
        self.users += 1;
        let name = format!("user-{}", self.users);
        match end {
            End::OwnLogout
            | End::SessionDeleted
            | End::IdentityDeleted
            | End::IdentityDisabled
            | End::IdentityUnderAnotherPolicy
            | End::PolicyForbidsPasswords
            | End::PolicyDemandsTotp
            | End::PasswordDeleted
            | End::PasswordSet
            | End::PasswordChangedElsewhere
            | End::PasswordEnrolledAnew => self.by_password(end, &name).await,
            End::CertificateDeleted
            | End::CertificateRenewedElsewhere
            | End::PolicyForbidsCertificates => self.by_certificate(end, &name).await,
            End::AuthorityDeleted
            | End::AuthorityDisabled
            | End::ClaimRemoved
            | End::ExternalIdTaken => self.by_third_party(end, &name).await,
            End::SignerDeleted
            | End::SignerDisabled
            | End::SignerReadsAnotherClaim
            | End::PolicyForbidsTokens => self.by_token(end, &name).await,
        }
    }

    /// A policy of the user's own, under which nothing is forbidden.
    async fn policy(&self, name: &str) -> String {
        made(&self.controller, &self.admin, &policy(name)).await
    }

    fn by_admin(&self, session: String, (method, path): (Method, String), body: Value) -> Ending {
        Ending {
            session,
            by: self.admin.clone(),
            certificates: Vec::new(),
            request: (method, format!("/edge/management/v1{path}")),
            body,
        }
    }

    async fn by_password(&self, end: End, name: &str) -> Ending {
        let (controller, admin) = (&self.controller, &self.admin);
        let policy = self.policy(name).await;
        let more = json!({"authPolicyId": policy});
        let session = controller.create_user(admin, name, more).await;
        let id = find_identity_id(controller, admin, name).await;
        let identity = format!("/identities/{id}");
        let of_policy = format!("/auth-policies/{policy}");
        let authenticator = authenticator_of(controller, admin, &id, "updb").await;
        let of_password = format!("/authenticators/{authenticator}");
        let (request, body) = match end {
            End::SessionDeleted => {
                let opened = crate::support::current_session(controller, &session)
                    .await
                    .data();
                let path = format!("/api-sessions/{}", text(&opened, "id"));
                ((Method::DELETE, path), json!({}))
            },
            End::IdentityDeleted => ((Method::DELETE, identity), json!({})),
            End::IdentityDisabled => {
                let path = format!("{identity}/disable");
                ((Method::POST, path), json!({"durationMinutes": 0}))
            },
            End::IdentityUnderAnotherPolicy => {
                let mut strict = crate::entities::auth_policies::policy(&format!("strict {name}"));
                strict["primary"]["updb"]["allowed"] = json!(false);
                let strict = made(controller, admin, &strict).await;
                ((Method::PATCH, identity), json!({"authPolicyId": strict}))
            },
            End::PolicyForbidsPasswords => {
                let body = json!({"primary": {"updb": {"allowed": false}}});
                ((Method::PATCH, of_policy), body)
            },
            End::PolicyDemandsTotp => {
                let body = json!({"secondary": {"requireTotp": true}});
                ((Method::PATCH, of_policy), body)
            },
            End::PasswordDeleted => ((Method::DELETE, of_password), json!({})),
            End::PasswordSet => {
                let body = json!({"password": "another-password"});
                ((Method::PATCH, of_password), body)
            },
            End::PasswordEnrolledAnew => {
                let body = json!({"expiresAt": "2031-04-06T00:00:00.000Z"});
                ((Method::POST, format!("{of_password}/re-enroll")), body)
            },
            End::PasswordChangedElsewhere => {
                let by = controller.login(name, PASSWORD).await;
                let path = format!("/edge/client/v1/current-identity{of_password}");
                return Ending {
                    session,
                    by,
                    certificates: Vec::new(),
                    request: (Method::PUT, path),
                    body: json!({
                        "username": name, "password": "another-password",
                        "currentPassword": PASSWORD,
                    }),
                };
            },
            _ => {
                let path = "/edge/client/v1/current-api-session".to_owned();
                return Ending {
                    by: session.clone(),
                    session,
                    certificates: Vec::new(),
                    request: (Method::DELETE, path),
                    body: json!({}),
                };
            },
        };
        self.by_admin(session, request, body)
    }

    async fn by_certificate(&self, end: End, name: &str) -> Ending {
        let (controller, admin) = (&self.controller, &self.admin);
        let (id, chain) = with_certificate(controller, admin, name).await;
        let session = token_by(controller, &chain).await;
        let authenticator = authenticator_of(controller, admin, &id, "cert").await;
        match end {
            End::PolicyForbidsCertificates => {
                let mut strict = policy(&format!("strict {name}"));
                strict["primary"]["cert"]["allowed"] = json!(false);
                let strict = made(controller, admin, &strict).await;
                let path = format!("/identities/{id}");
                let body = json!({"authPolicyId": strict});
                self.by_admin(session, (Method::PATCH, path), body)
            },
            End::CertificateRenewedElsewhere => {
                let by = token_by(controller, &chain).await;
                let path =
                    format!("/edge/client/v1/current-identity/authenticators/{authenticator}");
                let (_key, csr) = client_key_and_csr();
                let request = controller.request(Method::POST, &format!("{path}/extend"));
                let request = request.session(&by).certificates(&chain);
                let issued = request.json(&json!({"clientCertCsr": csr})).send().await;
                let issued = issued.data()["clientCert"].clone();
                Ending {
                    session,
                    by,
                    certificates: chain,
                    request: (Method::POST, format!("{path}/extend-verify")),
                    body: json!({"clientCert": issued}),
                }
            },
            _ => {
                let path = format!("/authenticators/{authenticator}");
                self.by_admin(session, (Method::DELETE, path), json!({}))
            },
        }
    }

    async fn by_third_party(&self, end: End, name: &str) -> Ending {
        let (controller, admin) = (&self.controller, &self.admin);
        let root = Authority::root(name);
        let ca = add(controller, admin, (name, &root), common_name_claim()).await;
        let id = create(controller, admin, name, json!({"externalId": name})).await;
        let login = log_in_by_certificate(controller, &root.chain(name)).await;
        let session = text(&login.data(), "token").to_owned();
        let path = format!("/cas/{ca}");
        let (request, body) = match end {
            End::AuthorityDeleted => ((Method::DELETE, path), json!({})),
            End::AuthorityDisabled => {
                // A merge without the claim would take it away.
                let mut body = common_name_claim();
                body["isAuthEnabled"] = json!(false);
                ((Method::PATCH, path), body)
            },
            End::ClaimRemoved => ((Method::PATCH, path), json!({"externalIdClaim": null})),
            _ => {
                let body = json!({"externalId": format!("not {name}")});
                ((Method::PATCH, format!("/identities/{id}")), body)
            },
        };
        self.by_admin(session, request, body)
    }

    async fn by_token(&self, end: End, name: &str) -> Ending {
        let (controller, admin) = (&self.controller, &self.admin);
        let idp = Idp::new(controller, name);
        let signer = idp.register(controller, admin, json!({})).await;
        let policy = self.policy(name).await;
        let more = json!({"externalId": name, "authPolicyId": policy});
        create(controller, admin, name, more).await;
        let token = idp.token(controller, name);
        let session = session_of(&log_in_with(controller, &[&token]).await);
        let path = format!("/external-jwt-signers/{signer}");
        let (request, body) = match end {
            End::SignerDeleted => ((Method::DELETE, path), json!({})),
            End::SignerDisabled => ((Method::PATCH, path), json!({"enabled": false})),
            End::SignerReadsAnotherClaim => {
                ((Method::PATCH, path), json!({"claimsProperty": "email"}))
            },
            _ => {
                let body = json!({"primary": {"extJwt": {"allowed": false}}});
                ((Method::PATCH, format!("/auth-policies/{policy}")), body)
            },
        };
        self.by_admin(session, request, body)
    }
}
