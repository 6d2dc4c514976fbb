//! Pagination arguments and summaries.

use crate::listable::Listable;
use crate::table;
use clap::Args;
use portcullis_api::envelope::Pagination;
use portcullis_client::{ListQuery, MAX_OFFSET};

/// Number of entries of a list if users do not say it.
const DEFAULT_LIMIT: i64 = 100;

/// Extent of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListExtent {
    /// As many as fit on a page of the default size.
    Default,
    /// As many as users want.
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

    /// Sort order, for example `createdAt desc, name` (default: `name`, or else `createdAt desc`)
    #[arg(long, value_name = "ORDER")]
    sort: Option<String>,

    /// Maximum number of entries, up to 500 (default: 100)
    #[arg(
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true,
        conflicts_with = "all"
    )]
    limit: Option<i64>,

    /// Number of entries to skip, up to 100000
    #[arg(
        long,
        value_name = "NUMBER",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(0..=MAX_OFFSET)
    )]
    offset: Option<i64>,

    /// List all entries; those without names by id, unless --sort is given
    #[arg(long)]
    all: bool,
}

impl PageArgs {
    /// The list query, and how much of the list to fetch.
    pub(crate) fn query(self) -> (ListQuery, ListExtent) {
        let extent = match self.limit {
            _ if self.all => ListExtent::All,
            Some(_) => ListExtent::Page,
            None => ListExtent::Default,
        };
        let query = ListQuery {
            filter: self.filter,
            limit: Some(self.limit.unwrap_or(DEFAULT_LIMIT)),
            offset: self.offset,
            sort: self.sort,
            ..ListQuery::default()
        };
        (query, extent)
    }
}

/// Says that a list is incomplete though nobody asked for a part of it.
pub(crate) fn incomplete<L: Listable>(
    shown: usize,
    page: Pagination,
    extent: ListExtent,
) -> Option<String> {
    let has_own_limit = page.limit != DEFAULT_LIMIT;
    let length = i64::try_from(shown).unwrap_or(i64::MAX);
    let is_last = page.offset.saturating_add(length) >= page.total_count;
    if extent != ListExtent::Default || has_own_limit || is_last {
        return None;
    }
    let (total, plural) = (page.total_count, L::PLURAL);
    Some(format!(
        "showing {shown} of {total} {plural}; use --all or --limit"
    ))
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
    if end < page.total_count && extent != ListExtent::All {
        format!("{part}; for more use --offset or --all")
    } else {
        part
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
