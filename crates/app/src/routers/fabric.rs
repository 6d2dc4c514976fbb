//! Routers on the fabric API, which does not distinguish the two kinds and can register routers
//! whose certificates were issued elsewhere.

use crate::app::App;
use crate::error::AppError;
use crate::managed::{self, Create, Delete, Update};
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterSpec, RouterSpecPatch};

/// Creates a router with an id chosen by the caller. It has no enrollment: its certificate, whose
/// fingerprint is part of the spec, comes from elsewhere. The id becomes the common name of the
/// certificates that it gets later, so it must not be a name of the controller.
///
/// # Errors
///
/// [`AppError::Field`] for such an id, and the errors of [`managed::create`].
pub async fn create(
    app: &App,
    permit: &Permit<Create<RouterSpec>>,
    (id, spec): (RouterId, RouterSpec),
) -> Result<RouterId, AppError> {
    let serving = app.network().serving_state();
    if serving.reserved_names.check(id.as_str()).is_err() {
        let reason = "must not be a name of the controller: the router's certificates have its id as \
                      common name";
        return Err(FieldError::new("id", reason, id.as_str()).into());
    }
    managed::create_with_id(app, permit, id, spec).await
}

/// Replaces the spec of a router and the fingerprint of its certificate. Members that only edge
/// routers have are kept.
pub async fn replace(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    id: &RouterId,
    (spec, fingerprint): (RouterSpec, Option<String>),
) -> Result<(), AppError> {
    let now = app.env().now();
    managed::change(app, permit, id, move |router: &mut Router| {
        router.replace(spec.clone(), now)?;
        router.set_fingerprint(fingerprint.clone(), now);
        Ok(())
    })
    .await
}

/// Patches a router. An empty patch changes nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    id: &RouterId,
    (patch, fingerprint): (RouterSpecPatch, Option<Option<String>>),
) -> Result<(), AppError> {
    let Some(fingerprint) = fingerprint else {
        return managed::patch::<RouterSpec>(app, permit, id, patch).await;
    };
    let now = app.env().now();
    managed::change(app, permit, id, move |router: &mut Router| {
        router.patch(patch.clone(), now)?;
        router.set_fingerprint(fingerprint.clone(), now);
        Ok(())
    })
    .await
}

/// Deletes a router of either kind with its dependents.
pub async fn delete(
    app: &App,
    permit: &Permit<Delete<RouterSpec>>,
    id: &RouterId,
) -> Result<(), AppError> {
    managed::delete::<RouterSpec>(app, permit, id).await
}
