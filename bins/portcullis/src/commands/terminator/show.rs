//! `portcullis terminator show`.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_domain::ids::TerminatorId;

const EXAMPLES: &str = "\
Examples:
  portcullis terminator show 3Tn4aRb2kx
  portcullis terminator show 3Tn4aRb2kx --output json | jq .address";

/// Arguments of `terminator show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the terminator, as shown by `list`
    id: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let id = TerminatorId::from_wire(arguments.id);
    let terminator: TerminatorDetail = session.client.entity(&id).await?;
    context
        .output
        .write_result(&terminator, || table(&terminator))
}

/// Renders a terminator as a table.
pub(super) fn table(terminator: &TerminatorDetail) -> Table {
    Table::with_properties()
        .property("id", terminator.base.id.as_str())
        .property("service", &terminator.service.name)
        .property("router", &terminator.router.name)
        .property("binding", &terminator.binding)
        .property("address", &terminator.address)
        .property("instance", &terminator.identity)
        .property("cost", terminator.cost.to_string())
        .property("dynamic cost", terminator.dynamic_cost.to_string())
        .property("precedence", terminator.precedence.name())
        .property("created", terminator.base.created_at.to_string())
        .property("updated", terminator.base.updated_at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listable::Listable as _;
    use portcullis_domain::clock::Timestamp;
    use serde_json::json;

    #[test]
    fn terminator_is_told_by_names() {
        let reference = |name: &str| json!({"_links": {}, "entity": "x", "id": "i", "name": name});
        let terminator = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "t1", "address": "tcp:a:1",
            "binding": "edge_transport", "cost": 5, "dynamicCost": 0, "identity": "",
            "precedence": "failed", "router": reference("r1"), "routerId": "i",
            "service": reference("wiki"), "serviceId": "i",
        });
        let terminator: TerminatorDetail = serde_json::from_value(terminator).unwrap();
        let shown = table(&terminator).render();
        for words in ["wiki\n", "r1\n", "tcp:a:1\n", "failed\n"] {
            assert!(shown.contains(words), "{shown}");
        }
        assert!(!shown.contains("instance"), "{shown}");
        let cells = terminator.cells(Timestamp::UNIX_EPOCH);
        assert_eq!(cells[..3], ["t1", "wiki", "r1"]);
        assert_eq!(cells.len(), TerminatorDetail::COLUMNS.len());
    }
}
