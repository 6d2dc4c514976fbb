//! Recorded exchanges, if they are at hand.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The instant that stands for every recorded one.
pub(crate) const TIME: &str = "2031-04-05T06:07:08.009Z";

/// A recorded request and its answer.
pub(crate) struct Step {
    /// File and name, for messages.
    pub(crate) name: String,
    /// The API that was asked, for example `management`.
    pub(crate) api: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) request: Option<Value>,
    /// The body where it is no JSON.
    pub(crate) text: Option<String>,
    pub(crate) status: u64,
    pub(crate) answer: Value,
}

impl Step {
    /// The file in which it is recorded.
    pub(crate) fn file(&self) -> &str {
        self.name.split(':').next().unwrap_or_default()
    }
}

/// Every recorded step, none if there are no recordings beside the workspace.
pub(crate) fn steps() -> Vec<Step> {
    let Some(folder) = folder() else {
        println!("skipped: there are no recorded exchanges beside the workspace");
        return Vec::new();
    };
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    files.iter().flat_map(|path| steps_of(path)).collect()
}

/// The answer of one step, with [`TIME`] for every instant.
pub(crate) fn answer(steps: &[Step], name: &str) -> Option<Value> {
    steps
        .iter()
        .find(|step| step.name == name)
        .map(|step| step.answer.clone())
}

fn folder() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|ancestor| ancestor.join("../shared/golden"))
        .find(|folder| folder.is_dir())
}

fn steps_of(path: &Path) -> Vec<Step> {
    let recording: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let file = path.file_stem().unwrap().to_string_lossy();
    let steps = recording["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| Step {
            name: format!("{file}: {}", step["name"].as_str().unwrap_or_default()),
            api: step["api"].as_str().unwrap_or_default().to_owned(),
            method: step["method"].as_str().unwrap_or_default().to_owned(),
            path: step["path"].as_str().unwrap_or_default().to_owned(),
            text: step["request"]["body_text"].as_str().map(str::to_owned),
            request: step["request"].get("body").cloned().map(at_one_time),
            status: step["response"]["status"].as_u64().unwrap(),
            answer: at_one_time(step["response"]["body"].clone()),
        });
    steps.collect()
}

/// Puts [`TIME`] in the place of every recorded instant.
fn at_one_time(mut value: Value) -> Value {
    match &mut value {
        Value::String(text) if text.starts_with("<time") => TIME.clone_into(text),
        Value::Array(items) => {
            for item in items {
                *item = at_one_time(item.take());
            }
        },
        Value::Object(members) => {
            for (_, member) in members.iter_mut() {
                *member = at_one_time(member.take());
            }
        },
        _ => {},
    }
    value
}
