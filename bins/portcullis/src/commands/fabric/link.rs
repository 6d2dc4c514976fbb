//! `portcullis fabric link`.

mod update;

use super::LiveCommand;
use crate::column::Column;
use crate::commands::entity_command::{Deletable, Noun, Positional, VerbHelp};
use crate::commands::verb::delegate_verbs;
use crate::entity::{Entity, EntityKind};
use crate::listable::ListOrder;
use crate::table::Table;
use clap::Subcommand;
use portcullis_api::entity::Base;
use portcullis_api::fabric::link::LinkDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::LinkId;

/// Help footer of `fabric link`.
pub(super) const EXAMPLES: &str = "\
Connected routers dial each other, and so make links. Links have ids, but no names. A circuit takes
the path of the least cost: of each link the static cost and both latencies in milliseconds, of each
router its own cost.

Examples:
  portcullis fabric link list --sort 'cost desc'
  portcullis fabric link update 4nQd8wYk2LbX --down       # keep circuits off it
  portcullis fabric link delete 4nQd8wYk2LbX";

/// Subcommands for links.
#[derive(Debug, Subcommand)]
pub(crate) enum LinkCommand {
    #[command(flatten)]
    Live(LiveCommand<LinkDetail>),
    #[command(display_order = 40)]
    Update(update::UpdateArgs),
}

delegate_verbs!(LinkCommand: Live, Update);

impl Entity for LinkDetail {
    fn label(&self) -> String {
        format!("{} to {}", self.source_router.name, self.dest_router.name)
    }
}

impl EntityKind for LinkDetail {
    const COMMAND: &'static str = "fabric link";
    const SINGULAR: &'static str = "link";
    const PLURAL: &'static str = "links";
    const GOES_WITH: &'static str = " Their routers may dial new ones.";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("sourceRouter", "from", |link, _| {
            link.source_router.name.as_str().into()
        }),
        Column::new("destRouter", "to", |link, _| {
            link.dest_router.name.as_str().into()
        }),
        Column::new("state", "state", |link, _| state(link).into()),
        Column::new("cost", "cost", |link, _| link.cost.to_string().into()),
        Column::new("staticCost", "static", |link, _| {
            link.static_cost.to_string().into()
        }),
        Column::new("sourceLatency", "latency", |link: &Self, _| {
            milliseconds(link.source_latency).into()
        }),
        Column::new("destLatency", "back", |link: &Self, _| {
            milliseconds(link.dest_latency).into()
        }),
        Column::new("protocol", "protocol", |link: &Self, _| {
            link.protocol.as_str().into()
        })
        .wide(),
        Column::new("iteration", "iteration", |link: &Self, _| {
            link.iteration.to_string().into()
        })
        .wide(),
        Column::new("connections", "connections", |link: &Self, _| {
            link.connections.len().to_string().into()
        })
        .wide(),
    ];
    const FIELDS: &'static [&'static str] = &[
        "protocol",
        "dialAddress",
        "sourceRouter",
        "destRouter",
        "state",
        "cost",
        "staticCost",
        "sourceLatency",
        "destLatency",
        "iteration",
    ];
    const COMMON_FIELDS: &'static [&'static str] = &["id"];
    const UNNAMED_ORDER: ListOrder = ListOrder::Controller;
    const SEARCHED: &'static [&'static str] = &["id", "dialAddress"];

    fn base(&self) -> Option<&Base<LinkId>> {
        None
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let connections = self.connections.iter();
        let connections = connections.map(|connection| {
            let (kind, source, dest) = (&connection.kind, &connection.source, &connection.dest);
            format!("{kind} from {source} to {dest}")
        });
        table
            .property("from", &self.source_router.name)
            .property("to", &self.dest_router.name)
            .property("state", state(self))
            .property("cost", self.cost.to_string())
            .property("static cost", self.static_cost.to_string())
            .property("latency", milliseconds(self.source_latency))
            .property("latency back", milliseconds(self.dest_latency))
            .property("protocol", &self.protocol)
            .property("iteration", self.iteration.to_string())
            .property("connections", connections.collect::<Vec<_>>().join(", "))
    }
}

fn state(link: &LinkDetail) -> String {
    if link.down {
        "down".to_owned()
    } else {
        link.state.to_lowercase()
    }
}

/// Nanoseconds as milliseconds, with a fraction if there are few.
fn milliseconds(nanoseconds: i64) -> String {
    let micros = nanoseconds / 1000;
    if micros < 10_000 {
        format!("{}.{:01}ms", micros / 1000, micros % 1000 / 100)
    } else {
        format!("{}ms", micros / 1000)
    }
}

impl Noun for LinkDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List links",
        examples: "\
The filter knows routers by their ids, and latencies in nanoseconds. LATENCY is measured by the
router that dialed, BACK by the other one.

Examples:
  portcullis fabric link list --sort 'cost desc'
  portcullis fabric link list --filter 'sourceLatency > 50000000' --all
  portcullis fabric link list --watch",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a link",
        examples: "\
Examples:
  portcullis fabric link show 4nQd8wYk2LbX
  portcullis fabric link show 4nQd8wYk2LbX --output json | jq .connections",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the link, as shown by `list`",
    };
}

impl Deletable for LinkDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Close links",
        examples: "\
Both routers close the link, and circuits take other paths where there are some. The routers dial
anew; to keep circuits off a link, use `fabric link update --down`. Deleting several, or with
--filter, asks for confirmation unless --yes is given.

Examples:
  portcullis fabric link delete 4nQd8wYk2LbX
  portcullis fabric link delete --filter 'protocol = \"ws\"' --dry-run",
    };
    const TARGETS: Positional = Positional {
        id: "ids",
        value_name: "ID",
        help: "Ids, as shown by `list`",
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;
    use crate::render::Render as _;
    use crate::table_layout;
    use insta::assert_snapshot;
    use serde_json::json;

    #[test]
    fn latencies_are_told_in_milliseconds() {
        for (nanoseconds, text) in [
            (0, "0.0ms"),
            (49_000, "0.0ms"),
            (1_350_000, "1.3ms"),
            (9_999_000, "9.9ms"),
            (10_000_000, "10ms"),
            (65_000_000_000, "65000ms"),
        ] {
            assert_eq!(milliseconds(nanoseconds), text);
        }
    }

    #[test]
    fn a_link_is_told_by_its_routers() {
        let router =
            |name: &str| json!({"_links": {}, "entity": "routers", "id": "i", "name": name});
        let link = json!({
            "id": "l1", "protocol": "tls", "state": "Connected", "down": false, "iteration": 3,
            "cost": 13, "staticCost": 1, "sourceLatency": 12_000_000, "destLatency": 900_000,
            "sourceRouter": router("ams"), "destRouter": router("ber"),
            "connections": [{"type": "link.default", "source": "tcp:a:1", "dest": "tcp:b:2"}],
        });
        let mut link: LinkDetail = serde_json::from_value(link).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        assert_snapshot!(link.table(now, &Names::default()).render(None), @"
        id:            l1
        from:          ams
        to:            ber
        state:         connected
        cost:          13
        static cost:   1
        latency:       12ms
        latency back:  0.9ms
        protocol:      tls
        iteration:     3
        connections:   link.default from tcp:a:1 to tcp:b:2
        ");
        link.down = true;
        assert_eq!(
            table_layout::row(&link, now).join(" "),
            "l1 ams ber down 13 1 12ms 0.9ms"
        );
    }
}
