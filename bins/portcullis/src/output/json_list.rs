//! A list as one JSON document that is written while its members come.

use portcullis_api::envelope::ListMeta;
use serde::Serialize;

/// Writes a list in pieces that make up the document that the whole list would be written as.
#[derive(Debug, Default)]
pub(crate) struct JsonList {
    has_members: bool,
}

impl JsonList {
    /// The piece with more members.
    pub(crate) fn more(&mut self, members: &[impl Serialize]) -> serde_json::Result<String> {
        let mut text = String::new();
        for member in members {
            text.push_str(if self.has_members {
                ",\n    "
            } else {
                "{\n  \"data\": [\n    "
            });
            self.has_members = true;
            // Line feeds inside of texts are escaped: each is one of the layout.
            text.push_str(&serde_json::to_string_pretty(member)?.replace('\n', "\n    "));
        }
        Ok(text)
    }

    /// The last piece.
    pub(crate) fn end(self, meta: &ListMeta) -> serde_json::Result<String> {
        let data = if self.has_members {
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
                text.push_str(&list.more(page).unwrap());
                data.extend_from_slice(page);
            }
            text.push_str(&list.end(&meta).unwrap());
            let meta = meta.clone();
            let whole = serde_json::to_string_pretty(&ListEnvelope { data, meta }).unwrap();
            assert_eq!(text, format!("{whole}\n"));
        }
    }
}
