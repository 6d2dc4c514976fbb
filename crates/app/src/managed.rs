//! What administrators make: created, read, listed, replaced, merged and deleted in the same way,
//! whatever kind it is.
//!
//! A kind says what is special about it by implementing [`Made`]; the use cases here do the rest.

mod beside;
mod face;
mod names;

pub use beside::Beside;
use face::face;
pub(crate) use face::find_seen;
pub use face::{Face, For, OnFabric};
pub(crate) use names::{check_named, names};

use crate::app::{App, View};
use crate::error::AppError;
use crate::listing::kinds::ListedSpec;
use crate::listing::{self, Answer, Asked, Listing, Paging, Sight};
use portcullis_domain::access::{Access, Action, Caller, Permit};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{EntityId as _, Number};
use portcullis_domain::managed::Managed;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_index::{Catalog, Catalogued, Slot};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Found, Kept, Rows, RowsMut, reference};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// An entity about which `S` says everything that administrators decide.
pub type Of<S> = Managed<<S as Kept>::Id, S>;

/// What administrators decide about a kind of entity, with what is special about the kind.
#[expect(
    private_bounds,
    reason = "how a kind is listed is nobody's business outside; the trait is implemented here alone"
)]
pub trait Made: ListedSpec<Patch: Clone + Default + PartialEq + Send> + Sync {
    /// What errors call one of them.
    const NOUN: &'static str;

    /// The permissions that are about them.
    const SUBJECT: Subject;

    /// One of them together with what is shown beside it.
    type View: Send + 'static;

    /// Whether one is seen through a face; one that is not does not exist there.
    fn is_seen(spec: &Self, face: Face) -> bool {
        let _ = (spec, face);
        true
    }

