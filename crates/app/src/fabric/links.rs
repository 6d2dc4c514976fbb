//! Links, which routers make between themselves.

use super::names::Names;
use super::{Delete, Read, Update, audited};
use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::{LINKS, LinkRow};
use crate::listing::{self, ListRequest, Paging};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::LinkId;
use portcullis_domain::view::{LinkChange, LinkView, NamedLink};
use std::ops::ControlFlow;

/// Lists the links.
pub fn list_links(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(NamedLink) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = listing::parse(&LINKS, &request.parameters)?;
    let links = app.live_network().links().into_iter().map(LinkRow);
    let view = app.snapshot()?;
    let mut names = Names::new(view.rows());
    listing::show_page(&listing, links, request.is_cancelled, &mut |LinkRow(
        link,
    )| {
        Ok(show(named(&mut names, link)?))
    })
}

/// Reads a link.
pub fn read_link(app: &App, _permit: &Permit<Read>, id: &LinkId) -> Result<NamedLink, AppError> {
    let link = find(app, id)?;
    named(&mut Names::new(app.snapshot()?.rows()), link)
}

/// Changes a link. An empty change changes nothing.
pub async fn change_link(
    app: &App,
    permit: &Permit<Update>,
    id: &LinkId,
    change: LinkChange,
) -> Result<(), AppError> {
    find(app, id)?;
    if change == LinkChange::default() {
        return Ok(());
    }
    audited(app, permit, "link.update", id.as_str()).await?;
    if app.live_network().change_link(id, change) {
        Ok(())
    } else {
        Err(not_found(id))
    }
}

/// Removes a link. Its routers make another one, unless they cannot.
///
/// # Errors
///
/// "Not found" for a link that this controller does not know; all routers are told to close it
/// nevertheless, since they may.
pub async fn delete_link(app: &App, permit: &Permit<Delete>, id: &LinkId) -> Result<(), AppError> {
    audited(app, permit, "link.delete", id.as_str()).await?;
    if app.live_network().remove_link(id) {
        Ok(())
    } else {
        Err(not_found(id))
    }
}

fn find(app: &App, id: &LinkId) -> Result<LinkView, AppError> {
    app.live_network().link(id).ok_or_else(|| not_found(id))
}

fn not_found(id: &LinkId) -> AppError {
    AppError::not_found("link", id.as_str())
}

pub(super) fn named(names: &mut Names<'_>, link: LinkView) -> Result<NamedLink, AppError> {
    Ok(NamedLink {
        source: names.router(&link.source)?,
        destination: names.router(&link.destination)?,
        link,
    })
}
