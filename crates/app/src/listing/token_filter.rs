//! Filters by token.

use super::symbols::{find_equality, is_sorted_by, mentions};
use super::{ListError, Listing, Schema, restrict_to};
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_filter::Predicate;

const TOKEN_SYMBOL: &str = "token";

/// Replaces a filter by token with one by the id that `find` returns for the token.
///
/// Tokens are secrets that can be looked up but not compared: only administrators may filter by
/// one, by equality and without further conditions.
///
/// # Errors
///
/// [`ListError::Sort`] for an order by token, [`ListError::Filter`] for any other use of the
/// symbol, and the errors of `find`.
pub(crate) fn resolve_token_filter(
    listing: Listing,
    schema: &'static Schema,
    caller: &Caller,
    find: impl FnOnce(&str) -> Result<Option<String>, AppError>,
) -> Result<Listing, AppError> {
    if !mentions(&listing, TOKEN_SYMBOL) {
        return Ok(listing);
    }
    if is_sorted_by(&listing, TOKEN_SYMBOL) {
        return Err(ListError::Sort("lists cannot be sorted by `token`".to_owned()).into());
    }
    let Some(token) =
        find_equality(&listing.predicate, TOKEN_SYMBOL).filter(|_token| caller.is_admin)
    else {
        let reason =
            "only administrators can filter by `token`, and only with `token = \"...\"` alone";
        return Err(ListError::Filter(reason.to_owned()).into());
    };
    let found = find(token)?;
    let any = Listing {
        predicate: Predicate::Constant(found.is_some()),
        ..listing
    };
    Ok(match found {
        Some(id) => restrict_to(any, schema, "id", &id),
        None => any,
    })
}
