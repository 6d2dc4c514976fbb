//! Pagination arguments and summaries.

use crate::listable::Listable;
use crate::table;
use clap::Args;
use portcullis_api::envelope::Pagination;
use portcullis_api::time::WireTime;
use portcullis_client::{ListQuery, MAX_OFFSET};
use portcullis_domain::clock::Timestamp;

/// Extent of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListExtent {
    Page,
    /// Everything from the offset on.
    All,
}

/// Pagination arguments.
#[derive(Debug, Clone, Args)]
pub(crate) struct PageArgs {
    /// List only matching entries, for example `createdAt > datetime(2031-01-02T03:04:05Z)`
    #[arg(long)]
    filter: Option<String>,

    /// Sort order, for example `name` or `createdAt desc, name` (default: `id`)
    #[arg(long, value_name = "ORDER")]
    sort: Option<String>,

    /// Maximum number of entries, up to 500 (default: 10)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<i64>,

    /// Number of entries to skip, up to 100000
    #[arg(
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(0..=MAX_OFFSET)
    )]
    offset: Option<i64>,

    /// List all entries
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl PageArgs {
    /// The list query, and whether to fetch all pages.
    pub(crate) fn query(self) -> (ListQuery, ListExtent) {
        let query = ListQuery {
            filter: self.filter,
            limit: self.limit,
            offset: self.offset,
            sort: self.sort,
            ..ListQuery::default()
        };
        let extent = if self.all {
            ListExtent::All
        } else {
            ListExtent::Page
        };
        (query, extent)
    }
}

/// Describes which part of a list is shown.
pub(crate) fn summary<L: Listable>(shown: usize, page: Pagination, extent: ListExtent) -> String {
    describe_page(shown, page, extent, (L::SINGULAR, L::PLURAL))
}

fn describe_page(
    shown: usize,
    page: Pagination,
    extent: ListExtent,
    (singular, plural): (&str, &str),
) -> String {
    let total = usize::try_from(page.total_count).unwrap_or(usize::MAX);
    let whole = table::pluralize(total, singular, plural);
    if total == 0 {
        return format!("no {plural}");
    }
    if shown == total {
        return whole;
    }
    if shown == 0 {
        return format!("no results at this offset ({whole} in total); use a smaller --offset");
    }
    let first = page.offset.saturating_add(1);
    let length = i64::try_from(shown).unwrap_or(i64::MAX);
    let end = page.offset.saturating_add(length);
    let part = format!("{first} to {end} of {whole}");
    if end < page.total_count && extent == ListExtent::Page {
        format!("{part}; for more use --offset or --all")
    } else {
        part
    }
}

/// Formats an expiry time.
pub(crate) fn format_expiry(expires_at: WireTime, now: Timestamp) -> String {
    if expires_at.0 <= now {
        format!("{expires_at} (expired)")
    } else {
        expires_at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_says_where_it_stands() {
        for (shown, offset, total_count, text) in [
            (0, 0, 0, "no cats"),
            (1, 0, 1, "1 cat"),
            (
                10,
                0,
                37,
                "1 to 10 of 37 cats; for more use --offset or --all",
            ),
            (7, 30, 37, "31 to 37 of 37 cats"),
            (
                0,
                99,
                37,
                "no results at this offset (37 cats in total); use a smaller --offset",
            ),
        ] {
            let page = Pagination {
                limit: 10,
                offset,
                total_count,
            };
            let described = describe_page(shown, page, ListExtent::Page, ("cat", "cats"));
            assert_eq!(described, text);
        }
        // A filter with a limit of its own is no reason to ask for more.
        let page = Pagination {
            limit: 5,
            offset: 0,
            total_count: 37,
        };
        let described = describe_page(5, page, ListExtent::All, ("cat", "cats"));
        assert_eq!(described, "1 to 5 of 37 cats");
    }
}
