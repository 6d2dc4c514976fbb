//! `portcullis fabric router`.

use crate::column::Column;
use crate::commands::entity_command::{Deletable, Noun, VerbHelp};
use crate::commands::router;
use crate::entity::{EntityKind, Named};
use crate::moment;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::entity::Base;
use portcullis_api::fabric::router::RouterDetail;
use portcullis_api::time::WireTime;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;

/// Help footer of `fabric router`.
pub(super) const EXAMPLES: &str = "\
Routers of both kinds. Create them with `edge-router create` or `transit-router create`.

Examples:
  portcullis fabric router list --filter 'connected = true'
  portcullis fabric router list --watch
  portcullis fabric router show r1";

impl Named for RouterDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for RouterDetail {
    const COMMAND: &'static str = "fabric router";
    const SINGULAR: &'static str = "router";
    const PLURAL: &'static str = "routers";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("connected", "state", |router, _| state(router).into()),
        Column::new("versionInfo", "version", |router, _| version(router).into()),
        Column::new("connectedAt", "since", |router: &Self, _| {
            router.connected_at.or(router.disconnected_at).into()
        }),
        Column::new("cost", "cost", |router, _| router.cost.to_string().into()),
        Column::new("noTraversal", "traversal", |router, _| {
            yes_or_no(!router.no_traversal).into()
        }),
        Column::new("listenerAddresses", "link listeners", |router: &Self, _| {
            listeners(router).into()
        }),
        Column::new("fingerprint", "fingerprint", |router: &Self, _| {
            router.fingerprint.as_deref().into()
        })
        .chosen(),
    ];
    const FIELDS: &'static [&'static str] = router::FIELDS;

    fn base(&self) -> Option<&Base<RouterId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, now: Timestamp) -> Table {
        let time = |time: Option<WireTime>| time.map(|time| moment::full(time, now));
        let software = self.version_info.as_ref();
        let system = software.map(|software| format!("{} {}", software.os, software.arch));
        let interfaces = self.interfaces.iter().flatten();
        let interfaces = interfaces
            .filter(|one| !one.addresses.is_empty())
            .map(|one| format!("{} {}", one.name, one.addresses.join(" ")));
        let certificate = self.fingerprint.as_ref();
        let certificate = certificate.map(|sum| format!("SHA-1 {sum}"));
        let control: Vec<_> = self.ctrl_chan_listeners.keys().cloned().collect();
        table
            .property("state", state(self))
            .property("connected", time(self.connected_at).unwrap_or_default())
            .property("lost", time(self.disconnected_at).unwrap_or_default())
            .property("version", version(self))
            .property("system", system.unwrap_or_default())
            .property("traversal", yes_or_no(!self.no_traversal))
            .property("cost", self.cost.to_string())
            .property("certificate", certificate.unwrap_or_default())
            .property("link listeners", listeners(self))
            .property("control listeners", control.join(", "))
            .property("interfaces", interfaces.collect::<Vec<_>>().join(", "))
    }
}

fn state(router: &RouterDetail) -> &'static str {
    if router.disabled {
        "disabled"
    } else if router.connected {
        "online"
    } else {
        "offline"
    }
}

fn version(router: &RouterDetail) -> &str {
    let software = router.version_info.as_ref();
    software.map_or("", |software| &software.version)
}

fn listeners(router: &RouterDetail) -> String {
    let listeners = router.listener_addresses.iter().flatten();
    let addresses: Vec<_> = listeners
        .map(|listener| listener.address.as_str())
        .collect();
    addresses.join(", ")
}

impl Noun for RouterDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List routers of both kinds",
        examples: "\
Examples:
  portcullis fabric router list
  portcullis fabric router list --filter 'connected = false' --all
  portcullis fabric router list --watch=10 --output json | jq .entity.name",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a router",
        examples: "\
Examples:
  portcullis fabric router show r1
  portcullis fabric router show r1 --output json | jq .listenerAddresses",
    };
}

impl Deletable for RouterDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete routers",
        examples: "\
A deleted router is locked out at once, and its terminators are deleted too. Deleting several, or
with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis fabric router delete r1
  portcullis fabric router delete --filter 'name contains \"test-\"' --dry-run",
    };
}
