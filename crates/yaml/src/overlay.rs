//! Merging one file over another.

use std::collections::HashMap;

use crate::node::{Entry, KeyId, Map, Node, Value};

/// Merges `top` over `base`: maps are merged key by key, anything else in `top` replaces the value
/// in `base`.
///
/// Every part of the result keeps its location, so that a mistake in either file is still found
/// there; give the two files different [`SourceId`](crate::SourceId)s. An explicit null in `top`
/// replaces too, which allows to reset a value. Lists are replaced as a whole.
///
/// # Examples
///
/// ```
/// use portcullis_yaml::{Limits, SourceId, overlay, parse};
///
/// let base = parse("edge:\n  api: {address: a}\n", SourceId(0), &Limits::default())?.root;
/// let top = parse("edge: {totp: {hostname: b}}\n", SourceId(1), &Limits::default())?.root;
///
/// let both = overlay(base, top);
/// let edge = both.as_map().and_then(|map| map.get("edge")).expect("key is there");
/// assert_eq!(edge.value.as_map().map(|map| map.len()), Some(2));
/// # Ok::<(), portcullis_yaml::ParseError>(())
/// ```
#[must_use]
pub fn overlay(base: Node, top: Node) -> Node {
    match (base.value, top.value) {
        (Value::Map(below), Value::Map(above)) => Node {
            value: Value::Map(merge_maps(below, above)),
            ..top
        },
        (_, value) => Node { value, ..top },
    }
}

fn merge_maps(below: Map, above: Map) -> Map {
    let mut entries = below.entries;
    let index: HashMap<KeyId, usize> = entries
        .iter()
        .enumerate()
        .map(|(slot, entry)| (KeyId::from_node(&entry.key), slot))
        .collect();
    for Entry { key, value } in above.entries {
        match index
            .get(&KeyId::from_node(&key))
            .and_then(|slot| entries.get_mut(*slot))
        {
            None => entries.push(Entry { key, value }),
            Some(slot) => {
                let nothing = Node::new(Value::Null, slot.value.location);
                let old = std::mem::replace(&mut slot.value, nothing);
                *slot = Entry {
                    key,
                    value: overlay(old, value),
                };
            },
        }
    }
    Map { entries }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SourceId, parse};

    #[test]
    fn maps_join_and_everything_else_is_replaced() {
        let read = |text, source| {
            parse(text, SourceId(source), &Limits::default())
                .expect("text is YAML")
                .root
        };
        let base = read("a: {x: 1, s: [1, 2], z: {k: 1}}\nb: 1\nc: {d: 1}\n", 0);
        let top = read("a:\n  s: [3]\n  z: ~\n  w: 4\nc: 5\ne: {f: 6}\n", 1);
        let expected = read("a: {x: 1, s: [3], z: ~, w: 4}\nb: 1\nc: 5\ne: {f: 6}\n", 2);

        let joined = overlay(base, top);
        assert_eq!(shape(&joined), shape(&expected));

        let a = joined
            .as_map()
            .and_then(|map| map.get("a"))
            .and_then(|entry| entry.value.as_map())
            .expect("a");
        let place = |key: &str| {
            a.get(key)
                .map(|entry| (entry.value.location.source.0, entry.value.location.line))
        };
        assert_eq!(
            place("x"),
            Some((0, 1)),
            "parts of the base stay located in the base"
        );
        assert_eq!(place("s"), Some((1, 2)));
        assert_eq!(place("w"), Some((1, 4)));
    }

    /// Shows a tree without places.
    fn shape(node: &Node) -> String {
        match &node.value {
            Value::Map(map) => {
                let entries: Vec<_> = map
                    .iter()
                    .map(|e| format!("{}: {}", shape(&e.key), shape(&e.value)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            },
            Value::List(items) => format!(
                "[{}]",
                items.iter().map(shape).collect::<Vec<_>>().join(", ")
            ),
            scalar => format!("{scalar:?}"),
        }
    }
}
