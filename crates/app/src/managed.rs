//! Create, read, list, replace, patch and delete for managed kinds of entities.
//!
//! A kind implements [`Resource`] for what is specific to it.

mod references;
mod view_context;

pub use crate::privilege::CredentialGuard;
pub(crate) use references::{load_names, validate_references};
pub use view_context::ViewContext;

use crate::app::{App, StoreView};
use crate::error::AppError;
use crate::listing::kinds::ListableSpec;
use crate::listing::{self, ListPage, ListRequest, ListScope, Listing, Paging, Schema};
use portcullis_domain::access::{Access, Action, ApiSurface, Caller, Permit};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{EntityId as _, RecordNumber};
use portcullis_domain::managed::Managed;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Found, ManagedKind, Rows, RowsMut, reference};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// The entity with the spec `S`.
pub type Entity<S> = Managed<<S as ManagedKind>::Id, S>;

/// A kind of entity that administrators manage, implemented by its spec.
#[expect(
    private_bounds,
    reason = "listing is internal; the trait is implemented in this crate only"
)]
pub trait Resource:
    ListableSpec<Patch: Clone + Default + PartialEq + Send> + PartialEq + Sync
{
    /// Subject of the permissions for this kind.
    const SUBJECT: Subject;

    const LIST_SCHEMA: &'static Schema = Self::SCHEMA;

    /// Whether lists read `roleFilter`, which also selects by id or name. A kind without role
    /// attributes reads it as well: a restriction that is dropped would show too much. Authorities,
    /// signers and authentication policies ignore it, as they do in OpenZiti.
    const HAS_ROLE_FILTER: bool = true;

    /// The entity with the related data that is shown with it.
    type View: Send + 'static;

    /// Whether the entity is visible on an API surface; otherwise it does not exist there.
    fn is_visible(spec: &Self, surface: ApiSurface) -> bool {
        let _ = (spec, surface);
        true
    }

    /// Builds the view of an entity.
    fn build_view(
        context: ViewContext<'_>,
        found: Found<Entity<Self>>,
    ) -> Result<Self::View, AppError>;

    /// Validates and normalizes the spec outside of any transaction, as far as that is slow. `id`
    /// is that of the entity to be replaced, if any.
    fn prepare(rows: Rows<'_>, id: Option<&Self::Id>, spec: &mut Self) -> Result<(), AppError> {
        let _ = (rows, id, spec);
        Ok(())
    }

    /// As [`Resource::prepare`], for a patch.
    fn prepare_patch(
        rows: Rows<'_>,
        id: &Self::Id,
        patch: &mut Self::Patch,
    ) -> Result<(), AppError> {
        let _ = (rows, id, patch);
        Ok(())
    }

    /// Checks that the caller may make the change from `before`, `None` for a new entity, to
    /// `after`, which the permit alone does not tell.
    fn authorize(
        rows: Rows<'_>,
        authority: (&Caller, CredentialGuard),
        before: Option<&Found<Entity<Self>>>,
        after: &Entity<Self>,
    ) -> Result<(), AppError> {
        let _ = (rows, authority, before, after);
        Ok(())
    }

    /// Validates the change from `before`, `None` for a new entity, to `after`.
    fn validate(
        rows: Rows<'_>,
        before: Option<&Entity<Self>>,
        after: &Entity<Self>,
    ) -> Result<(), AppError> {
        let _ = (rows, before, after);
        Ok(())
    }

    /// Checks that the caller may remove the entity and its dependents, which the permit alone does
    /// not tell.
    fn authorize_removal(
        rows: Rows<'_>,
        caller: &Caller,
        found: &Found<Entity<Self>>,
    ) -> Result<(), AppError> {
        let _ = (rows, caller, found);
        Ok(())
    }

    /// Validates that the entity may be removed.
    fn validate_removal(rows: Rows<'_>, found: &Found<Entity<Self>>) -> Result<(), AppError> {
        let _ = (rows, found);
        Ok(())
    }

    /// Updates dependent records in the same transaction, after `caller` wrote the entity.
    fn after_write(
        rows: &mut RowsMut<'_>,
        before: Option<&Entity<Self>>,
        after: &Found<Entity<Self>>,
        reserved: &ReservedNumbers,
        caller: &Caller,
    ) -> Result<(), AppError> {
        let _ = (rows, before, after, reserved, caller);
        Ok(())
    }

    /// Kinds of records that a change may have to create, for which numbers are reserved.
    const RESERVED_KINDS: &'static [Kind] = &[];

    /// Removes the entity and its dependents on behalf of `caller`.
    fn remove(
        rows: &mut RowsMut<'_>,
        found: &Found<Entity<Self>>,
        caller: &Caller,
    ) -> Result<(), AppError> {
        let _ = caller;
        Ok(rows.remove(&found.key, &found.entity)?)
    }
}

