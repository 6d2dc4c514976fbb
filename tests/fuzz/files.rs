//! The controller's file.

use crate::driver::{corpus, fuzz, place, text};
use portcullis_controller_config::{GenerateOptions, generate, read};

/// Whatever the text, there is a configuration or a mistake that says why not.
#[test]
fn fuzzed_files_are_a_configuration_or_a_mistake() {
    let mut files = corpus("controller");
    files.push(
        generate(&GenerateOptions::new("ctrl.example", 1280))
            .unwrap()
            .into_bytes(),
    );
    fuzz("files of controllers", files, |input| {
        let outcome = read(&[&text(input)], &|name| {
            (name == "HOME").then(|| "/root".to_owned())
        });
        if outcome.config.is_none() && outcome.diagnostics.is_empty() {
            return Err("there is neither a configuration nor a mistake".to_owned());
        }
        let words = outcome.diagnostics.iter().map(|it| place(&it.code));
        Ok(words.take(4).collect::<String>())
    });
}
