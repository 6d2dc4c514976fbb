//! Who is inspected.

use super::names::RequestedNames;
use super::{Gathered, own};
use crate::app::App;
use crate::error::AppError;
use crate::fabric::names::Names;
use portcullis_domain::ids::RouterId;
use regex::Regex;

/// Whom an expression has selected.
pub(super) struct Selected {
    /// Values of the controller, if it is one of them.
    pub(super) own: Gathered,
    pub(super) routers: Vec<RouterId>,
    has_controller: bool,
}

impl Selected {
    pub(super) const fn is_empty(&self) -> bool {
        !self.has_controller && self.routers.is_empty()
    }
}

/// Selects by the id of the controller, and by ids and names of connected routers.
pub(super) fn select(
    app: &App,
    matches: &Regex,
    names: &RequestedNames,
) -> Result<Selected, AppError> {
    let view = app.snapshot()?;
    let mut known = Names::new(view.rows());
    let mut routers = Vec::new();
    for router in app.live_network().online_routers() {
        let is_selected =
            matches.is_match(router.as_str()) || matches.is_match(&known.router(&router)?.name);
        if is_selected {
            routers.push(router);
        }
    }
    let mut gathered = Gathered::new(app);
    let id = app.network().serving_state().controller.id.to_string();
    let has_controller = matches.is_match(&id);
    if has_controller {
        own::add_values(app, &mut known, (&id, names), &mut gathered)?;
    }
    Ok(Selected {
        own: gathered,
        routers,
        has_controller,
    })
}
