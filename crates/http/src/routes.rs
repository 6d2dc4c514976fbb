//! Routes of all APIs, one module per resource.

mod api_sessions;
mod auth_policies;
mod authenticate;
mod authenticators;
mod cas;
mod configs;
mod controllers;
mod current_identity;
mod current_session;
mod database;
mod enroll;
mod enroll_router;
mod enroll_token;
mod enrollments;
mod fabric;
mod health;
mod identities;
mod identity_types;
mod managed;
mod mfa;
mod not_implemented;
pub(crate) mod oidc;
mod own_authenticators;
mod policies;
mod posture;
mod posture_check_types;
mod posture_checks;
mod related;
mod revocations;
mod role_attributes;
mod routers;
mod service_sessions;
mod services;
mod session_certificates;
mod signers;
mod specs;
mod terminators;
mod trust;
mod version;

use crate::route::Route;

pub fn all() -> Vec<Route> {
    [
        api_sessions::routes(),
        auth_policies::routes(),
        authenticate::routes(),
        authenticators::routes(),
        cas::routes(),
        configs::routes(),
        controllers::routes(),
        current_identity::routes(),
        current_session::routes(),
        database::routes(),
        enroll::routes(),
        enroll_router::routes(),
        enroll_token::routes(),
        enrollments::routes(),
        fabric::routes(),
        health::routes(),
        identities::routes(),
        identity_types::routes(),
        mfa::routes(),
        oidc::routes(),
        own_authenticators::routes(),
        policies::routes(),
        posture::routes(),
        posture_check_types::routes(),
        posture_checks::routes(),
        related::routes(),
        revocations::routes(),
        role_attributes::routes(),
        routers::routes(),
        service_sessions::routes(),
        services::routes(),
        session_certificates::routes(),
        signers::routes(),
        specs::routes(),
        terminators::routes(),
        trust::routes(),
        not_implemented::routes(),
        version::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
