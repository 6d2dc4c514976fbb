//! Operations that the descriptions of the APIs have but no controller implements: 501, as clients
//! expect.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, Route, guarded, public};
use http::Method;
use portcullis_app::services::CallUnsupported;
use portcullis_domain::access::Permit;
use std::future::{Ready, ready};

const CLIENT: &[Api] = &[Api::Client];
const MANAGEMENT: &[Api] = &[Api::Management];

/// Public operations: method, path, name.
const PUBLIC_OPERATIONS: [(Method, &str, &str); 2] = [
    (Method::GET, "/enroll/jwks", "enroll.GetEnrollmentJwks"),
    (
        Method::POST,
        "/enroll/challenge",
        "enroll.EnrollmentChallenge",
    ),
];

/// Operations that need a session: APIs, method, path, name.
const GUARDED_OPERATIONS: [(&[Api], Method, &str, &str); 10] = [
    (
        CLIENT,
        Method::PUT,
        "/services/{id}",
        "service.UpdateService",
    ),
    (
        CLIENT,
        Method::PATCH,
        "/services/{id}",
        "service.PatchService",
    ),
    (
        CLIENT,
        Method::DELETE,
        "/services/{id}",
        "service.DeleteService",
    ),
    (
        MANAGEMENT,
        Method::GET,
        "/controller-settings",
        "settings.ListControllerSettings",
    ),
    (
        MANAGEMENT,
        Method::POST,
        "/controller-settings",
        "settings.CreateControllerSetting",
    ),
    (
        MANAGEMENT,
        Method::GET,
        "/controller-settings/{id}",
        "settings.DetailControllerSetting",
    ),
    (
        MANAGEMENT,
        Method::GET,
        "/controller-settings/{id}/effective",
        "settings.DetailControllerSettingEffective",
    ),
    (
        MANAGEMENT,
        Method::PUT,
        "/controller-settings/{id}/effective",
        "settings.UpdateControllerSetting",
    ),
    (
        MANAGEMENT,
        Method::PATCH,
        "/controller-settings/{id}/effective",
        "settings.PatchControllerSetting",
    ),
    (
        MANAGEMENT,
        Method::DELETE,
        "/controller-settings/{id}/effective",
        "settings.DeleteControllerSetting",
    ),
];

pub(super) fn routes() -> Vec<Route> {
    let public = PUBLIC_OPERATIONS
        .into_iter()
        .map(|(method, path, operation)| {
            let handler = move |_call: Call<(), NoBody>| not_implemented(operation);
            public::<NoBody, _, _>(method, path, handler).only(CLIENT)
        });
    let guarded = GUARDED_OPERATIONS
        .into_iter()
        .map(|(apis, method, path, operation)| {
            let handler =
                move |_call: Call<Permit<CallUnsupported>, NoBody>| not_implemented(operation);
            guarded::<CallUnsupported, NoBody, _, _>(method, path, handler).only(apis)
        });
    let all = public.chain(guarded);
    all.map(Route::not_implemented).collect()
}

fn not_implemented(operation: &str) -> Ready<Result<ApiResponse, ApiError>> {
    ready(Ok(ApiResponse::not_implemented(operation)))
}
