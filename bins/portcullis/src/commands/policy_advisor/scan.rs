//! Scan of identities and services.

use super::ScanArgs;
use super::assessment::Assessment;
use super::paging::fetch_all;
use crate::context::Context;
use crate::error::CliError;
use crate::grid::Grid;
use crate::listable::Listable as _;
use crate::output;
use crate::progress::Progress;
use crate::table_layout::{TableChoice, TableLayout};
use portcullis_api::identity::IdentityDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::{IdentityId, ServiceId};

/// Direction of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From identities to their services.
    Identities,
    /// From services to their identities.
    Services,
}

/// Scans pairs of identities and services up to a limit.
pub(super) struct AdvisorScan<'c> {
    client: &'c Client,
    left: usize,
    is_quiet: bool,
    report: Report,
    progress: Progress,
}

/// Result of a scan.
#[derive(Debug)]
struct Report {
    data: Vec<Assessment>,
    /// Whether the scan was complete.
    is_complete: bool,
    /// Number of pairs checked.
    seen: usize,
}

impl<'c> AdvisorScan<'c> {
    pub(super) fn new(client: &'c Client, extent: ScanArgs) -> Self {
        Self {
            client,
            left: usize::try_from(extent.limit).unwrap_or(usize::MAX),
            is_quiet: extent.quiet,
            report: Report {
                data: Vec::new(),
                is_complete: true,
                seen: 0,
            },
            progress: Progress::new(None, "pairs checked"),
        }
    }

    /// Scans everything.
    pub(super) async fn scan_all(&mut self, from: Direction) -> Result<(), CliError> {
        let client = self.client;
        let query = ListQuery::default();
        match from {
            Direction::Identities => {
                let mut identities = IdentityDetail::ordered_pages(client, query).into_stream();
                while self.report.is_complete
                    && let Some(identity) = identities.try_next().await?
                {
                    self.scan_identity(&identity).await?;
                }
            },
            Direction::Services => {
                let mut services = ServiceDetail::ordered_pages(client, query).into_stream();
                while self.report.is_complete
                    && let Some(service) = services.try_next().await?
                {
                    self.scan_service(&service).await?;
                }
            },
        }
        Ok(())
    }

    /// Scans the services of an identity.
    pub(super) async fn scan_identity(
        &mut self,
        identity: &IdentityDetail,
    ) -> Result<(), CliError> {
        if !self.consume_budget() {
            return Ok(());
        }
        let (client, id) = (self.client, &identity.base.id);
        let fetch = async |query: &ListQuery| client.services_of_identity(id, query).await;
        let services: Vec<ServiceDetail> = fetch_all(self.left, fetch).await?;
        if services.is_empty() {
            self.record(Assessment::without_service(identity));
        }
        for (number, service) in services.iter().enumerate() {
            // The first is counted with its identity.
            if number > 0 && !self.consume_budget() {
                break;
            }
            self.check_pair(id, &service.base.id).await?;
        }
        Ok(())
    }

    /// Scans the identities of a service.
    pub(super) async fn scan_service(&mut self, service: &ServiceDetail) -> Result<(), CliError> {
        if !self.consume_budget() {
            return Ok(());
        }
        let (client, id) = (self.client, &service.base.id);
        let fetch = async |query: &ListQuery| client.identities_of_service(id, query).await;
        let identities: Vec<IdentityDetail> = fetch_all(self.left, fetch).await?;
        if identities.is_empty() {
            self.record(Assessment::without_identity(service));
        }
        for (number, identity) in identities.iter().enumerate() {
            if number > 0 && !self.consume_budget() {
                break;
            }
            self.check_pair(&identity.base.id, id).await?;
        }
        Ok(())
    }

    /// Counts one more pair; `false` if the limit is reached.
    fn consume_budget(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.report.seen += 1;
                self.progress.advance(1);
            },
            None => self.report.is_complete = false,
        }
        self.report.is_complete
    }

    async fn check_pair(
        &mut self,
        identity: &IdentityId,
        service: &ServiceId,
    ) -> Result<(), CliError> {
        let advice = self.client.policy_advice(identity, service).await?;
        self.record(Assessment::from(&advice));
        Ok(())
    }

    fn record(&mut self, verdict: Assessment) {
        if !self.is_quiet || !verdict.works {
            self.report.data.push(verdict);
        }
    }

    /// Writes the result; the names are those of the side that was asked about.
    pub(super) fn finish(
        self,
        context: &Context,
        from: Direction,
        choice: &TableChoice,
    ) -> Result<(), CliError> {
        drop(self.progress);
        let output = context.output;
        let layout = TableLayout::new(choice, output.is_wide(), context.now())?;
        let report = self.report;
        let names = report.data.iter().filter_map(|verdict| match from {
            Direction::Identities => verdict.identity.as_ref(),
            Direction::Services => verdict.service.as_ref(),
        });
        let mut names: Vec<_> = names.map(|party| party.name.as_str()).collect();
        names.dedup();
        output.write_named(names, &report.data, || table(&report, &layout))?;
        if !report.is_complete && output.is_for_programs() {
            output::note(&summary(&report));
        }
        Ok(())
    }
}

fn table(report: &Report, layout: &TableLayout<Assessment>) -> Grid {
    let mut table = layout.grid();
    for verdict in &report.data {
        table.push(layout.row(verdict));
    }
    layout.finish(table, summary(report))
}

/// Summary of a scan.
fn summary(report: &Report) -> String {
    let bad = report.data.iter().filter(|verdict| !verdict.works).count();
    let whole = format!("{} checked, {bad} not working", report.seen);
    if report.is_complete {
        whole
    } else {
        format!("{whole}; there are more, see --limit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_is_mentioned() {
        let mut report = Report {
            data: Vec::new(),
            is_complete: true,
            seen: 3,
        };
        assert_eq!(summary(&report), "3 checked, 0 not working");
        report.is_complete = false;
        assert!(summary(&report).ends_with("there are more, see --limit"));
    }
}
