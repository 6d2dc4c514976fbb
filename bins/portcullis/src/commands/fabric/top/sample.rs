//! The network at a moment.

use super::rates::Meters;
use super::{CIRCUITS, Seen};
use crate::commands::fabric::inspect::inspect;
use crate::commands::fabric::roster::Roster;
use crate::error::{CliError, ErrorKind};
use crate::listable::Listable as _;
use portcullis_api::fabric::circuit::CircuitDetail;
use portcullis_api::fabric::link::LinkDetail;
use portcullis_client::{Client, ListQuery};

/// What was seen by one look.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) routers: Roster,
    pub(super) links: Vec<LinkDetail>,
    /// The newest of them.
    pub(super) circuits: Vec<CircuitDetail>,
    pub(super) circuit_count: i64,
    pub(super) meters: Meters,
    /// Why there may be no bytes, or not all.
    pub(super) remarks: Vec<String>,
    /// When bytes were counted.
    pub(super) seen: Seen,
}

impl Sample {
    pub(super) async fn take(client: &Client) -> Result<Self, CliError> {
        let newest = ListQuery {
            limit: Some(CIRCUITS),
            sort: Some("createdAt desc".to_owned()),
            ..ListQuery::default()
        };
        let (routers, links, circuits, metrics) = tokio::join!(
            Roster::fetch(client),
            links(client),
            CircuitDetail::fetch_page(client, &newest),
            meters(client),
        );
        let circuits = circuits?;
        let (meters, remarks) = metrics?;
        Ok(Self {
            routers: routers?,
            links: links?,
            circuit_count: circuits.meta.pagination.total_count,
            circuits: circuits.data,
            meters,
            remarks,
            seen: Seen::now(),
        })
    }
}

async fn links(client: &Client) -> Result<Vec<LinkDetail>, CliError> {
    let mut pages = LinkDetail::ordered_pages(client, ListQuery::default());
    let mut links = Vec::new();
    while let Some(page) = pages.next().await? {
        links.extend(page.data);
    }
    Ok(links)
}

/// What routers count. A controller that refuses to ask them is no reason to show nothing.
async fn meters(client: &Client) -> Result<(Meters, Vec<String>), CliError> {
    let mut meters = Meters::default();
    match inspect(client, ".*", &["metrics".to_owned()]).await {
        Ok(told) => {
            told.values.iter().for_each(|told| meters.read(&told.value));
            Ok((meters, told.errors))
        },
        Err(error) => match error.kind() {
            ErrorKind::Failed | ErrorKind::Unauthorized => Ok((meters, vec![error.message()])),
            _ => Err(error),
        },
    }
}
