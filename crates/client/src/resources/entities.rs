//! Generic CRUD requests for managed entities.

mod kinds;

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use crate::pages::{EntityStream, Pages};
use portcullis_api::envelope::ListEnvelope;
use portcullis_domain::ids::EntityId;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of entity in a collection. The implementing type is the response type.
pub trait Resource: DeserializeOwned + Send + 'static {
    /// The API with the collection.
    const API: Api = Api::Management;

    /// Path of the collection in the API.
    const PATH: &'static str;

    type Id: EntityId + Send + Sync;

    /// Id of an entity.
    fn entity_id(&self) -> &Self::Id;
}

/// A kind of entity that clients create.
pub trait Creatable: Resource {
    /// Body of POST.
    type Create: Serialize + Sync;
}

/// A kind of entity that clients replace.
pub trait Replaceable: Resource {
    /// Body of PUT.
    type Replace: Serialize + Sync;
}

/// A kind of entity of which clients change some members.
pub trait Patchable: Resource {
    /// Body of PATCH.
    type Patch: Serialize + Sync;
}

impl Client {
    /// A page of the entities of a kind.
    pub async fn entities<R: Resource>(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<R>, ClientError> {
        self.list(collection::<R>(), query).await
    }

    /// All entities of a kind that match a query, whose limit is ignored. Pages are fetched as they are
    /// needed.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use portcullis_client::{Client, ClientError, ListQuery};
    /// # use portcullis_client::api::identity::IdentityDetail;
    /// # async fn run(client: Client) -> Result<(), ClientError> {
    /// let query = ListQuery::with_filter(r#"name contains "lap""#);
    /// let mut laptops = client.stream::<IdentityDetail>(query);
    /// while let Some(laptop) = laptops.try_next().await? {
    ///     println!("{}", laptop.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<R: Resource>(&self, query: ListQuery) -> EntityStream<R> {
        self.pages(query).into_stream()
    }

    /// The pages of [`Client::stream`], with what the controller says about the whole list.
    pub fn pages<R: Resource>(&self, query: ListQuery) -> Pages<R> {
        let client = self.clone();
        let fetch = move |query| {
            let client = client.clone();
            async move { client.entities(&query).await }
        };
        Pages::new(fetch, |entity| entity.entity_id().as_str(), query)
    }

    /// One entity.
    pub async fn entity<R: Resource>(&self, id: &R::Id) -> Result<R, ClientError> {
        self.get(&entity_endpoint::<R>(id)).await
    }

    /// Creates an entity; returns its id.
    pub async fn create_entity<R: Creatable>(
        &self,
        body: &R::Create,
    ) -> Result<R::Id, ClientError> {
        let created = self.create(&collection::<R>(), body).await?;
        Ok(R::Id::from_wire(created.id))
    }

    /// Replaces the spec of an entity.
    pub async fn replace_entity<R: Replaceable>(
        &self,
        id: &R::Id,
        body: &R::Replace,
    ) -> Result<(), ClientError> {
        self.put(&entity_endpoint::<R>(id), body).await
    }

    /// Changes some members of an entity.
    pub async fn patch_entity<R: Patchable>(
        &self,
        id: &R::Id,
        body: &R::Patch,
    ) -> Result<(), ClientError> {
        self.patch(&entity_endpoint::<R>(id), body).await
    }

    /// Deletes an entity.
    pub async fn delete_entity<R: Resource>(&self, id: &R::Id) -> Result<(), ClientError> {
        self.delete(&entity_endpoint::<R>(id)).await
    }
}

fn collection<R: Resource>() -> Endpoint {
    Endpoint::new(R::API, R::PATH)
}

pub(super) fn entity_endpoint<R: Resource>(id: &R::Id) -> Endpoint {
    collection::<R>().join(id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::edge_router::EdgeRouterDetail;
    use portcullis_api::fabric::link::LinkDetail;
    use portcullis_domain::ids::{LinkId, RouterId};

    #[test]
    fn entity_lies_below_its_kind() {
        let id = RouterId::from_wire("a/b");
        assert_eq!(
            entity_endpoint::<EdgeRouterDetail>(&id).to_string(),
            "/edge/management/v1/edge-routers/a%2Fb"
        );
        let id = LinkId::from_wire("l1");
        let endpoint = entity_endpoint::<LinkDetail>(&id);
        assert_eq!(endpoint.to_string(), "/fabric/v1/links/l1");
    }
}
