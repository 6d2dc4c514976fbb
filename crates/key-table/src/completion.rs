//! Completion of the paths of keys.

use crate::key::ConfigFile;
use crate::lookup::{ANY_NAME, KeyMatch, visit_keys};

/// Completes a path that is being typed, one step at a time, and returns each candidate with its meaning.
/// List positions are left out; items that differ by their binding name it, as in `listeners[tunnel]`.
pub fn complete_path<F: ConfigFile>(typed: &str) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    visit_keys(&mut |path, KeyMatch { key, .. }: KeyMatch<F>| {
        let path = path.replace("[]", "");
        if path.starts_with(typed) {
            found.push((path, key.doc));
        }
    });
    let depth = steps(typed);
    let is_near = |depth| move |(path, _): &&(String, _)| steps(path) <= depth;
    // A section that is the only candidate comes with what is in it: alone, it would end the word.
    let depth = match found.iter().filter(is_near(depth)).count() {
        0 | 1 => depth + 1,
        _ => depth,
    };
    found.retain(|candidate| is_near(depth)(&candidate));
    found
}

/// Steps of a path; a name of the writer's choice is none, because it is nothing to be offered alone.
fn steps(path: &str) -> usize {
    let steps = path.split('.').skip(1);
    steps.filter(|step| *step != ANY_NAME).count()
}
