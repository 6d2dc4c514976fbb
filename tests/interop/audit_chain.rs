//! Property S-57: whoever changes, removes, adds or moves a line of the audit trail is found out.

use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool, binaries, run};

/// The trail of a controller that did a little, line by line.
fn trail(site: &TestDirectory) -> Vec<String> {
    let trail = site.file("audit.jsonl");
    let with = ["--audit-file", trail.to_str().unwrap()];
    let controller = site.quickstart().with(with).start();
    let admin = Api::admin(&controller);
    let laptop = admin.create_identity("laptop", &json!({"ott": true}));
    let path = format!("/identities/{}", laptop["id"].as_str().unwrap());
    let tags = json!({"tags": {"site": "berlin"}});
    admin.send("PATCH", &path, &tags).expect_status(200);
    admin.delete(&path).expect_status(200);
    assert!(controller.terminate().success());
    lines(site)
}

fn lines(site: &TestDirectory) -> Vec<String> {
    let text = fs::read_to_string(site.file("audit.jsonl")).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Whether the program finds that these lines follow from one another.
fn is_whole(site: &TestDirectory, lines: &[String]) -> bool {
    let copy = site.file("copy.jsonl");
    fs::write(&copy, lines.concat()).unwrap();
    let mut verify = Command::new(binaries::controller());
    let outcome = run(verify.args(["audit", "verify"]).arg(&copy));
    match outcome.code() {
        0 => true,
        1 => false,
        _ => panic!("{}", outcome.text()),
    }
}

/// The line with another character in the place of the one in the `part`th of so many parts.
fn edited(line: &str, part: usize, parts: usize) -> String {
    let mut letters: Vec<char> = line.trim_end().chars().collect();
    let at = letters.len() * part / parts;
    letters[at] = if letters[at] == 'x' { 'y' } else { 'x' };
    letters.into_iter().chain(['\n']).collect()
}

#[test]
fn every_line_that_is_touched_shows() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let whole = trail(&site);
    assert!(is_whole(&site, &whole));
    assert!(whole.len() > 15, "{whole:#?}");
    let last = whole.len() - 1;
    for at in 0..whole.len() {
        for part in 0..4 {
            let mut lines = whole.clone();
            lines[at] = edited(&whole[at], part, 4);
            assert!(!is_whole(&site, &lines), "edited: {}", lines[at]);
        }
        let mut lines = whole.clone();
        lines.insert(at, whole[at].clone());
        assert!(!is_whole(&site, &lines), "twice: {}", whole[at]);
        if at < last {
            let mut lines = whole.clone();
            lines.swap(at, at + 1);
            assert!(!is_whole(&site, &lines), "moved: {}", whole[at]);
            let mut lines = whole.clone();
            lines.remove(at);
            assert!(!is_whole(&site, &lines), "removed: {}", whole[at]);
        }
    }
}

/// The file alone does not tell, but the store knows how far it was.
#[test]
fn end_that_is_cut_off_shows_at_the_next_start() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let whole = trail(&site);
    let (last, kept) = whole.split_last().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert!(is_whole(&site, kept));
    let file = site.file("audit.jsonl");
    fs::write(&file, kept.concat()).unwrap();
    let with = ["--audit-file", file.to_str().unwrap()];
    assert!(site.quickstart().with(with).start().terminate().success());
    let told = lines(&site);
    assert!(is_whole(&site, &told));
    let told = told
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let missing = told.filter(|event| event["operation"] == "audit.missing");
    let missing: Vec<_> = missing.collect();
    let [missing] = missing.as_slice() else {
        panic!("{missing:#?}")
    };
    assert_eq!(
        (&missing["first"], &missing["last"]),
        (&last["seq"], &last["seq"])
    );
}
