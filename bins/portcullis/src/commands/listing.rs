//! Listing of entities.

use crate::commands::pagination::{self, ListExtent};
use crate::context::Context;
use crate::error::CliError;
use crate::listable::Listable;
use crate::output::{self, Format, JsonList};
use crate::table::Table;
use portcullis_api::envelope::{ListEnvelope, ListMeta};
use portcullis_client::{Client, ListQuery};
use portcullis_domain::clock::Timestamp;

/// Fetches and writes a list. Memory holds one page, except for tables, whose columns depend on all
/// cells, and YAML.
pub(crate) async fn run<L: Listable>(
    context: &Context,
    client: &Client,
    query: ListQuery,
    extent: ListExtent,
) -> Result<(), CliError> {
    let mut sink = ListWriter::new(context);
    let mut meta = None;
    match extent {
        ListExtent::Page => {
            let page = L::fetch_page(client, &query).await?;
            sink.write_page(page, &mut meta)?;
        },
        ListExtent::All => {
            let mut pages = L::pages(client, query);
            while let Some(page) = pages.next().await? {
                sink.write_page(page, &mut meta)?;
            }
        },
    }
    meta.map_or(Ok(()), |meta| sink.finish(context, meta, extent))
}

/// Writer of a list in the output format.
struct ListWriter<L> {
    format: ListFormat<L>,
    members: usize,
    now: Timestamp,
}

/// State per output format.
enum ListFormat<L> {
    /// Items are written page by page.
    Json(JsonList),
    /// Items are collected as rows.
    Table(Box<Table>),
    /// Items are collected.
    Yaml(Vec<L>),
}

impl<L: Listable> ListWriter<L> {
    fn new(context: &Context) -> Self {
        let form = match context.output.format() {
            Format::Json => ListFormat::Json(JsonList::default()),
            Format::Table => ListFormat::Table(Box::new(Table::with_columns(L::COLUMNS))),
            Format::Yaml => ListFormat::Yaml(Vec::new()),
        };
        Self {
            format: form,
            members: 0,
            now: context.now(),
        }
    }

    /// Writes a page. The offset is that of the first page, the total count that of the last.
    fn write_page(
        &mut self,
        page: ListEnvelope<L>,
        meta: &mut Option<ListMeta>,
    ) -> Result<(), CliError> {
        self.members += page.data.len();
        let total = page.meta.pagination.total_count;
        let meta = meta.get_or_insert(page.meta);
        meta.pagination.total_count = total;
        match &mut self.format {
            ListFormat::Json(list) => {
                let text = list
                    .push_items(&page.data)
                    .map_err(output::serialization_error)?;
                output::write_json(&text)?;
            },
            ListFormat::Table(table) => {
                for member in &page.data {
                    table.add_row(member.cells(self.now));
                }
            },
            ListFormat::Yaml(members) => members.extend(page.data),
        }
        Ok(())
    }

    fn finish(self, context: &Context, meta: ListMeta, extent: ListExtent) -> Result<(), CliError> {
        match self.format {
            ListFormat::Json(list) => {
                output::write_json(&list.finish(&meta).map_err(output::serialization_error)?)
            },
            ListFormat::Table(table) => {
                let summary = pagination::summary::<L>(self.members, meta.pagination, extent);
                output::write(&table.footer(summary).render())
            },
            ListFormat::Yaml(data) => {
                let list = ListEnvelope { data, meta };
                context.output.write_result(&list, Table::with_properties)
            },
        }
    }
}
