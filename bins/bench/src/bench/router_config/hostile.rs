//! Files that nobody should write.

use portcullis_router_config::MAX_FILE_SIZE;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// A hundred megabytes.
const HUGE: u64 = 100_000_000;

/// Writes them, and gives their names.
pub(super) fn write(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let texts = [structures(), values(), keys()].concat();
    let bytes = texts
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .chain(encodings());
    for (name, content) in bytes {
        fs::write(folder.join(name), content)?;
        names.push(name.to_owned());
    }
    File::create(folder.join("huge"))?.set_len(HUGE)?;
    fs::create_dir(folder.join("folder"))?;
    // No process can read its own memory from the beginning; the other never ends.
    let others = ["huge", "folder", "missing", "/proc/self/mem", "/dev/zero"];
    names.extend(others.map(str::to_owned));
    Ok(names)
}

type Named<T> = Vec<(&'static str, T)>;

fn encodings() -> Named<Vec<u8>> {
    let full = |byte| vec![byte; MAX_FILE_SIZE];
    let utf16 = "v: 3\n".repeat(MAX_FILE_SIZE / 10 - 1);
    let utf16 = std::iter::once(0xFEFF).chain(utf16.encode_utf16());
    vec![
        ("empty", vec![]),
        ("not-utf8", b"v: 3\nctrl: \xff\n".to_vec()),
        ("not-utf8-full", full(0xFF)),
        ("bom", b"\xef\xbb\xbfv: 3\n".to_vec()),
        ("utf16", utf16.flat_map(u16::to_le_bytes).collect()),
        ("nul", b"v: 3\nctrl: \0\n".to_vec()),
        ("nul-full", full(0)),
        ("tabs", b"v: 3\n\tctrl: 1\n".to_vec()),
        ("tabs-full", full(b'\t')),
        ("crlf", b"v: 3\r\nctl: 1\r\n".to_vec()),
        ("crlf-full", b"\r\n".repeat(MAX_FILE_SIZE / 2)),
        ("exclamation-marks", full(b'!')),
        ("question-marks", b"? ".repeat(MAX_FILE_SIZE / 2)),
        ("dashes", b"- ".repeat(MAX_FILE_SIZE / 2)),
        ("escapes", b"\"\\".repeat(MAX_FILE_SIZE / 2)),
    ]
}

fn structures() -> Named<String> {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let mut laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (before, name) in names.iter().zip(names.iter().skip(1)) {
        let uses = vec![format!("*{before}"); 9].join(", ");
        // Writing into a string cannot fail.
        let _ = writeln!(laughs, "{name}: &{name} [{uses}]");
    }
    let many =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let steps = many(2_800, &|depth| format!("{}a:\n", " ".repeat(depth)));
    let base = many(1_000, &|key| format!("k{key}: 1, "));
    let merges = "  - {<<: *b}\n".repeat(1_000);
    let items = "*b, ".repeat(60_000);
    let anchors = many(30_000, &|number| format!("  - &a{number} {{k: v}}\n"));
    vec![
        ("laughs", laughs),
        ("levels", "[".repeat(10_000)),
        ("levels-closed", "[".repeat(10_000) + &"]".repeat(10_000)),
        ("levels-of-maps", "{a: ".repeat(10_000)),
        ("steps", steps),
        ("anchors", format!("v: 3\nx:\n{anchors}")),
        ("merges", format!("v: 3\nb: &b {{{base}}}\nx:\n{merges}")),
        (
            "merged-list",
            format!("b: &b {{a: 1}}\nx: {{<<: [{items}]}}\n"),
        ),
        ("tags", "[!a,".repeat(MAX_FILE_SIZE / 4)),
    ]
}

fn values() -> Named<String> {
    let long = "a".repeat(MAX_FILE_SIZE - 100);
    let listener = "  - {binding: edge, address: \"tls:0.0.0.0:1\"}\n";
    let dialer = "    - {binding: transport, groups: [a, b, c, d, e, f, g]}\n";
    vec![
        (
            "variable",
            "v: 3\nctrl: {endpoint: \"${MISSING}\"}\n".to_owned(),
        ),
        (
            "variables",
            format!("v: 3\nctrl: {{endpoint: \"{}\"}}\n", "$A".repeat(2_000_000)),
        ),
        ("scalar", format!("v: 3\nctrl: {long}\n")),
        (
            "scalar-quoted",
            format!("v: 3\nctrl: {{endpoint: \"{long}\"}}\n"),
        ),
        (
            "scalar-folded",
            format!("v: 3\nctrl: {}\n", "a\n  ".repeat(1_000_000)),
        ),
        (
            "listeners",
            format!("v: 3\nlisteners:\n{}", listener.repeat(14_000)),
        ),
        (
            "dialers",
            format!("v: 3\nlink:\n  dialers:\n{}", dialer.repeat(5_000)),
        ),
    ]
}

fn keys() -> Named<String> {
    let misspelled = |count: usize, before: &str, after: &str| -> String {
        let line = |number| format!("{before}linkDialWorkerCont{number}: 1{after}");
        (0..count).map(line).collect()
    };
    vec![
        (
            "misspelled",
            format!("v: 3\n{}", misspelled(37_000, "", "\n")),
        ),
        (
            "misspelled-below",
            format!("v: 3\nforwarder:\n{}", misspelled(5_000, "  ", "\n")),
        ),
        (
            "misspelled-on-a-line",
            format!("{{{}}}", misspelled(37_000, "", ", ")),
        ),
        ("repeated", "v: 3\n".repeat(37_000)),
        (
            "long-key",
            format!("v: 3\n? {}\n: 1\n", "a".repeat(MAX_FILE_SIZE - 100)),
        ),
        ("colons", format!("{{{}}}", "a:,".repeat(1_000_000))),
        ("comments", "#\n".repeat(MAX_FILE_SIZE / 2)),
    ]
}
