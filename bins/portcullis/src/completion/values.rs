//! What arguments take their values from.

use crate::entity::Entity;
use crate::listable::Listable as _;
use clap::builder::ArgExt;
use portcullis_client::{Client, ClientError, ListQuery, RoleAttributeKind};
use std::pin::Pin;

/// A value with what tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(super) value: String,
    pub(super) help: Option<String>,
}

type Found = Pin<Box<dyn Future<Output = Result<Vec<Candidate>, ClientError>> + Send>>;

/// Fetches the entities that match a query.
type Fetch = fn(Client, ListQuery) -> Found;

/// A kind of entity on the controller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entities {
    pub(super) field: &'static str,
    pub(super) fetch: Fetch,
}

/// What the values of an argument are taken from. Declared at the argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Values {
    Profiles,
    /// A name or id.
    One(Entities),
    /// Comma-separated names or ids.
    List(Entities),
    /// A role attribute, with or without `#`.
    Attribute(RoleAttributeKind),
    /// Comma-separated role attributes.
    Attributes(RoleAttributeKind),
    /// Comma-separated selectors: `@name` or `#attribute`.
    Selectors(Entities, RoleAttributeKind),
}

impl ArgExt for Values {}

impl Values {
    pub(crate) const fn one<E: Entity>() -> Self {
        Self::One(Entities::of::<E>())
    }

    pub(crate) const fn list<E: Entity>() -> Self {
        Self::List(Entities::of::<E>())
    }

    pub(crate) const fn selectors<E: Entity + 'static>(kind: RoleAttributeKind) -> Self {
        Self::Selectors(Entities::of::<E>(), kind)
    }
}

impl Entities {
    const fn of<E: Entity>() -> Self {
        Self {
            field: if E::IS_NAMED { "name" } else { "id" },
            fetch: |client, query| Box::pin(fetch::<E>(client, query)),
        }
    }
}

async fn fetch<E: Entity>(client: Client, query: ListQuery) -> Result<Vec<Candidate>, ClientError> {
    let page = client.entities::<E>(&query).await?;
    let candidates = page.data.iter().map(|entity| match entity.optional_name() {
        Some(name) => Candidate {
            value: name.to_owned(),
            help: None,
        },
        None => Candidate {
            value: entity.id().to_owned(),
            help: Some(entity.label()),
        },
    });
    Ok(candidates.collect())
}
