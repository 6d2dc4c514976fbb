use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn slot(bit: u32) -> Slot {
    Slot::from_bit(bit)
}

fn column(texts: &[&str]) -> TextColumn {
    let mut column = TextColumn::default();
    for (bit, text) in (0..).zip(texts) {
        column.set(slot(bit), Some(text));
    }
    column
}

/// The slots that a search shows, each of which it shows once.
fn shown(search: impl FnOnce(&mut dyn FnMut(Slot))) -> Vec<u32> {
    let mut bits = Vec::new();
    search(&mut |slot| bits.push(slot.bit()));
    bits.sort_unstable();
    assert!(bits.is_sorted_by(|left, right| left < right), "{bits:?}");
    bits
}

fn containing(column: &TextColumn, needle: &str) -> Vec<u32> {
    shown(|visit| column.for_each_containing(needle, visit))
}

fn folded(column: &TextColumn, needle: &str) -> Vec<u32> {
    shown(|visit| column.for_each_containing_folded(needle, visit))
}

fn equal(column: &TextColumn, text: &str) -> Vec<u32> {
    shown(|visit| column.for_each_equal(text, visit))
}

#[test]
fn texts_of_every_length_come_back() {
    let mut column = TextColumn::default();
    let lengths = [0, 1, 63, 64, 65, 4095, 4096, 4097, 300_000];
    for (bit, length) in (0..).zip(lengths) {
        column.set(slot(bit), Some(&"ü".repeat(length)));
    }
    for (bit, length) in (0..).zip(lengths) {
        assert_eq!(column.text_or_empty(slot(bit)), "ü".repeat(length));
    }
}

#[test]
fn none_differs_from_empty() {
    let mut column = TextColumn::default();
    let slot = slot(3);
    assert_eq!((column.get(slot), column.has(slot)), (None, false));
    column.set(slot, Some(""));
    assert_eq!((column.get(slot), column.has(slot)), (Some(""), true));
    column.set(slot, None);
    assert_eq!((column.get(slot), column.has(slot)), (None, false));
}

#[test]
fn dead_bytes_never_outweigh_the_living_for_long() {
    let mut column = TextColumn::default();
    column.set(slot(7), Some("stays"));
    for round in 0..10_000 {
        column.set(slot(round % 5), Some(&format!("name-{round}")));
        let living = column.arena.len() - column.dead_bytes;
        assert!(
            column.dead_bytes <= COMPACT_THRESHOLD || column.dead_bytes <= living,
            "{} dead, {living} living",
            column.dead_bytes
        );
    }
    assert_eq!(column.text_or_empty(slot(7)), "stays");
    assert_eq!(column.text_or_empty(slot(4)), "name-9999");
    assert_eq!(containing(&column, "name-999"), [0, 1, 2, 3, 4]);
    assert_eq!(containing(&column, "stay"), [7]);
}

#[test]
fn what_reaches_over_a_border_is_not_found() {
    let column = column(&["ab", "ba", "aab", ""]);
    assert_eq!(containing(&column, "ab"), [0, 2]);
    assert!(containing(&column, "bba").is_empty());
    let whole = column.arena.bytes();
    for from in 0..whole.len() {
        for to in from + 3..=whole.len() {
            let Ok(needle) = std::str::from_utf8(&whole[from..to]) else {
                continue;
            };
            let expected: &[u32] = if needle == "aab" { &[2] } else { &[] };
            assert_eq!(containing(&column, needle), expected, "{needle:?}");
        }
    }
}

/// Slots and lengths are written in ASCII, so needles can be made to look like them.
#[test]
fn heads_of_entries_are_not_found() {
    let mut column = TextColumn::default();
    for bit in 0..3_000 {
        column.set(slot(bit), Some(&"x".repeat(40 + bit as usize % 30)));
    }
    for byte in 0..128_u8 {
        let needle = char::from(byte).to_string();
        let expected = if needle == "x" { 3_000 } else { 0 };
        assert_eq!(containing(&column, &needle).len(), expected, "{needle:?}");
        assert_eq!(
            folded(&column, &needle).len(),
            if needle == "X" { 3_000 } else { 0 }
        );
    }
}

/// The first find in an entry may reach over its end while the second does not.
#[test]
fn finds_that_overlap_are_all_looked_at() {
    let column = column(&["aaa", "aaaa", "aa"]);
    assert_eq!(containing(&column, "aaaa"), [1]);
    assert_eq!(containing(&column, "aaa"), [0, 1]);
    assert_eq!(equal(&column, "aaa"), [0]);
    assert!(equal(&column, "a").is_empty());
}

#[test]
fn texts_longer_than_many_blocks_are_searched_whole() {
    let long = format!("{}needle{}", "a".repeat(100_000), "b".repeat(100_000));
    let column = column(&["before", &long, "after", &long, "needl"]);
    for needle in ["needle", "ab", "abb"] {
        assert!(containing(&column, needle).iter().all(|bit| bit % 2 == 1));
    }
    assert_eq!(containing(&column, "needle"), [1, 3]);
    assert_eq!(containing(&column, "after"), [2]);
    assert_eq!(folded(&column, "NEEDLE"), [1, 3]);
    assert_eq!(folded(&column, "NEEDL"), [1, 3, 4]);
}

#[test]
fn texts_that_are_not_ascii_are_told_apart() {
    let mut column = column(&["ſub", "sub", "SUB-ı"]);
    assert_eq!(folded(&column, "SUB"), [1]);
    assert_eq!(column.non_ascii().iter().collect::<Vec<_>>(), [0, 2]);
    column.set(slot(0), Some("sub"));
    column.set(slot(2), None);
    assert_eq!(folded(&column, "SUB"), [0, 1]);
    assert!(column.non_ascii().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn searches_find_what_looking_at_each_text_finds(
        // Blanks, digits and small letters are what slots and lengths may look like.
        changes in prop::collection::vec((0_u32..300, prop::option::of("[ab\u{0}-\u{3}é]{0,30}|[a]{900,1200}")), 1..400),
        needles in prop::collection::vec("[abé]{0,3}|[ab\u{0}-\u{3}]{1,2}", 1..8),
    ) {
        let mut column = TextColumn::default();
        let mut model = BTreeMap::new();
        for (bit, text) in changes {
            column.set(slot(bit), text.as_deref());
            match text {
                Some(text) => model.insert(bit, text),
                None => model.remove(&bit),
            };
        }
        let matching = |is: &dyn Fn(&str) -> bool| -> Vec<u32> {
            model.iter().filter(|(_, text)| is(text)).map(|(bit, _)| *bit).collect()
        };
        let texts: BTreeSet<&String> = model.values().take(3).collect();
        for needle in needles.iter().chain(texts) {
            let upper = needle.to_ascii_uppercase();
            prop_assert_eq!(containing(&column, needle), matching(&|text| text.contains(needle)));
            prop_assert_eq!(equal(&column, needle), matching(&|text| text == needle));
            let is_folded = |text: &str| text.is_ascii() && text.to_ascii_uppercase().contains(&upper);
            prop_assert_eq!(folded(&column, &upper), matching(&is_folded));
        }
    }
}
