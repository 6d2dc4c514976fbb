//! Lists by a text that their entities contain.

use crate::entity::{Entity, EntityKind};
use crate::error::CliError;
use crate::listable::Listable as _;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery, quote};
use std::marker::PhantomData;

/// Most identities by which entities are found.
const MAX_OWNERS: i64 = 500;

/// A text to look for.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs<E: Entity> {
    #[arg(value_name = "TERM", help = help::<E>())]
    term: Option<String>,

    #[arg(skip)]
    kind: PhantomData<fn() -> E>,
}

fn help<E: EntityKind>() -> String {
    let owner = E::HAS_IDENTITY.then_some("the name of the identity");
    let fields = E::SEARCHED.iter().copied().chain(owner);
    let fields: Vec<_> = fields.collect();
    format!(
        "List only entries with this text in {}, in upper or lower case",
        fields.join(" or ")
    )
}

impl<E: Entity> SearchArgs<E> {
    /// Adds the condition of the text to a query.
    pub(crate) async fn apply(
        &self,
        client: &Client,
        query: ListQuery,
    ) -> Result<ListQuery, CliError> {
        let Some(term) = &self.term else {
            return Ok(query);
        };
        let fields = E::SEARCHED.iter().map(|field| contains(field, term));
        let owner = if E::HAS_IDENTITY {
            Some(belongs_to(&identities(client, term).await?))
        } else {
            None
        };
        let conditions: Vec<_> = fields.chain(owner).collect();
        Ok(query.and(&match conditions.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(" or ")),
        }))
    }
}

fn contains(field: &str, term: &str) -> String {
    format!("{field} icontains {}", quote(term))
}

/// Ids of the identities with a text in their name.
async fn identities(client: &Client, term: &str) -> Result<Vec<String>, CliError> {
    let query = ListQuery {
        limit: Some(MAX_OWNERS),
        ..ListQuery::with_filter(contains("name", term))
    };
    let page = IdentityDetail::fetch_page(client, &query).await?;
    Ok(page
        .data
        .iter()
        .map(|found| found.id().to_owned())
        .collect())
}

fn belongs_to(identities: &[String]) -> String {
    if identities.is_empty() {
        return "false".to_owned();
    }
    let ids: Vec<_> = identities.iter().map(|id| quote(id)).collect();
    format!("identity in [{}]", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_in_their_quotes() {
        let condition = contains("name", r#"a" or true or name = ""#);
        assert_eq!(condition, r#"name icontains "a\" or true or name = \"""#);
    }

    #[test]
    fn owners_are_given_by_id() {
        assert_eq!(belongs_to(&[]), "false");
        let ids = ["a1".to_owned(), "b2".to_owned()];
        assert_eq!(belongs_to(&ids), r#"identity in ["a1", "b2"]"#);
    }
}
