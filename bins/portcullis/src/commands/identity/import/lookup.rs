//! What of a file is on the controller already.

use super::mistake::Mistake;
use super::row::Row;
use crate::entity::Named;
use crate::error::{CliError, ErrorKind};
use crate::resolve;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::ca::CaDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery, quote};
use portcullis_domain::ids::EntityId as _;
use std::collections::{HashMap, HashSet};

/// Most names in a query, and their length, so that a request stays far below the limits of its head.
const NAMES_PER_QUERY: usize = 100;
const BYTES_PER_QUERY: usize = 2048;

/// Queries at a time.
const CONCURRENCY: usize = 4;

/// Replaces the names of authentication policies and third-party CAs by their ids.
pub(super) async fn resolve_references(
    client: &Client,
    rows: &mut [Row],
) -> Result<Vec<Mistake>, CliError> {
    let policies = ids::<AuthPolicyDetail>(client, rows, Row::auth_policy).await?;
    let authorities = ids::<CaDetail>(client, rows, Row::third_party_ca).await?;
    let mut mistakes = Vec::new();
    for row in rows {
        match row.auth_policy().and_then(|text| policies.get(text)) {
            Some(Ok(id)) => row.set_auth_policy(id),
            Some(Err(reason)) => mistakes.push(Mistake::in_field(row.line, "auth_policy", reason)),
            None => {},
        }
        match row.third_party_ca().and_then(|text| authorities.get(text)) {
            Some(Ok(id)) => row.set_third_party_ca(id),
            Some(Err(reason)) => mistakes.push(Mistake::in_field(row.line, "enrollment", reason)),
            None => {},
        }
    }
    Ok(mistakes)
}

/// Ids by references, or why there is none.
async fn ids<N: Named>(
    client: &Client,
    rows: &[Row],
    reference: impl Fn(&Row) -> Option<&str>,
) -> Result<HashMap<String, Result<String, String>>, CliError> {
    let mut found = HashMap::new();
    for text in rows.iter().filter_map(reference) {
        if found.contains_key(text) {
            continue;
        }
        let id = match resolve::by_id_or_name::<N>(client, text).await {
            Ok(entity) => Ok(entity.entity_id().as_str().to_owned()),
            Err(error) if error.kind() == ErrorKind::Failed => Err(error.message()),
            Err(error) => return Err(error),
        };
        found.insert(text.to_owned(), id);
    }
    Ok(found)
}

/// Finds which of these names identities have already.
pub(super) async fn existing_identities(
    client: &Client,
    names: &[&str],
) -> Result<HashMap<String, IdentityDetail>, CliError> {
    let pages = stream::iter(queries(names))
        .map(|query| client.stream::<IdentityDetail>(query).try_collect())
        .buffer_unordered(CONCURRENCY)
        .try_collect::<Vec<_>>()
        .await?;
    let found = pages.into_iter().flatten();
    // Queries for odd names find more than those.
    let wanted: HashSet<_> = names.iter().copied().collect();
    let found = found.filter(|identity| wanted.contains(identity.name.as_str()));
    Ok(found
        .map(|identity| (identity.name.clone(), identity))
        .collect())
}

/// Queries for all of these names, each bounded.
fn queries(names: &[&str]) -> Vec<ListQuery> {
    let (mut queries, mut quoted, mut length) = (Vec::new(), Vec::new(), 0);
    for name in names {
        let exact = ListQuery::equals("name", name);
        if ListQuery::candidates("name", name) != exact {
            queries.push(ListQuery::candidates("name", name));
            continue;
        }
        if quoted.len() >= NAMES_PER_QUERY || length + name.len() > BYTES_PER_QUERY {
            queries.extend(any_of(&mut quoted));
            length = 0;
        }
        length += name.len();
        quoted.push(quote(name));
    }
    queries.extend(any_of(&mut quoted));
    queries
}

/// The query for quoted names, which are taken.
fn any_of(quoted: &mut Vec<String>) -> Option<ListQuery> {
    let names = std::mem::take(quoted);
    (!names.is_empty()).then(|| ListQuery::with_filter(format!("name in [{}]", names.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_bounded() {
        let names: Vec<_> = (0..250).map(|number| format!("n{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(queries(&names).len(), 3);
        let long = "x".repeat(1500);
        assert_eq!(queries(&[&long, &long, &long]).len(), 3);
        assert_eq!(queries(&[]).len(), 0);
        let filters: Vec<_> = queries(&["a\"b", "c\\d", "e"])
            .into_iter()
            .filter_map(|query| query.filter)
            .collect();
        assert_eq!(filters, ["name contains \"d\"", r#"name in ["a\"b","e"]"#]);
    }
}