/// A resource whose specification comes from callers as a whole, for [`create`], [`replace`] and
/// [`patch`] to store.
///
/// Kinds with use cases of their own do not implement it, since these use cases check what
/// [`Resource`] does not: the certificate of a CA, the key source of a signer, the enrollment of a
/// router.
///
/// ```
/// fn is_writable<S: portcullis_app::managed::Writable>() {}
/// is_writable::<portcullis_domain::service::ServiceSpec>();
/// ```
///
/// ```compile_fail
/// fn is_writable<S: portcullis_app::managed::Writable>() {}
/// is_writable::<portcullis_domain::ca::CaSpec>();
/// ```
///
/// ```compile_fail
/// fn is_writable<S: portcullis_app::managed::Writable>() {}
/// is_writable::<portcullis_domain::signer::SignerSpec>();
/// ```
///
/// ```compile_fail
/// fn is_writable<S: portcullis_app::managed::Writable>() {}
/// is_writable::<portcullis_domain::router::RouterSpec>();
/// ```
pub trait Writable: Resource {
    /// Operations in the audit trail, where they are not just called updates.
    const OPERATIONS: Option<Operations> = None;
}

/// The names of changes in the audit trail.
#[derive(Debug, Clone, Copy)]
pub struct Operations {
    pub replace: &'static str,
    pub patch: &'static str,
}

/// Record numbers reserved for dependents of an entity, and the time of the change.
#[derive(Debug, Clone)]
pub struct ReservedNumbers {
    numbers: Vec<RecordNumber>,
    pub now: Timestamp,
}

impl ReservedNumbers {
    fn reserve<S: Resource>(app: &App) -> Self {
        Self {
            numbers: S::RESERVED_KINDS
                .iter()
                .map(|kind| app.next_number(*kind))
                .collect(),
            now: app.env().now(),
        }
    }

    /// The number reserved for the kind at this index of [`Resource::RESERVED_KINDS`].
    pub(crate) fn number(&self, place: usize) -> Result<RecordNumber, AppError> {
        let number = self.numbers.get(place).copied();
        number.ok_or_else(|| AppError::internal("no record number was reserved for a dependent"))
    }
}

/// Declares actions that are generic over the kind.
macro_rules! actions_on_kinds {
    ($($(#[$doc:meta])* $name:ident = $verb:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<S>(PhantomData<fn() -> S>);

        impl<S: Resource> Action for $name<S> {
            const ACCESS: Access = Access::Granted(S::SUBJECT, Verb::$verb);
        }
    )+};
}

actions_on_kinds! {
    /// Reads one entity or a list.
    Read = Read;
    /// Creates an entity.
    Create = Create;
    /// Replaces or patches an entity.
    Update = Update;
    /// Deletes an entity.
    Delete = Delete;
}

/// Reads an entity.
pub fn read<S: Resource>(
    app: &App,
    permit: &Permit<Read<S>>,
    id: &S::Id,
) -> Result<S::View, AppError> {
    let view = app.snapshot()?;
    let found = get_visible::<S>(view.rows(), id, permit.surface())?;
    let context = ViewContext::new(app, view.rows(), permit.caller());
    S::build_view(context, found)
}

/// Lists entities.
pub fn list<S: Resource>(
    app: &App,
    permit: &Permit<Read<S>>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = if S::HAS_ROLE_FILTER {
        request.parse_with_roles::<Entity<S>>()?
    } else {
        request.parse::<Entity<S>>()?
    };
    list_in_scope::<S>(
        app,
        permit.caller(),
        &listing,
        &ListScope::all(request),
        show,
    )
}

/// Lists entities with parsed parameters and a scope.
pub(crate) fn list_in_scope<S: Resource>(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    scope: &ListScope<'_, Entity<S>>,
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    listing::check_filter(listing, caller)?;
    let answer: ListPage<'_, Entity<S>> = ListPage::new(app, listing, scope)?;
    let view: &StoreView = &answer.view;
    let context = ViewContext::new(app, view.rows(), caller);
    answer.for_each(&mut |found| Ok(show(S::build_view(context.clone(), found)?)))
}

/// Creates an entity.
pub async fn create<S: Writable>(
    app: &App,
    permit: &Permit<Create<S>>,
    spec: S,
) -> Result<S::Id, AppError> {
    create_with_id(app, permit, S::Id::generate(&*app.env().entropy)?, spec).await
}

/// Creates an entity with a given id.
pub(crate) async fn create_with_id<S: Resource>(
    app: &App,
    permit: &Permit<Create<S>>,
    id: S::Id,
    spec: S,
) -> Result<S::Id, AppError> {
    let number = app.next_number(S::KIND);
    create_with(app, permit, (id, number), spec, |_rows, _key| Ok(())).await
}

/// Creates an entity with a given id and record number; `after_insert` runs in the same
/// transaction.
pub(crate) async fn create_with<S: Resource>(
    app: &App,
    permit: &Permit<Create<S>>,
    (id, number): (S::Id, RecordNumber),
    mut spec: S,
    mut after_insert: impl FnMut(&mut RowsMut<'_>, &RecordKey) -> Result<(), AppError> + Send + 'static,
) -> Result<S::Id, AppError> {
    S::prepare(app.snapshot()?.rows(), None, &mut spec)?;
    let entity = Entity::<S>::new(id.clone(), spec, app.env().now())?;
    let key = RecordKey::root(S::KIND, number.0);
    let reserved = ReservedNumbers::reserve::<S>(app);
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        S::authorize(rows.rows(), (caller, credential_guard), None, &entity)?;
        S::validate(rows.rows(), None, &entity)?;
        rows.insert(&key, &entity)?;
        let entity = entity.clone();
        S::after_write(rows, None, &Found { key, entity }, &reserved, caller)?;
        after_insert(rows, &key)
    })
    .await?;
    Ok(id)
}