    /// Puts one of them together with what is shown beside it.
    fn view(beside: Beside<'_>, found: Found<Of<Self>>) -> Result<Self::View, AppError>;

    /// Does what takes long to check, outside of any transaction, and brings what is decided into
    /// the form in which it is kept. `id` is that of the entity which is to be replaced.
    fn examine(rows: Rows<'_>, id: Option<&Self::Id>, spec: &mut Self) -> Result<(), AppError> {
        let _ = (rows, id, spec);
        Ok(())
    }

    /// As [`Made::examine`], for the members that are to change.
    fn examine_patch(
        rows: Rows<'_>,
        id: &Self::Id,
        patch: &mut Self::Patch,
    ) -> Result<(), AppError> {
        let _ = (rows, id, patch);
        Ok(())
    }

    /// Checks that it may become what it is to be; `before` is what it was.
    fn check(rows: Rows<'_>, before: Option<&Of<Self>>, after: &Of<Self>) -> Result<(), AppError>;

    /// Checks that it may be removed.
    fn check_removal(rows: Rows<'_>, found: &Found<Of<Self>>) -> Result<(), AppError> {
        let _ = (rows, found);
        Ok(())
    }

    /// Brings what belongs to it into line, in the same transaction, after `caller` wrote it.
    fn follow(
        rows: &mut RowsMut<'_>,
        before: Option<&Of<Self>>,
        after: &Found<Of<Self>>,
        belongings: &Belongings,
        caller: &Caller,
    ) -> Result<(), AppError> {
        let _ = (rows, before, after, belongings, caller);
        Ok(())
    }

    /// The kinds of records that a change of one may have to make, for which numbers are drawn.
    const BELONGINGS: &'static [Kind] = &[];

    /// Removes one with everything that goes with it, as `caller` wants.
    fn remove(
        rows: &mut RowsMut<'_>,
        found: &Found<Of<Self>>,
        caller: &Caller,
    ) -> Result<(), AppError> {
        let _ = caller;
        Ok(rows.remove(&found.key, &found.entity)?)
    }
}

/// Numbers of records that may be made along with an entity, and the time of the change.
#[derive(Debug, Clone)]
pub struct Belongings {
    numbers: Vec<Number>,
    /// When the change is made.
    pub now: Timestamp,
}

impl Belongings {
    fn draw<S: Made>(app: &App) -> Self {
        Self {
            numbers: S::BELONGINGS.iter().map(|kind| app.number(*kind)).collect(),
            now: app.env().now(),
        }
    }

    /// The number that was drawn for the kind at this place of [`Made::BELONGINGS`].
    pub(crate) fn number(&self, place: usize) -> Result<Number, AppError> {
        let number = self.numbers.get(place).copied();
        number
            .ok_or_else(|| AppError::internal("no number was drawn for what belongs to an entity"))
    }
}

/// Declares actions on every kind.
macro_rules! actions_on_kinds {
    ($($(#[$doc:meta])* $name:ident = $verb:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<S>(PhantomData<fn() -> S>);

        impl<S: Made> Action for $name<S> {
            const ACCESS: Access = Access::Granted(S::SUBJECT, Verb::$verb);
        }
    )+};
}

actions_on_kinds! {
    /// Reads one entity or a list.
    Read = Read;
    /// Creates an entity.
    Create = Create;
    /// Replaces or merges an entity.
    Update = Update;
    /// Deletes an entity.
    Delete = Delete;
}

/// Reads one.
pub fn read<S: Made>(
    app: &App,
    permit: &Permit<impl For<Read<S>>>,
    id: &S::Id,
) -> Result<S::View, AppError> {
    let view = app.snapshot()?;
    let found = find_seen::<S>(view.rows(), id, face::<Read<S>, _>(permit))?;
    let beside = Beside::new(app, view.rows(), permit.caller());
    S::view(beside, found)
}

/// Lists them.
pub fn list<S: Made>(
    app: &App,
    permit: &Permit<impl For<Read<S>>>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Of<S>>()?;
    answer::<S>(app, permit.caller(), &listing, &Sight::of_all(asked), show)
}

/// Answers a list that was read.
pub(crate) fn answer<S: Made>(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    sight: &Sight<'_, Of<S>>,
    show: &mut dyn FnMut(S::View) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    listing::check_filter(listing, caller)?;
    let answer: Answer<'_, Of<S>> = Answer::new(app, listing, sight)?;
    let view: &View = &answer.view;
    let beside = Beside::new(app, view.rows(), caller);
    answer.each(&mut |found| Ok(show(S::view(beside.clone(), found)?)))
}

/// Creates one.
pub async fn create<S: Made>(
    app: &App,
    permit: &Permit<impl For<Create<S>>>,
    spec: S,
) -> Result<S::Id, AppError> {
    create_as(app, permit, S::Id::generate(&*app.env().entropy)?, spec).await
}

/// Creates one under an id that was drawn.
pub(crate) async fn create_as<S: Made>(
    app: &App,
    permit: &Permit<impl For<Create<S>>>,
    id: S::Id,
    spec: S,
) -> Result<S::Id, AppError> {
    let number = app.number(S::KIND);
    create_with(app, permit, (id, number), spec, |_rows, _key| Ok(())).await
}

/// Creates one under an id and number that were drawn, and what goes along with it.
pub(crate) async fn create_with<S: Made>(
    app: &App,
    permit: &Permit<impl For<Create<S>>>,
    (id, number): (S::Id, Number),
    mut spec: S,
    mut along: impl FnMut(&mut RowsMut<'_>, &RecordKey) -> Result<(), AppError> + Send + 'static,
) -> Result<S::Id, AppError> {
    S::examine(app.snapshot()?.rows(), None, &mut spec)?;
    let entity = Of::<S>::new(id.clone(), spec, app.env().now())?;
    let key = RecordKey::root(S::KIND, number.0);
    let belongings = Belongings::draw::<S>(app);
    app.commit_for(permit, move |rows, caller| {
        S::check(rows.rows(), None, &entity)?;
        rows.insert(&key, &entity)?;
        let entity = entity.clone();
        S::follow(rows, None, &Found { key, entity }, &belongings, caller)?;
        along(rows, &key)
    })
    .await?;
    Ok(id)
}

/// Replaces what administrators decide about one.
pub async fn replace<S: Made>(
    app: &App,
    permit: &Permit<impl For<Update<S>>>,
    id: &S::Id,
    mut spec: S,
) -> Result<(), AppError> {
    S::examine(app.snapshot()?.rows(), Some(id), &mut spec)?;
    let now = app.env().now();
    change(app, permit, id, move |entity| {
        Ok(entity.replace(spec.clone(), now)?)
    })
    .await
}

/// Changes the members of one that `patch` sets. One that sets none changes nothing.
pub async fn merge<S: Made>(
    app: &App,
    permit: &Permit<impl For<Update<S>>>,
    id: &S::Id,
    mut patch: S::Patch,
) -> Result<(), AppError> {
    S::examine_patch(app.snapshot()?.rows(), id, &mut patch)?;
    if patch == S::Patch::default() {
        find_seen::<S>(app.snapshot()?.rows(), id, face::<Update<S>, _>(permit))?;
        return Ok(());
    }
    let now = app.env().now();
    change(app, permit, id, move |entity| {
        Ok(entity.merge(patch.clone(), now)?)
    })
    .await
}

/// Changes one in a way that administrators decided on.
pub(crate) async fn change<S: Made>(
    app: &App,
    permit: &Permit<impl For<Update<S>>>,
    id: &S::Id,
    mut apply: impl FnMut(&mut Of<S>) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let belongings = Belongings::draw::<S>(app);
    let face = face::<Update<S>, _>(permit);
    app.commit_for(permit, move |rows, caller| {
        let found = find_seen::<S>(rows.rows(), &wanted, face)?;
        let mut entity = found.entity.clone();
        apply(&mut entity)?;
        S::check(rows.rows(), Some(&found.entity), &entity)?;
        rows.replace(&found.key, &found.entity, &entity)?;
        let after = Found {
            key: found.key,
            entity,
        };
        S::follow(rows, Some(&found.entity), &after, &belongings, caller)
    })
    .await
}

/// Deletes one.
pub async fn delete<S: Made>(
    app: &App,
    permit: &Permit<impl For<Delete<S>>>,
    id: &S::Id,
) -> Result<(), AppError> {
    delete_if(app, permit, id, |_entity: &Of<S>| Ok(())).await
}

/// Deletes one that passes a check.
pub(crate) async fn delete_if<S: Made>(
    app: &App,
    permit: &Permit<impl For<Delete<S>>>,
    id: &S::Id,
    check: impl Fn(&Of<S>) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let face = face::<Delete<S>, _>(permit);
    app.commit_for(permit, move |rows, caller| {
        let found = find_seen::<S>(rows.rows(), &wanted, face)?;
        check(&found.entity)?;
        S::check_removal(rows.rows(), &found)?;
        S::remove(rows, &found, caller)
    })
    .await
}

/// The records of those of a kind that stand in one of some sets of slots.
pub(crate) fn numbers<E: Catalogued>(
    catalog: &Catalog<E>,
    sets: impl IntoIterator<Item = RoaringBitmap>,
) -> BTreeSet<Number> {
    sets.into_iter()
        .flatten()
        .filter_map(|bit| catalog.number(Slot::from_bit(bit)))
        .collect()
}

/// Finds one by id.
pub(crate) fn find<S: Made>(rows: Rows<'_>, id: &S::Id) -> Result<Found<Of<S>>, AppError> {
    rows.find(&reference(id))?
        .ok_or_else(|| AppError::not_found(S::NOUN, id.as_str()))
}
