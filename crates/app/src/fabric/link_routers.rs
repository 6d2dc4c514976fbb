//! The routers of links, with which metrics of links are tagged.

use crate::app::App;
use portcullis_domain::view::LinkView;
use portcullis_events::LinkRouters;
use std::collections::BTreeMap;

/// The routers of links, by the ids of these.
pub(crate) struct LinkRoutersById(BTreeMap<String, LinkRouters>);

impl LinkRoutersById {
    /// Those of the links that there are now.
    pub(crate) fn new(app: &App) -> Self {
        let links = app.live_network().links().into_iter();
        let routers = |link: LinkView| {
            let routers = LinkRouters {
                source: link.source.as_str().into(),
                destination: link.destination.as_str().into(),
            };
            (link.id.as_str().to_owned(), routers)
        };
        Self(links.map(routers).collect())
    }

    pub(crate) fn routers(&self, link: &str) -> Option<LinkRouters> {
        self.0.get(link).cloned()
    }
}
