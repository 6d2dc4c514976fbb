//! Lists, as every noun has them.

use crate::table;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::time::WireTime;
use portcullis_client::ListQuery;
use portcullis_domain::clock::Timestamp;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Args)]
pub(crate) struct PageArgs {
    /// List only what matches, for example `name contains "lap"`
    #[arg(long)]
    filter: Option<String>,

    /// List at most that many, -1 for all; 10 if left out
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    limit: Option<i64>,

    /// Skip that many first
    #[arg(long, value_name = "NUMBER")]
    offset: Option<i64>,
}

impl From<PageArgs> for ListQuery {
    fn from(arguments: PageArgs) -> Self {
        Self {
            filter: arguments.filter,
            limit: arguments.limit,
            offset: arguments.offset,
            ..Self::default()
        }
    }
}

/// Says which part of a list a page is.
pub(crate) fn standing<T>(list: &ListEnvelope<T>, singular: &str, plural: &str) -> String {
    let shown = list.data.len();
    let page = &list.meta.pagination;
    let total = usize::try_from(page.total_count).unwrap_or(usize::MAX);
    let whole = table::count(total, singular, plural);
    if total == 0 {
        return format!("no {plural}");
    }
    if shown == total {
        return whole;
    }
    let first = page.offset.saturating_add(1);
    let end = page
        .offset
        .saturating_add(i64::try_from(shown).unwrap_or(i64::MAX));
    if shown == 0 {
        format!("none of {whole} at this offset; see them with a smaller --offset")
    } else {
        format!("{first} to {end} of {whole}; see more with --limit and --offset")
    }
}

/// Writes until when something lasts.
pub(crate) fn end(expires_at: WireTime, now: Timestamp) -> String {
    if expires_at.0 <= now {
        format!("{expires_at} (expired)")
    } else {
        expires_at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::envelope::{ListMeta, Pagination};

    fn list(shown: usize, offset: i64, total_count: i64) -> ListEnvelope<u8> {
        ListEnvelope {
            data: vec![0; shown],
            meta: ListMeta {
                filterable_fields: Vec::new(),
                pagination: Pagination {
                    limit: 10,
                    offset,
                    total_count,
                },
            },
        }
    }

    #[test]
    fn page_says_where_it_stands() {
        for (shown, offset, total, text) in [
            (0, 0, 0, "no cats"),
            (1, 0, 1, "1 cat"),
            (
                10,
                0,
                37,
                "1 to 10 of 37 cats; see more with --limit and --offset",
            ),
            (
                7,
                30,
                37,
                "31 to 37 of 37 cats; see more with --limit and --offset",
            ),
            (
                0,
                99,
                37,
                "none of 37 cats at this offset; see them with a smaller --offset",
            ),
        ] {
            assert_eq!(standing(&list(shown, offset, total), "cat", "cats"), text);
        }
    }
}
