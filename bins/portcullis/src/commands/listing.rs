//! Listing of entities.

use crate::commands::pagination::{self, ListExtent};
use crate::context::Context;
use crate::error::CliError;
use crate::grid::Grid;
use crate::listable::Listable;
use crate::output::{self, ItemStream};
use crate::progress::Progress;
use crate::render::Render as _;
use crate::table_layout::{TableChoice, TableLayout};
use portcullis_api::envelope::{ListEnvelope, Pagination};
use portcullis_client::{Client, ListQuery};
use std::io::{self, IsTerminal as _};

/// Which part of a list is shown, and how.
pub(crate) struct Listing {
    pub(crate) query: ListQuery,
    pub(crate) extent: ListExtent,
    pub(crate) columns: TableChoice,
}

impl Listing {
    /// Fetches and writes the list. Memory holds one page, except for tables, whose columns depend on
    /// all cells.
    pub(crate) async fn run<L: Listable>(
        self,
        context: &Context,
        client: &Client,
    ) -> Result<(), CliError> {
        let mut sink = ListSink::<L>::new(context, &self.columns)?;
        let query = self.query;
        match self.extent {
            ListExtent::Default | ListExtent::Page => {
                let page = L::fetch_page(client, &L::ORDER.sort(query)).await?;
                sink.write_page(&page)?;
            },
            ListExtent::All => {
                let mut pages = L::ordered_pages(client, query);
                let mut progress = None;
                while let Some(page) = pages.next().await? {
                    let progress = progress.get_or_insert_with(|| progress_of(&page));
                    progress.advance(page.data.len());
                    sink.write_page(&page)?;
                }
            },
        }
        sink.finish(context, self.extent)
    }

    /// Fetches the list as a whole.
    pub(crate) async fn fetch<L: Listable>(
        &self,
        client: &Client,
    ) -> Result<ListEnvelope<L>, CliError> {
        let query = self.query.clone();
        if self.extent != ListExtent::All {
            return Ok(L::fetch_page(client, &L::ORDER.sort(query)).await?);
        }
        let mut pages = L::ordered_pages(client, query);
        let mut whole: Option<ListEnvelope<L>> = None;
        while let Some(page) = pages.next().await? {
            match &mut whole {
                Some(whole) => whole.data.extend(page.data),
                None => whole = Some(page),
            }
        }
        whole.ok_or_else(|| CliError::failed("the controller sent no page of the list"))
    }

    /// The table of a fetched list.
    pub(crate) fn table<L: Listable>(
        &self,
        context: &Context,
        page: &ListEnvelope<L>,
    ) -> Result<Grid, CliError> {
        let layout = self.layout(context)?;
        let mut grid = layout.grid();
        for member in &page.data {
            grid.push(layout.row(member));
        }
        let place = page.meta.pagination;
        let summary = pagination::summary::<L>(page.data.len(), place, self.extent);
        Ok(layout.finish(grid, summary))
    }

    /// The rows of such a table without titles.
    pub(crate) fn rows<L: Listable>(
        &self,
        context: &Context,
        members: &[L],
    ) -> Result<Vec<String>, CliError> {
        let layout = self.layout(context)?;
        let mut grid = Grid::default();
        for member in members {
            grid.push(layout.row(member));
        }
        Ok(grid.render(None).lines().map(str::to_owned).collect())
    }

    fn layout<L: Listable>(&self, context: &Context) -> Result<TableLayout<L>, CliError> {
        TableLayout::new(&self.columns, context.output.is_wide(), context.now())
    }
}

/// Progress of a list that goes to a file, by its first page.
fn progress_of<L: Listable>(page: &ListEnvelope<L>) -> Progress {
    if io::stdout().is_terminal() {
        return Progress::hidden();
    }
    let total = usize::try_from(page.meta.pagination.total_count).ok();
    Progress::new(total, L::PLURAL)
}

/// Writer of a list in the output format.
struct ListSink<L> {
    format: ListFormat<L>,
    members: usize,
    /// Place of all pages together in the list.
    place: Option<Pagination>,
}

/// State per output format.
enum ListFormat<L> {
    Items(ItemStream),
    Table(TableLayout<L>, Grid),
}

impl<L: Listable> ListSink<L> {
    fn new(context: &Context, columns: &TableChoice) -> Result<Self, CliError> {
        let is_wide = context.output.is_wide();
        let layout = TableLayout::new(columns, is_wide, context.now())?;
        let stream = ItemStream::new(context.output.format());
        let table = || {
            let grid = layout.grid();
            ListFormat::Table(layout, grid)
        };
        let format = stream.map_or_else(table, ListFormat::Items);
        Ok(Self {
            format,
            members: 0,
            place: None,
        })
    }

    /// Writes a page. The offset is that of the first page, the total count that of the last.
    fn write_page(&mut self, page: &ListEnvelope<L>) -> Result<(), CliError> {
        self.members += page.data.len();
        let total = page.meta.pagination.total_count;
        let place = self.place.get_or_insert(page.meta.pagination);
        place.total_count = total;
        for member in &page.data {
            match &mut self.format {
                ListFormat::Items(stream) => stream.push(member.reference(), member)?,
                ListFormat::Table(layout, grid) => grid.push(layout.row(member)),
            }
        }
        Ok(())
    }

    fn finish(self, context: &Context, extent: ListExtent) -> Result<(), CliError> {
        let Some(place) = self.place else {
            return Ok(());
        };
        match self.format {
            ListFormat::Items(stream) => {
                stream.finish()?;
                if let Some(note) = pagination::incomplete::<L>(self.members, place, extent) {
                    output::note(&note);
                }
                Ok(())
            },
            ListFormat::Table(layout, grid) => {
                let summary = pagination::summary::<L>(self.members, place, extent);
                context.output.write_table(&layout.finish(grid, summary))
            },
        }
    }
}
