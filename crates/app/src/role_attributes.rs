//! Role attributes: which are in use, and how often.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Parameters, kinds};
use portcullis_domain::access::Permit;
use portcullis_domain::view::Page;
use portcullis_index::Slot;

/// How often a role attribute is used by the entities that can carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The attribute.
    pub attribute: String,
    /// How many identities carry it.
    pub count: u64,
    /// Their ids, if they were asked for.
    pub ids: Option<Vec<String>>,
}

/// Lists the role attributes of identities, ascending. Only a filter is heard, which may page.
pub fn of_identities(
    app: &App,
    _permit: &Permit<identities::Read>,
    parameters: &Parameters<'_>,
) -> Result<Page<String>, AppError> {
    let listing = listing::read_filter(&kinds::ROLE_ATTRIBUTES, parameters)?;
    let catalog = app.require_lists()?.identities();
    let words = catalog.columns().role_attributes().words();
    let rows = words.map(|(word, _slots)| kinds::RoleAttributeRow(word));
    Ok(listing::select(&listing, rows).map(|row| row.0.to_owned()))
}

/// Lists the role attributes of identities with their use.
pub fn usage_of_identities(
    app: &App,
    _permit: &Permit<identities::Read>,
    parameters: &Parameters<'_>,
    with_ids: bool,
) -> Result<Page<Usage>, AppError> {
    let listing = listing::read_filter(&kinds::ROLE_ATTRIBUTES, parameters)?;
    let catalog = app.require_lists()?.identities();
    let attributes = catalog.columns().role_attributes();
    let rows = attributes
        .words()
        .map(|(word, _slots)| kinds::RoleAttributeRow(word));
    Ok(listing::select(&listing, rows).map(|row| {
        let slots = attributes.with(row.0);
        let ids = with_ids.then(|| {
            let slots = slots.into_iter().flatten().map(Slot::from_bit);
            let mut ids: Vec<_> = slots.filter_map(|slot| catalog.id(slot)).collect();
            ids.sort_unstable();
            ids.into_iter().map(str::to_owned).collect()
        });
        Usage {
            attribute: row.0.to_owned(),
            count: match slots {
                Some(slots) => slots.len(),
                None => 0,
            },
            ids,
        }
    }))
}
