//! A JSON array that is written page by page.

use serde::Serialize;

/// Renders an array in parts that add up to one pretty-printed document.
#[derive(Debug, Default)]
pub(crate) struct JsonList {
    has_items: bool,
}

impl JsonList {
    /// Renders a further item.
    pub(crate) fn push(&mut self, item: &impl Serialize) -> serde_json::Result<String> {
        let begin = if self.has_items { ",\n  " } else { "[\n  " };
        self.has_items = true;
        // Strings contain no raw line feeds: each one is layout.
        let item = serde_json::to_string_pretty(item)?.replace('\n', "\n  ");
        Ok(format!("{begin}{item}"))
    }

    /// Renders the end of the document.
    pub(crate) fn finish(self) -> &'static str {
        if self.has_items { "\n]\n" } else { "[]\n" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pieces_make_up_the_whole() {
        let items = [json!({"a": [1, {}], "b": "x\ny"}), json!(null), json!([])];
        for count in 0..=items.len() {
            let items = &items[..count];
            let mut list = JsonList::default();
            let mut text = String::new();
            for item in items {
                text.push_str(&list.push(item).unwrap());
            }
            text.push_str(list.finish());
            let whole = serde_json::to_string_pretty(items).unwrap();
            assert_eq!(text, format!("{whole}\n"));
        }
    }
}
