//! Envelopes of responses.

use crate::describe::JsonSchema;
use crate::json;
use crate::link::Links;
use portcullis_domain::view::Page;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An object without members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}

/// A response with data and an empty `meta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}Envelope")]
pub struct Envelope<T> {
    /// Requested data.
    pub data: T,
    /// `{}`, or `null` in a few responses.
    #[serde(default)]
    pub meta: Option<Empty>,
}

impl<T> Envelope<T> {
    /// Data with an empty `meta`.
    pub fn new(data: T) -> Self {
        Self {
            data,
            meta: Some(Empty {}),
        }
    }

    /// Data with `meta` set to `null`, as in the response for the current identity.
    pub fn without_meta(data: T) -> Self {
        Self { data, meta: None }
    }
}

impl Envelope<Empty> {
    /// The response to an update, a deletion or an action.
    pub fn empty() -> Self {
        Self::new(Empty {})
    }
}

/// Location of a newly created entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// The link `self`.
    #[serde(rename = "_links", default)]
    pub links: Links,
    /// Its id.
    pub id: String,
}

impl Created {
    /// An entity in `collection`, the plural used in paths.
    pub fn new(collection: &str, id: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            links: Links::with_self(format!("{collection}/{id}")),
            id,
        }
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct ListEnvelope<T> {
    /// Entities on the page.
    pub data: Vec<T>,
    /// Position of the page in the list.
    pub meta: ListMeta,
}

/// Position of a page in its list, and the fields that filters can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListMeta {
    /// Fields that a filter may use; absent if the list cannot be filtered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filterable_fields: Vec<Cow<'static, str>>,
    /// Position of the page in the list.
    pub pagination: Pagination,
}

/// Position of a page in its list, counted in entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Effective page size; [`i64::MAX`] for no limit.
    pub limit: i64,
    /// Entities before the page.
    pub offset: i64,
    /// Entities on all pages.
    pub total_count: i64,
}

impl<T> ListEnvelope<T> {
    /// Wraps a page of a list that filters can narrow by `fields`.
    pub fn new<U: Into<T>>(page: Page<U>, fields: impl IntoIterator<Item = &'static str>) -> Self {
        let pagination = Pagination::new(page.limit, page.offset, page.total);
        Self {
            data: page.items.into_iter().map(Into::into).collect(),
            meta: ListMeta::new(pagination, fields),
        }
    }
}

impl ListMeta {
    /// Metadata of a page of a list that filters can narrow by `fields`.
    pub fn new(pagination: Pagination, fields: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            filterable_fields: fields.into_iter().map(Cow::Borrowed).collect(),
            pagination,
        }
    }
}

impl Pagination {
    /// A page of at most `limit` entities after the first `offset` of `total`; `None` for no limit.
    pub fn new(limit: Option<u64>, offset: u64, total: u64) -> Self {
        Self {
            limit: limit.map_or(i64::MAX, to_signed),
            offset: to_signed(offset),
            total_count: to_signed(total),
        }
    }
}

/// Incremental writer of a [`ListEnvelope`]. It holds only the bytes that have not been taken yet,
/// whatever the length of the list.
///
/// # Examples
///
/// ```
/// use portcullis_api::envelope::{ListMeta, ListWriter, Pagination};
///
/// let mut list = ListWriter::default();
/// list.push(&"red");
/// let mut text = list.take();
/// list.push(&"blue");
/// text.extend(list.finish(&ListMeta::new(Pagination::new(Some(10), 0, 2), [])));
/// assert!(text.starts_with(br#"{"data":["red","blue"],"meta":{"pagination":"#));
/// ```
#[derive(Debug)]
pub struct ListWriter {
    bytes: Vec<u8>,
    is_empty: bool,
}

impl Default for ListWriter {
    fn default() -> Self {
        Self {
            bytes: br#"{"data":["#.to_vec(),
            is_empty: true,
        }
    }
}

impl ListWriter {
    /// Writes the next entity.
    pub fn push(&mut self, item: &impl Serialize) {
        if !std::mem::take(&mut self.is_empty) {
            self.bytes.push(b',');
        }
        json::write(&mut self.bytes, item);
    }

    /// Number of bytes written but not taken yet.
    pub const fn pending_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Takes the bytes written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Ends the list and returns the remaining bytes.
    pub fn finish(mut self, meta: &ListMeta) -> Vec<u8> {
        self.bytes.extend(br#"],"meta":"#);
        json::write(&mut self.bytes, meta);
        self.bytes.extend(b"}\n");
        self.bytes
    }
}

/// Clients expect signed 64-bit numbers.
fn to_signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &impl Serialize) -> String {
        String::from_utf8(json::to_bytes(value)).unwrap()
    }

    #[test]
    fn envelopes_have_their_forms() {
        assert_eq!(text(&Envelope::empty()), "{\"data\":{},\"meta\":{}}\n");
        assert_eq!(
            text(&Envelope::without_meta(1)),
            "{\"data\":1,\"meta\":null}\n"
        );
        assert_eq!(
            text(&Envelope::new(Created::new("identities", "x.1"))),
            concat!(
                r#"{"data":{"_links":{"self":{"href":"./identities/x.1"}},"id":"x.1"},"#,
                "\"meta\":{}}\n"
            )
        );
    }

    #[test]
    fn list_says_where_it_stands() {
        let page = |limit| Page {
            items: vec![1_u8, 2],
            limit,
            offset: 3,
            total: 9,
        };
        let limited = ListEnvelope::<u32>::new(page(Some(2)), ["id"]);
        assert_eq!(
            text(&limited),
            concat!(
                r#"{"data":[1,2],"meta":{"filterableFields":["id"],"#,
                r#""pagination":{"limit":2,"offset":3,"totalCount":9}}}"#,
                "\n"
            )
        );
        let unlimited = text(&ListEnvelope::<u32>::new(page(None), []));
        assert!(
            unlimited.contains(r#""limit":9223372036854775807"#),
            "{unlimited}"
        );
        assert!(!unlimited.contains("filterableFields"));
    }

    #[test]
    fn written_list_is_the_list() {
        for items in [&[][..], &["<a>"], &["a", "b", "c"]] {
            let page = Page {
                items: items.to_vec(),
                limit: None,
                offset: 1,
                total: 7,
            };
            let whole = text(&ListEnvelope::<&str>::new(page, ["id"]));
            let mut list = ListWriter::default();
            let mut parts = Vec::new();
            for item in items {
                list.push(item);
                parts.extend(list.take());
                assert_eq!(list.pending_bytes(), 0);
            }
            let meta = ListMeta::new(Pagination::new(None, 1, 7), ["id"]);
            parts.extend(list.finish(&meta));
            assert_eq!(String::from_utf8(parts).unwrap(), whole);
        }
    }

    #[test]
    fn envelopes_of_other_servers_are_read() {
        for meta in [r#","meta":null"#, r#","meta":{"x":1}"#, ""] {
            let read: Envelope<u8> =
                serde_json::from_str(&format!(r#"{{"data":1{meta}}}"#)).unwrap();
            assert_eq!(read.data, 1);
        }
    }
}
