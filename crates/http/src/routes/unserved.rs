//! Operations that the descriptions of the APIs have and that no controller performs: 501, as
//! clients know it.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Call, Ignored, Route, guarded, open};
use http::Method;
use portcullis_app::services::Ask;
use portcullis_domain::access::Permit;
use std::future::{Ready, ready};

const CLIENT: &[Api] = &[Api::Client];
const MANAGEMENT: &[Api] = &[Api::Management];

/// What everybody hears of, with its name.
const PUBLIC: [(Method, &str, &str); 2] = [
    (Method::GET, "/enroll/jwks", "enroll.GetEnrollmentJwks"),
    (
        Method::POST,
        "/enroll/challenge",
        "enroll.EnrollmentChallenge",
    ),
];

/// What the holder of a session hears of, with the API that describes it and its name.
const GUARDED: [(&[Api], Method, &str, &str); 10] = [
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
    let public = PUBLIC.into_iter().map(|(method, path, operation)| {
        let answer = move |_call: Call<(), Ignored>| unserved(operation);
        open::<Ignored, _, _>(method, path, answer).only(CLIENT)
    });
    let guarded = GUARDED.into_iter().map(|(apis, method, path, operation)| {
        let answer = move |_call: Call<Permit<Ask>, Ignored>| unserved(operation);
        guarded::<Ask, Ignored, _, _>(method, path, answer).only(apis)
    });
    let all = public.chain(guarded);
    all.map(Route::unperformed).collect()
}

fn unserved(operation: &str) -> Ready<Result<Answer, ApiError>> {
    ready(Ok(Answer::not_implemented(operation)))
}
