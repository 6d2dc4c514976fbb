//! Entities managed by administrators: id, timestamps and specification.

mod layout;

use crate::FieldError;
use crate::clock::{self, SignedDuration, Timestamp};

/// An entity that administrators manage. The specification holds what they set, and what the
/// controller derives from it or finds out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Managed<I, S> {
    pub id: I,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub spec: S,
}

/// The specification of a kind of managed entity.
pub trait Spec: Clone {
    /// A partial update.
    type Patch;

    /// Whether the members are stored beside the id and the timestamps, not below `spec`: a kind
    /// keeps the form in which its first records were written.
    const IS_STORED_FLAT: bool = false;

    /// Applies the members that are set.
    fn apply(&mut self, patch: Self::Patch);

    /// Validates and normalizes it for storage. Immutable members are taken over from `before` in
    /// an update.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the invalid member.
    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError>;
}

/// A specification whose kind may have names; implemented by the rows of
/// [`for_each_kind!`](crate::for_each_kind).
pub trait MaybeNamed {
    fn name(&self) -> Option<&str>;
}

impl<I, S: Spec> Managed<I, S> {
    /// Creates an entity.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the invalid member.
    pub fn new(id: I, mut spec: S, now: Timestamp) -> Result<Self, FieldError> {
        spec.normalize(None)?;
        Ok(Self {
            id,
            created_at: now,
            updated_at: now,
            spec,
        })
    }

    /// Replaces the specification, except immutable members.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the invalid member; nothing is changed then.
    pub fn replace(&mut self, mut spec: S, now: Timestamp) -> Result<(), FieldError> {
        spec.normalize(Some(&self.spec))?;
        self.spec = spec;
        self.touch(now);
        Ok(())
    }

    /// Updates the modification time: to `now`, but by a millisecond at least, which is what is
    /// displayed. No two changes share a displayed time, of whatever kind the entity is, so readers
    /// can detect changes by it.
    pub(crate) fn touch(&mut self, now: Timestamp) {
        let next = clock::saturating_add(self.updated_at, SignedDuration::from_millis(1));
        self.updated_at = now.max(next);
    }

    /// Changes the members that `patch` sets, except immutable ones.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the invalid member; nothing is changed then.
    pub fn patch(&mut self, patch: S::Patch, now: Timestamp) -> Result<(), FieldError> {
        let mut spec = self.spec.clone();
        spec.apply(patch);
        self.replace(spec, now)
    }
}

/// Finds the name among the unique values of a row.
macro_rules! name {
    ($self:ident) => { None };
    ($self:ident (name) $($rest:tt)*) => { Some(&$self.name) };
    ($self:ident (setting "name") $($rest:tt)*) => { Some(&$self.settings.name) };
    ($self:ident $source:tt $($rest:tt)*) => { name!($self $($rest)*) };
}

macro_rules! maybe_named {
    (() $($unique:tt)*) => {};
    (($($spec:tt)+) $($unique:tt)*) => {
        impl MaybeNamed for crate::$($spec)+ {
            fn name(&self) -> Option<&str> {
                name!(self $($unique)*)
            }
        }
    };
}

macro_rules! names {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        name: $name:literal,
        subject: $subject:tt,
        noun: $noun:literal,
        stored: $stored:tt,
        unique: [$($index:ident = $number:literal $source:tt),*],
    })+) => {
        $(maybe_named!($spec $($source)*);)+
    };
}

crate::for_each_kind!(names);
