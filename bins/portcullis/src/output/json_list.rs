//! A JSON list that is written page by page.

use portcullis_api::envelope::ListMeta;
use serde::Serialize;

/// Renders a list in parts that add up to one pretty-printed document.
#[derive(Debug, Default)]
pub(crate) struct JsonList {
    has_items: bool,
}

impl JsonList {
    /// Renders further items.
    pub(crate) fn push_items(&mut self, members: &[impl Serialize]) -> serde_json::Result<String> {
        let mut text = String::new();
        for member in members {
            text.push_str(if self.has_items {
                ",\n    "
            } else {
                "{\n  \"data\": [\n    "
            });
            self.has_items = true;
            // Strings contain no raw line feeds: each one is layout.
            text.push_str(&serde_json::to_string_pretty(member)?.replace('\n', "\n    "));
        }
        Ok(text)
    }

    /// Renders the end of the document.
    pub(crate) fn finish(self, meta: &ListMeta) -> serde_json::Result<String> {
        let data = if self.has_items {
            "\n  ]"
        } else {
            "{\n  \"data\": []"
        };
        let meta = serde_json::to_string_pretty(meta)?.replace('\n', "\n  ");
        Ok(format!("{data},\n  \"meta\": {meta}\n}}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::envelope::{ListEnvelope, Pagination};
    use serde_json::{Value, json};

    #[test]
    fn pieces_make_up_the_whole() {
        let members = [json!({"a": [1, {}], "b": "x\ny"}), json!(null), json!([])];
        let meta = ListMeta {
            filterable_fields: vec!["id".into()],
            pagination: Pagination {
                limit: 10,
                offset: 0,
                total_count: 3,
            },
        };
        for ends in [&[][..], &[0], &[3], &[1, 3], &[0, 2, 2, 3]] {
            let mut list = JsonList::default();
            let mut text = String::new();
            let mut data: Vec<Value> = Vec::new();
            for end in ends {
                let page = &members[data.len()..*end];
                text.push_str(&list.push_items(page).unwrap());
                data.extend_from_slice(page);
            }
            text.push_str(&list.finish(&meta).unwrap());
            let meta = meta.clone();
            let whole = serde_json::to_string_pretty(&ListEnvelope { data, meta }).unwrap();
            assert_eq!(text, format!("{whole}\n"));
        }
    }
}