/// Replaces the spec of an entity.
pub async fn replace<S: Writable>(
    app: &App,
    permit: &Permit<Update<S>>,
    id: &S::Id,
    mut spec: S,
) -> Result<(), AppError> {
    S::prepare(app.snapshot()?.rows(), Some(id), &mut spec)?;
    let (now, operation) = (app.env().now(), S::OPERATIONS.map(|named| named.replace));
    change_as(app, permit, id, operation, move |entity| {
        Ok(entity.replace(spec.clone(), now)?)
    })
    .await
}

/// Patches an entity. An empty patch changes nothing.
pub async fn patch<S: Writable>(
    app: &App,
    permit: &Permit<Update<S>>,
    id: &S::Id,
    mut patch: S::Patch,
) -> Result<(), AppError> {
    S::prepare_patch(app.snapshot()?.rows(), id, &mut patch)?;
    if patch == S::Patch::default() {
        get_visible::<S>(app.snapshot()?.rows(), id, permit.surface())?;
        return Ok(());
    }
    let (now, operation) = (app.env().now(), S::OPERATIONS.map(|named| named.patch));
    change_as(app, permit, id, operation, move |entity| {
        Ok(entity.patch(patch.clone(), now)?)
    })
    .await
}

/// Changes an entity by `apply` in a transaction.
pub(crate) async fn change<S: Resource>(
    app: &App,
    permit: &Permit<Update<S>>,
    id: &S::Id,
    apply: impl FnMut(&mut Entity<S>) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    change_as(app, permit, id, None, apply).await
}

/// As [`change`], named `operation` in the audit trail. Nothing is written if `apply` changes
/// nothing, not even the modification time, which [`Managed::replace`] and [`Managed::patch`] do.
pub(crate) async fn change_as<S: Resource>(
    app: &App,
    permit: &Permit<Update<S>>,
    id: &S::Id,
    operation: Option<&'static str>,
    mut apply: impl FnMut(&mut Entity<S>) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let credential_guard = CredentialGuard::new(app);
    let wanted = id.clone();
    let reserved = ReservedNumbers::reserve::<S>(app);
    let surface = permit.surface();
    app.commit_for(permit, move |rows, caller| {
        let found = get_visible::<S>(rows.rows(), &wanted, surface)?;
        let mut entity = found.entity.clone();
        apply(&mut entity)?;
        if entity == found.entity {
            return Ok(());
        }
        if let Some(operation) = operation {
            rows.set_operation(operation, wanted.as_str());
        }
        let authority = (caller, credential_guard);
        S::authorize(rows.rows(), authority, Some(&found), &entity)?;
        S::validate(rows.rows(), Some(&found.entity), &entity)?;
        rows.replace(&found.key, &found.entity, &entity)?;
        let after = Found {
            key: found.key,
            entity,
        };
        S::after_write(rows, Some(&found.entity), &after, &reserved, caller)
    })
    .await
}

/// Deletes an entity.
pub async fn delete<S: Resource>(
    app: &App,
    permit: &Permit<Delete<S>>,
    id: &S::Id,
) -> Result<(), AppError> {
    delete_if(app, permit, id, |_entity: &Entity<S>| Ok(())).await
}

/// Deletes an entity if `check` succeeds.
pub(crate) async fn delete_if<S: Resource>(
    app: &App,
    permit: &Permit<Delete<S>>,
    id: &S::Id,
    check: impl Fn(&Entity<S>) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let surface = permit.surface();
    app.commit_for(permit, move |rows, caller| {
        let found = get_visible::<S>(rows.rows(), &wanted, surface)?;
        check(&found.entity)?;
        // Callers learn of a use before they are refused.
        S::validate_removal(rows.rows(), &found)?;
        S::authorize_removal(rows.rows(), caller, &found)?;
        S::remove(rows, &found, caller)
    })
    .await
}

/// Gets an entity by id.
pub(crate) fn get<S: Resource>(rows: Rows<'_>, id: &S::Id) -> Result<Found<Entity<S>>, AppError> {
    rows.find(&reference(id))?
        .ok_or_else(|| AppError::not_found(S::NOUN, id.as_str()))
}

/// Gets an entity by id if it is visible on an API surface.
pub(crate) fn get_visible<S: Resource>(
    rows: Rows<'_>,
    id: &S::Id,
    surface: ApiSurface,
) -> Result<Found<Entity<S>>, AppError> {
    let found = get::<S>(rows, id)?;
    if S::is_visible(&found.entity.spec, surface) {
        Ok(found)
    } else {
        Err(AppError::not_found(S::NOUN, id.as_str()))
    }
}
