//! Role attributes: which are in use, and how often.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Parameters, kinds};
use portcullis_domain::access::Permit;
use portcullis_domain::view::Page;

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
    permit: &Permit<identities::Read>,
    parameters: &Parameters<'_>,
    with_ids: bool,
) -> Result<Page<Usage>, AppError> {
    of_identities(app, permit, parameters)?.try_map(|attribute| {
        let catalog = app.require_lists()?.identities();
        let slots = catalog.columns().role_attributes().with(&attribute);
        let ids = slots.filter(|_slots| with_ids).map(|slots| {
            let ids = slots.iter().map(portcullis_index::Slot::from_bit);
            let mut ids: Vec<_> = ids.filter_map(|slot| catalog.id(slot)).collect();
            ids.sort_unstable();
            ids.into_iter().map(str::to_owned).collect()
        });
        Ok(Usage {
            count: match slots {
                Some(slots) => slots.len(),
                None => 0,
            },
            ids,
            attribute,
        })
    })
}
