//! Entities that administrators create, list, change and delete in the same way, whatever they are.

mod kinds;

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::EntityId;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of entities that administrators create, list, change and delete. The type is how one of
/// them is shown.
pub trait Resource: DeserializeOwned {
    /// Where they are, below the API of administrators.
    const PATH: &'static str;

    /// What tells them apart.
    type Id: EntityId + Send + Sync;
    /// What creates one.
    type Create: Serialize + Sync;
    /// What takes the place of everything that administrators decide about one.
    type Replace: Serialize + Sync;
    /// What changes some of it.
    type Merge: Serialize + Sync;
}

impl Client {
    /// A page of the entities of a kind.
    pub async fn entities<R: Resource>(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<R>, ClientError> {
        self.list(collection::<R>(), query).await
    }

    /// One entity.
    pub async fn entity<R: Resource>(&self, id: &R::Id) -> Result<R, ClientError> {
        self.get(&one::<R>(id)).await
    }

    /// Creates an entity.
    pub async fn create_entity<R: Resource>(
        &self,
        body: &R::Create,
    ) -> Result<Created, ClientError> {
        self.create(&collection::<R>(), body).await
    }

    /// Replaces what administrators decide about an entity.
    pub async fn replace_entity<R: Resource>(
        &self,
        id: &R::Id,
        body: &R::Replace,
    ) -> Result<(), ClientError> {
        self.put(&one::<R>(id), body).await
    }

    /// Changes some of what administrators decide about an entity.
    pub async fn patch_entity<R: Resource>(
        &self,
        id: &R::Id,
        body: &R::Merge,
    ) -> Result<(), ClientError> {
        self.patch(&one::<R>(id), body).await
    }

    /// Deletes an entity.
    pub async fn delete_entity<R: Resource>(&self, id: &R::Id) -> Result<(), ClientError> {
        self.delete(&one::<R>(id)).await
    }
}

/// Where the entities of a kind are.
fn collection<R: Resource>() -> Endpoint {
    Endpoint::new(Api::Management, R::PATH)
}

/// Where one of them is.
pub(super) fn one<R: Resource>(id: &R::Id) -> Endpoint {
    collection::<R>().then(id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::edge_router::EdgeRouterDetail;
    use portcullis_domain::ids::RouterId;

    #[test]
    fn entity_lies_below_its_kind() {
        let id = RouterId::from_wire("a/b");
        assert_eq!(
            one::<EdgeRouterDetail>(&id).to_string(),
            "/edge/management/v1/edge-routers/a%2Fb"
        );
    }
}
