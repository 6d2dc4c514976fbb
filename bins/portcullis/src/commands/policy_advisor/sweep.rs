//! Many identities with their services, or services with their identities.

use super::ExtentArgs;
use super::gather::gather;
use super::verdict::{Party, Verdict};
use crate::context::Context;
use crate::error::CliError;
use crate::listed::Listed;
use crate::pages::Pages;
use crate::table::Table;
use crate::words::yes;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::{IdentityId, ServiceId};
use serde::Serialize;

/// The side from which to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// From identities to the services that they may use.
    Identities,
    /// From services to the identities that may use them.
    Services,
}

/// Goes over identities with their services until it has seen enough.
pub(super) struct Sweep<'c> {
    client: &'c Client,
    left: usize,
    is_quiet: bool,
    report: Report,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    data: Vec<Verdict>,
    /// Whether everything was looked at.
    is_complete: bool,
    /// How many were looked at.
    seen: usize,
}

impl<'c> Sweep<'c> {
    pub(super) fn new(client: &'c Client, extent: ExtentArgs) -> Self {
        Self {
            client,
            left: usize::try_from(extent.limit).unwrap_or(usize::MAX),
            is_quiet: extent.quiet,
            report: Report {
                data: Vec::new(),
                is_complete: true,
                seen: 0,
            },
        }
    }

    /// Goes over all.
    pub(super) async fn all(&mut self, from: Side) -> Result<(), CliError> {
        let client = self.client;
        match from {
            Side::Identities => {
                let mut pages = Pages::<IdentityDetail>::new(client, ListQuery::default());
                while let Some(page) = self.next(&mut pages).await? {
                    for identity in &page.data {
                        self.identity(identity).await?;
                    }
                }
            },
            Side::Services => {
                let mut pages = Pages::<ServiceDetail>::new(client, ListQuery::default());
                while let Some(page) = self.next(&mut pages).await? {
                    for service in &page.data {
                        self.service(service).await?;
                    }
                }
            },
        }
        Ok(())
    }

    /// The next page, unless enough was seen.
    async fn next<L: Listed>(
        &self,
        pages: &mut Pages<'_, L>,
    ) -> Result<Option<ListEnvelope<L>>, CliError> {
        if self.report.is_complete {
            pages.next().await
        } else {
            Ok(None)
        }
    }

    /// Goes over the services that an identity may use.
    pub(super) async fn identity(&mut self, identity: &IdentityDetail) -> Result<(), CliError> {
        if !self.take() {
            return Ok(());
        }
        let (client, id) = (self.client, &identity.base.id);
        let fetch = async |query: &ListQuery| client.services_of_identity(id, query).await;
        let services: Vec<ServiceDetail> = gather(self.left, fetch).await?;
        if services.is_empty() {
            self.keep(Verdict::without_service(identity));
        }
        for (number, service) in services.iter().enumerate() {
            // The first is seen together with its identity.
            if number > 0 && !self.take() {
                break;
            }
            self.advise(id, &service.base.id).await?;
        }
        Ok(())
    }

    /// Goes over the identities that may use a service.
    pub(super) async fn service(&mut self, service: &ServiceDetail) -> Result<(), CliError> {
        if !self.take() {
            return Ok(());
        }
        let (client, id) = (self.client, &service.base.id);
        let fetch = async |query: &ListQuery| client.identities_of_service(id, query).await;
        let identities: Vec<IdentityDetail> = gather(self.left, fetch).await?;
        if identities.is_empty() {
            self.keep(Verdict::without_identity(service));
        }
        for (number, identity) in identities.iter().enumerate() {
            if number > 0 && !self.take() {
                break;
            }
            self.advise(&identity.base.id, id).await?;
        }
        Ok(())
    }

    /// Whether one more may be looked at.
    fn take(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.report.seen += 1;
            },
            None => self.report.is_complete = false,
        }
        self.report.is_complete
    }

    async fn advise(&mut self, identity: &IdentityId, service: &ServiceId) -> Result<(), CliError> {
        let advice = self.client.policy_advice(identity, service).await?;
        self.keep(Verdict::from(&advice));
        Ok(())
    }

    fn keep(&mut self, verdict: Verdict) {
        if !self.is_quiet || !verdict.works {
            self.report.data.push(verdict);
        }
    }

    /// Writes what was found.
    pub(super) fn finish(self, context: &Context) -> Result<(), CliError> {
        context.output.result(&self.report, || table(&self.report))
    }
}

fn table(report: &Report) -> Table {
    let mut table = Table::with_columns(&["identity", "service", "allowed", "works", "why not"]);
    for verdict in &report.data {
        let name = |party: &Option<Party>| {
            let name = party.as_ref().map(|party| party.name.clone());
            name.unwrap_or_default()
        };
        table.row([
            name(&verdict.identity),
            name(&verdict.service),
            verdict.allowed().to_owned(),
            yes(verdict.works).to_owned(),
            verdict.why(),
        ]);
    }
    table.footer(standing(report))
}

/// Says how much was seen, and how much of it does not work.
fn standing(report: &Report) -> String {
    let bad = report.data.iter().filter(|verdict| !verdict.works).count();
    let whole = format!("{} checked, {bad} with something missing", report.seen);
    if report.is_complete {
        whole
    } else {
        format!("{whole}; there is more, see --limit")
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
        assert_eq!(standing(&report), "3 checked, 0 with something missing");
        report.is_complete = false;
        assert!(standing(&report).ends_with("there is more, see --limit"));
    }
}
