//! Listing, whatever it is.

use crate::commands::page;
use crate::context::Context;
use crate::error::CliError;
use crate::listed::Listed;
use crate::output::{self, Format, JsonList};
use crate::pages::Pages;
use crate::table::Table;
use portcullis_api::envelope::{ListEnvelope, ListMeta};
use portcullis_client::{Client, ListQuery};
use portcullis_domain::clock::Timestamp;

/// How much of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// One page.
    Page,
    /// All from the offset on.
    All,
}

/// Writes a list. No more than a page is kept in memory, but for tables, whose columns are as wide
/// as their widest cell, and YAML.
pub(crate) async fn run<L: Listed>(
    context: &Context,
    client: &Client,
    query: ListQuery,
    extent: Extent,
) -> Result<(), CliError> {
    let mut sink = Sink::new(context);
    let mut meta = None;
    match extent {
        Extent::Page => {
            let page = L::fetch(client, &query).await?;
            sink.take(page, &mut meta)?;
        },
        Extent::All => {
            let mut pages = Pages::new(client, query);
            while let Some(page) = pages.next().await? {
                sink.take(page, &mut meta)?;
            }
        },
    }
    meta.map_or(Ok(()), |meta| sink.finish(context, meta, extent))
}

/// Where the members of a list go.
struct Sink<L> {
    form: Form<L>,
    members: usize,
    now: Timestamp,
}

/// What becomes of them there.
enum Form<L> {
    /// They are written at once.
    Json(JsonList),
    /// They are rows.
    Table(Box<Table>),
    /// They are kept.
    Yaml(Vec<L>),
}

impl<L: Listed> Sink<L> {
    fn new(context: &Context) -> Self {
        let form = match context.output.format() {
            Format::Json => Form::Json(JsonList::default()),
            Format::Table => Form::Table(Box::new(Table::with_columns(L::COLUMNS))),
            Format::Yaml => Form::Yaml(Vec::new()),
        };
        Self {
            form,
            members: 0,
            now: context.now(),
        }
    }

    /// Takes a page. The list stands where the first page does, and is as long as the last one says.
    fn take(&mut self, page: ListEnvelope<L>, meta: &mut Option<ListMeta>) -> Result<(), CliError> {
        self.members += page.data.len();
        let total = page.meta.pagination.total_count;
        let meta = meta.get_or_insert(page.meta);
        meta.pagination.total_count = total;
        match &mut self.form {
            Form::Json(list) => {
                let text = list.more(&page.data).map_err(output::unwritable)?;
                output::write_json(&text)?;
            },
            Form::Table(table) => {
                for member in &page.data {
                    table.row(member.cells(self.now));
                }
            },
            Form::Yaml(members) => members.extend(page.data),
        }
        Ok(())
    }

    fn finish(self, context: &Context, meta: ListMeta, extent: Extent) -> Result<(), CliError> {
        match self.form {
            Form::Json(list) => output::write_json(&list.end(&meta).map_err(output::unwritable)?),
            Form::Table(table) => {
                let standing = page::standing::<L>(self.members, meta.pagination, extent);
                output::write(&table.footer(standing).render())
            },
            Form::Yaml(data) => {
                let list = ListEnvelope { data, meta };
                context.output.result(&list, Table::of_properties)
            },
        }
    }
}
