//! What administrators do with routers on the fabric, where those of both kinds are alike, and where
//! one can be made whose certificate somebody else issued.

use crate::app::App;
use crate::error::AppError;
use crate::managed::{self, Create, Delete, OnFabric, Update};
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterPatch, RouterSpec};

/// Creates a router under an id of its maker's choice. It has no enrollment: its certificate, whose
/// fingerprint is part of what is decided, comes from elsewhere. The id is the common name of the
/// certificates that it gets later, so it must not be a name of the controller.
///
/// # Errors
///
/// [`AppError::Field`] for such an id; otherwise those of creation.
pub async fn create(
    app: &App,
    permit: &Permit<OnFabric<Create<RouterSpec>>>,
    (id, spec): (RouterId, RouterSpec),
) -> Result<RouterId, AppError> {
    let in_service = app.network().served();
    if in_service.reserved_names.check(id.as_str()).is_err() {
        let reason = "must not be a name of the controller: the router's certificates bear its id as \
                      common name";
        return Err(FieldError::new("id", reason, id.as_str()).into());
    }
    managed::create_as(app, permit, id, spec).await
}

/// Replaces what is decided about a router, and the fingerprint of its certificate. What only edge
/// routers have stays as it is.
pub async fn replace(
    app: &App,
    permit: &Permit<OnFabric<Update<RouterSpec>>>,
    id: &RouterId,
    (spec, fingerprint): (RouterSpec, Option<String>),
) -> Result<(), AppError> {
    let now = app.env().now();
    managed::change(app, permit, id, move |router: &mut Router| {
        router.replace(spec.clone(), now)?;
        router.identify(fingerprint.clone(), now);
        Ok(())
    })
    .await
}

/// Changes the members of a router that are set. If none is, nothing changes.
pub async fn merge(
    app: &App,
    permit: &Permit<OnFabric<Update<RouterSpec>>>,
    id: &RouterId,
    (patch, fingerprint): (RouterPatch, Option<Option<String>>),
) -> Result<(), AppError> {
    let Some(fingerprint) = fingerprint else {
        return managed::merge::<RouterSpec>(app, permit, id, patch).await;
    };
    let now = app.env().now();
    managed::change(app, permit, id, move |router: &mut Router| {
        router.merge(patch.clone(), now)?;
        router.identify(fingerprint.clone(), now);
        Ok(())
    })
    .await
}

/// Deletes a router of either kind with everything that is its own.
pub async fn delete(
    app: &App,
    permit: &Permit<OnFabric<Delete<RouterSpec>>>,
    id: &RouterId,
) -> Result<(), AppError> {
    managed::delete::<RouterSpec>(app, permit, id).await
}
