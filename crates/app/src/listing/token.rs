//! Lists of what has a token.

use super::symbols::{equals, is_sorted_by, mentions};
use super::{BadListing, Listing, Schema, restricted};
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_filter::Predicate;

const TOKEN: &str = "token";

/// Puts the entity that a token opens in the place of a filter by that token; `find` answers its id.
///
/// Tokens are secrets that can be found but not compared: only administrators may ask, for exactly
/// one, and nothing besides.
///
/// # Errors
///
/// [`BadListing::Sort`] for an order by it, [`BadListing::Filter`] for any other use of the symbol, and
/// the errors of `find`.
pub(crate) fn by_token(
    listing: Listing,
    schema: &'static Schema,
    caller: &Caller,
    find: impl FnOnce(&str) -> Result<Option<String>, AppError>,
) -> Result<Listing, AppError> {
    if !mentions(&listing, TOKEN) {
        return Ok(listing);
    }
    if is_sorted_by(&listing, TOKEN) {
        return Err(BadListing::Sort("lists cannot be sorted by `token`".to_owned()).into());
    }
    let Some(token) = equals(&listing.predicate, TOKEN).filter(|_token| caller.is_admin) else {
        let reason =
            "only administrators can filter by `token`, with nothing but `token = \"...\"`";
        return Err(BadListing::Filter(reason.to_owned()).into());
    };
    let found = find(token)?;
    let any = Listing {
        predicate: Predicate::Constant(found.is_some()),
        ..listing
    };
    Ok(match found {
        Some(id) => restricted(any, schema, "id", &id),
        None => any,
    })
}
