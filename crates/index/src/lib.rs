//! In-memory projections of the store, for lists, searches and session look-ups.
//!
//! The store keeps records only; everything that can be computed from them is computed here and
//! kept current in commit order, without I/O. [`Projections`] is the whole set with its locks. A
//! [`Catalog`] keeps the entities of a kind in columns and in several orders at once, so that a
//! page costs the same at any offset. [`ApiSessionMirror`] mirrors the API sessions by token, id
//! and identity, with activity that the store does not have yet.
//!
//! A catalog evaluates the predicates and orders of [`portcullis_filter`] as far as its columns
//! allow ([`Catalog::search`], [`Catalog::page_in`]). A search that needs more than the columns is
//! marked as inexact and returns candidates.
//!
//! [`AccessIndex`] knows which policies select an entity, and which entities they select. It caches
//! no results; who may use what is computed on request. It is read together with the catalogs that
//! it refers to ([`Projections::access`]).
//!
//! Results are record numbers, which the caller reads in a snapshot of the store, skipping records
//! that were deleted meanwhile. What must hold inside a transaction is read from the store, never
//! from here.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::change::{Change, EntityChange};
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
//! use portcullis_domain::ids::{IdentityId, RecordNumber};
//! use portcullis_index::{Direction, Projections, SortKey};
//! use std::sync::Arc;
//!
//! let identity = |number, name: &str| {
//!     let spec = IdentitySpec::named(IdentityName::new(name)?);
//!     let id = IdentityId::from_wire(format!("id-{number}"));
//!     Ok::<_, portcullis_domain::FieldError>(Change::Identity(EntityChange {
//!         owner: None,
//!         number: RecordNumber(number),
//!         before: None,
//!         entity: Some(Arc::new(Identity::new(id, spec, Timestamp::UNIX_EPOCH))),
//!     }))
//! };
//!
//! let projections = Projections::default();
//! projections.begin_load();
//! projections.load_put(&identity(1, "tablet")?);
//! projections.finish_load(7);
//! projections.apply(8, &[identity(2, "laptop")?]);
//!
//! let identities = projections.identities();
//! let page = identities.page(SortKey::Name, Direction::Ascending, 0, 100);
//! assert_eq!(page, [RecordNumber(2), RecordNumber(1)]);
//! # Ok::<(), portcullis_domain::FieldError>(())
//! ```

mod access;
mod authenticators;
mod catalog;
mod column;
mod enrollments;
mod identities;
mod managed;
mod matches;
mod no_columns;
mod order;
mod page;
mod postings;
mod projections;
mod search;
mod service_sessions;
mod sessions;
mod slot_bits;
mod slots;
mod sort_key;
mod text;

pub use access::{AccessIndex, Policy, PolicyKind, PolicySide, Selectable, SelectableCatalogs};
pub use authenticators::AuthenticatorColumns;
pub use catalog::{
    Catalog, CatalogBuilder, CatalogColumns, CatalogEntry, Direction, SortKey, Walk,
};
pub use column::{ColumnRef, Constant};
pub use enrollments::EnrollmentColumns;
pub use identities::IdentityColumns;
pub use managed::{
    AuthPolicyColumns, CatalogSpec, ConfigColumns, EdgeRouterPolicyColumns, PostureCheckColumns,
    RevocationColumns, RouterColumns, ServiceColumns, TerminatorColumns,
};
pub use matches::Matches;
pub use no_columns::NoColumns;
pub use postings::Postings;
pub use projections::{AccessGuard, Projections};
pub use service_sessions::ServiceSessionColumns;
pub use sessions::{ApiSessionMirror, MirroredSession};
pub use slots::Slot;
