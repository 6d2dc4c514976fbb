//! Projections of the store in memory: what lists, searches and session look-ups answer from.
//!
//! The store keeps records and knows little; everything that can be computed from records is
//! computed here and kept current in commit order, without I/O. [`Projections`] is the whole set
//! with its locks. In it, a [`Catalog`] holds the entities of a kind in columns and several orders
//! at once, so that a page costs the same wherever it lies, and [`Sessions`] mirrors the API
//! sessions by token, id and identity, with what is known of their activity ahead of the store.
//!
//! A catalog answers the predicates and orders of [`portcullis_filter`] as far as its columns hold
//! what is asked for ([`Catalog::search`], [`Catalog::page_in`]); a search that needs more than
//! they hold says so, and leaves over whom to look at.
//!
//! [`Access`] knows what the policies of the network say: which of them select an entity, and which
//! entities they select. It keeps no verdicts; who may use what is found when it is asked for. It is
//! read together with the catalogs that it is about ([`Projections::access`]).
//!
//! Answers are numbers of records, which the caller opens in a snapshot of the store; a record
//! that is gone by then is passed over. What must hold inside a transaction is read from the
//! store, never from here.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::change::{Change, EntityChange};
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
//! use portcullis_domain::ids::{IdentityId, Number};
//! use portcullis_index::{Direction, Projections, SortKey};
//! use std::sync::Arc;
//!
//! let identity = |number, name: &str| {
//!     let spec = IdentitySpec::named(IdentityName::new(name)?);
//!     let id = IdentityId::from_wire(format!("id-{number}"));
//!     Ok::<_, portcullis_domain::FieldError>(Change::Identity(EntityChange {
//!         owner: None,
//!         number: Number(number),
//!         now: Some(Arc::new(Identity::new(id, spec, Timestamp::UNIX_EPOCH))),
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
//! assert_eq!(page, [Number(2), Number(1)]);
//! # Ok::<(), portcullis_domain::FieldError>(())
//! ```

mod access;
mod auth_policies;
mod authenticators;
mod bits;
mod catalog;
mod digest;
mod enrollments;
mod few;
mod held;
mod identities;
mod managed;
mod matches;
mod order;
mod page;
mod postings;
mod projections;
mod search;
mod service_sessions;
mod sessions;
mod slots;
mod text;

pub use access::{Access, Kinds, Policy, PolicyKind, Selectable, Side};
pub use auth_policies::AuthPolicyColumns;
pub use authenticators::AuthenticatorColumns;
pub use catalog::{Catalog, CatalogBuilder, Catalogued, Columns, Direction, SortKey, Walk};
pub use enrollments::EnrollmentColumns;
pub use few::NoColumns;
pub use held::{Held, Word};
pub use identities::IdentityColumns;
pub use managed::{
    ConfigColumns, Described, EdgeRouterPolicyColumns, PostureCheckColumns, RevocationColumns,
    RouterColumns, ServiceColumns, TerminatorColumns,
};
pub use matches::Matches;
pub use postings::Postings;
pub use projections::{AccessGuard, Projections};
pub use service_sessions::ServiceSessionColumns;
pub use sessions::{Session, Sessions};
pub use slots::Slot;
