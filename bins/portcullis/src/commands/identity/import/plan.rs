//! What is left to do of a file.

use super::checkpoint::History;
use super::lookup;
use super::mistake::Mistake;
use super::report::Entry;
use super::row::Row;
use super::tokens::TokenSink;
use crate::error::CliError;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::Client;
use portcullis_domain::roles::RoleAttributes;
use std::collections::BTreeSet;

/// One identity that is not complete.
#[derive(Debug)]
pub(super) struct Task<'r> {
    pub(super) row: &'r Row,
    /// Number of its row, from 0.
    pub(super) index: usize,
    pub(super) step: Step,
}

/// What an identity lacks.
#[derive(Debug)]
pub(super) enum Step {
    /// It is to be created.
    Create,
    /// An interrupted run created it and could not record that.
    Adopt(Box<IdentityDetail>),
    /// An interrupted run created it with this id; its token file is gone or cut off.
    FetchToken(String),
}

/// What is left to do, and what need not be done.
#[derive(Debug, Default)]
pub(super) struct Plan<'r> {
    pub(super) tasks: Vec<Task<'r>>,
    pub(super) created_before: Vec<Entry>,
    pub(super) skipped: Vec<Entry>,
}

impl<'r> Plan<'r> {
    /// Compares a file with what earlier runs recorded and with what exists.
    pub(super) async fn new(
        client: &Client,
        rows: &'r [Row],
        history: &History,
        skips_existing: bool,
    ) -> Result<(Self, Vec<Mistake>), CliError> {
        let open = rows
            .iter()
            .filter(|row| !history.done.contains_key(&row.line));
        let names: Vec<_> = open.map(Row::name).collect();
        let mut existing = lookup::existing_identities(client, &names).await?;
        let (mut plan, mut mistakes) = (Self::default(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            if history.done.contains_key(&row.line) {
                plan.created_before.push(row.into());
                continue;
            }
            let is_uncertain = history.is_uncertain(index, row.line);
            match existing.remove(row.name()) {
                None => plan.push(row, index, Step::Create),
                Some(found) if is_uncertain && is_same(row, &found) => {
                    plan.push(row, index, Step::Adopt(Box::new(found)));
                },
                Some(_) if skips_existing || history.skipped.contains(&row.line) => {
                    plan.skipped.push(row.into());
                },
                Some(_) => mistakes.push(Mistake::in_field(
                    row.line,
                    "name",
                    format!("an identity named `{}` exists already", row.name()),
                )),
            }
        }
        Ok((plan, mistakes))
    }

    /// Adds the identities of earlier runs whose tokens are missing.
    pub(super) fn complete_tokens(
        &mut self,
        rows: &'r [Row],
        history: &History,
        tokens: &TokenSink,
    ) {
        for (index, row) in rows.iter().enumerate() {
            let Some(done) = history.done.get(&row.line) else {
                continue;
            };
            if done
                .token
                .is_some_and(|bytes| tokens.lacks(row.line, bytes))
            {
                self.push(row, index, Step::FetchToken(done.id.clone()));
            }
        }
    }

    fn push(&mut self, row: &'r Row, index: usize, step: Step) {
        self.tasks.push(Task { row, index, step });
    }
}

/// Whether an identity is the one that a row describes.
fn is_same(row: &Row, found: &IdentityDetail) -> bool {
    let spec = &row.request.spec;
    let words = |attributes: &RoleAttributes| {
        let words = attributes.iter().map(str::to_owned);
        words.collect::<BTreeSet<_>>()
    };
    spec.is_admin == found.is_admin
        && spec.external_id == found.external_id
        && spec.tags == found.base.tags
        && words(&spec.role_attributes) == words(&found.role_attributes)
}
