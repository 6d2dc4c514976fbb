//! Finding entities by what people call them: an id or a name.

use crate::error::CliError;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::code::Code;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::ids::AuthPolicyId;

/// Entities on a page of candidates; controllers give no more at once.
const PAGE: i64 = 500;

/// Finds an identity. An id goes before a name.
pub(crate) async fn identity(client: &Client, text: &str) -> Result<IdentityDetail, CliError> {
    let fetch = async |query: ListQuery| client.identities(&query).await;
    let by_id = |found: &IdentityDetail| found.base.id.as_str() == text;
    if let Some(found) = find(fetch, ListQuery::candidates("id", text), by_id).await? {
        return Ok(found);
    }
    let by_name = |found: &IdentityDetail| found.name == text;
    find(fetch, ListQuery::candidates("name", text), by_name)
        .await?
        .ok_or_else(|| missing("identity", text).hint("see `portcullis identity list`"))
}

/// Finds an authentication policy. Where a controller does not list them, the text has to be an id.
pub(crate) async fn auth_policy(client: &Client, text: &str) -> Result<AuthPolicyId, CliError> {
    let fetch = async |query: ListQuery| client.auth_policies(&query).await;
    let by_id = |found: &AuthPolicyDetail| found.base.id.as_str() == text;
    match find(fetch, ListQuery::candidates("id", text), by_id).await {
        Err(error) if error.is_refused_with(Code::NotFound) => {
            return Ok(AuthPolicyId::from_wire(text));
        },
        Err(error) => return Err(error.into()),
        Ok(Some(found)) => return Ok(found.base.id),
        Ok(None) => {},
    }
    let by_name = |found: &AuthPolicyDetail| found.name == text;
    let found = find(fetch, ListQuery::candidates("name", text), by_name).await?;
    let found = found.ok_or_else(|| missing("authentication policy", text))?;
    Ok(found.base.id)
}

/// Goes through the pages of `query` until an entity is the one that is meant.
async fn find<T>(
    fetch: impl AsyncFn(ListQuery) -> Result<ListEnvelope<T>, ClientError>,
    query: ListQuery,
    is_meant: impl Fn(&T) -> bool,
) -> Result<Option<T>, ClientError> {
    let mut offset: i64 = 0;
    loop {
        let page = fetch(ListQuery {
            limit: Some(PAGE),
            offset: Some(offset),
            ..query.clone()
        })
        .await?;
        let total = page.meta.pagination.total_count;
        let length = i64::try_from(page.data.len()).unwrap_or(i64::MAX);
        if let Some(found) = page.data.into_iter().find(&is_meant) {
            return Ok(Some(found));
        }
        offset = offset.saturating_add(length);
        if length == 0 || offset >= total {
            return Ok(None);
        }
    }
}

fn missing(kind: &str, text: &str) -> CliError {
    CliError::failed(format!("there is no {kind} with the id or name `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::envelope::{ListMeta, Pagination};

    /// Numbers below 1200 as a controller lists them.
    fn page(query: &ListQuery) -> ListEnvelope<i64> {
        let (limit, offset) = (query.limit.unwrap(), query.offset.unwrap());
        ListEnvelope {
            data: (offset..(offset + limit).min(1200)).collect(),
            meta: ListMeta {
                filterable_fields: Vec::new(),
                pagination: Pagination {
                    limit,
                    offset,
                    total_count: 1200,
                },
            },
        }
    }

    #[tokio::test]
    async fn all_pages_are_looked_through() {
        for (wanted, expected) in [
            (0, Some(0)),
            (499, Some(499)),
            (500, Some(500)),
            (1199, Some(1199)),
            (1200, None),
        ] {
            let fetch = async |query: ListQuery| Ok(page(&query));
            let found = find(fetch, ListQuery::default(), |number| *number == wanted).await;
            assert_eq!(found.unwrap(), expected);
        }
    }
}
