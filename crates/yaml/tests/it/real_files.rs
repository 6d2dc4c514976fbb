//! Router files as they are used, and the verdicts of the original on small ones.

use std::fs;
use std::path::{Path, PathBuf};

use portcullis_yaml::{Limits, SourceId, decode, parse};
use serde_json::Value;

/// Finds the shared material beside one of the folders above this crate, when it is there.
fn shared(part: &str) -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("../shared").join(part))
        .find(|path| path.exists())
}

#[test]
fn real_router_files_are_read() {
    let Some(folder) = shared("spec/router-configs") else {
        println!("skipped: there is no ../shared/spec/router-configs");
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("folder can be listed") {
        let path = entry.expect("entry can be read").path();
        if path.extension().is_none_or(|extension| extension != "yml") {
            continue;
        }
        let text =
            decode(&fs::read(&path).expect("file can be read"), SourceId(0)).expect("file is text");
        let document = parse(&text, SourceId(0), &Limits::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            document
                .root
                .as_map()
                .is_some_and(|map| map.get("v").is_some()),
            "{}",
            path.display()
        );
        count += 1;
    }
    assert!(count > 20, "only {count} files");
}

#[test]
fn syntax_is_accepted_and_refused_as_in_the_original() {
    let Some(file) = shared("spec/router-diff/cases.jsonl") else {
        println!("skipped: there is no ../shared/spec/router-diff/cases.jsonl");
        return;
    };
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in fs::read_to_string(file).expect("file can be read").lines() {
        let case: Value = serde_json::from_str(line).expect("line is JSON");
        let Some(text) = case["yaml"].as_str() else {
            continue;
        };
        let error = case["openziti"]["error"].as_str().unwrap_or_default();
        // The original reads an empty first document and then fails for want of a map.
        let refused = error.starts_with("yaml: ") || error == "EOF";
        let ours = parse(text, SourceId(0), &Limits::default());
        let is_map = ours
            .as_ref()
            .is_ok_and(|document| document.root.as_map().is_some() || document.root.is_null());
        if is_map == refused {
            wrong.push(format!(
                "{} ({}): {error:?}, here {:?}",
                case["id"],
                case["what"],
                ours.err()
            ));
        }
        count += 1;
    }
    assert!(count > 1_000, "only {count} cases");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
