//! Role attributes: which are in use, and how often.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Asked, Paging, kinds};
use portcullis_domain::access::Permit;
use portcullis_domain::view::Page;
use portcullis_index::Slot;
use std::ops::ControlFlow;

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
    asked: &Asked<'_>,
    show: &mut dyn FnMut(String) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let page = matching(app, asked)?;
    let paging = Paging::of_page(&page);
    // How it ended is for whoever shows.
    let _ = page.items.into_iter().try_for_each(show);
    Ok(paging)
}

/// Lists the role attributes of identities with their use. The use of each is of one moment.
pub fn usage_of_identities(
    app: &App,
    _permit: &Permit<identities::Read>,
    asked: &Asked<'_>,
    with_ids: bool,
    show: &mut dyn FnMut(Usage) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let page = matching(app, asked)?;
    let paging = Paging::of_page(&page);
    for attribute in page.items {
        if (asked.is_over)() {
            return Err(AppError::TooSlow);
        }
        if show(usage(app, attribute, with_ids)?).is_break() {
            break;
        }
    }
    Ok(paging)
}

/// The attributes that match. They are copied before they are looked at, so that nobody waits for
/// the filter.
fn matching(app: &App, asked: &Asked<'_>) -> Result<Page<String>, AppError> {
    let listing = listing::read_filter(&kinds::ROLE_ATTRIBUTES, &asked.parameters)?;
    let words: Vec<String> = {
        let catalog = app.require_lists()?.identities();
        let words = catalog.columns().role_attributes().words();
        words.map(|(word, _slots)| word.to_owned()).collect()
    };
    let rows = words.iter().map(|word| kinds::RoleAttributeRow(word));
    let page = listing::select_in_time(&listing, rows, asked.is_over)?;
    Ok(page.map(|row| row.0.to_owned()))
}

fn usage(app: &App, attribute: String, with_ids: bool) -> Result<Usage, AppError> {
    let (count, ids) = {
        let catalog = app.require_lists()?.identities();
        let slots = catalog.columns().role_attributes().with(&attribute);
        let count = match slots {
            Some(slots) => slots.len(),
            None => 0,
        };
        let ids = with_ids.then(|| -> Vec<String> {
            let slots = slots.into_iter().flatten().map(Slot::from_bit);
            slots
                .filter_map(|slot| catalog.id(slot))
                .map(str::to_owned)
                .collect()
        });
        (count, ids)
    };
    let ids = ids.map(|mut ids| {
        ids.sort_unstable();
        ids
    });
    Ok(Usage {
        attribute,
        count,
        ids,
    })
}
