//! `portcullis fabric doctor`.

mod check;
mod examination;
mod finding;
mod report;
mod terminators;
mod told;

use super::roster::Roster;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable as _;
use crate::management_channel::ManagementChannel;
use clap::Args;
use examination::{Examined, examine};
use finding::{Knowledge, findings_of};
use portcullis_api::fabric::circuit::CircuitDetail;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::clock::Timestamp;
use report::Report;
use std::collections::BTreeMap;

/// Help footer of `fabric doctor`.
const EXAMPLES: &str = "\
Each connected router is asked what it has, and that is compared with what the controller knows: links,
circuits, terminators, the data model by which routers judge access, and which identities are
connected. What disagrees is told with what to do about it, and since when there is what it is about, if
that is known. What only shows that a report is on its way is a note.

It takes an administrator, or the permission `ops` as a whole, and changes nothing. It succeeds only if
everything could be checked and nothing was found; notes do not count.

Examples:
  portcullis fabric doctor
  portcullis fabric doctor -o json | jq -r '.findings[] | .problem'
  portcullis fabric doctor > /dev/null || echo 'something is wrong'";

/// Arguments of `fabric doctor`.
#[derive(Debug, Args)]
#[command(about = "Check whether routers and controller agree", after_long_help = EXAMPLES)]
pub(crate) struct DoctorArgs {}

impl Verb for DoctorArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let roster = Roster::fetch_if_allowed(client).await;
        let mut channel = ManagementChannel::open(client).await?;
        let examined = examine(&mut channel, context.timeout).await?;
        drop(channel);
        let circuits = circuits_since(client, &examined).await;
        let knowledge = Knowledge {
            roster: &roster,
            circuits: &circuits,
        };
        let findings = findings_of(&examined, &knowledge);
        let report = Report::new(&examined, findings);
        let now = context.now();
        context.output.write_result(&report, || report.table(now))?;
        if report.is_healthy() {
            Ok(())
        } else {
            Err(CliError::already_reported())
        }
    }
}

/// Since when there are circuits, if anything is said of one. Nothing if they may not be listed.
async fn circuits_since(client: &Client, examined: &[Examined]) -> BTreeMap<String, Timestamp> {
    if !examined.iter().any(Examined::names_circuits) {
        return BTreeMap::new();
    }
    let mut pages = CircuitDetail::ordered_pages(client, ListQuery::default());
    let mut since = BTreeMap::new();
    while let Ok(Some(page)) = pages.next().await {
        let page = page.data.into_iter();
        since.extend(page.map(|circuit| {
            let base = circuit.base;
            (base.id.to_string(), base.created_at.into())
        }));
    }
    since
}
