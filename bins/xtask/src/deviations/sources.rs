//! Lookup of tests in source files.

use crate::workspace;
use std::path::Path;

/// Whether `file` has a test function called `name`.
///
/// # Errors
/// A message if the file cannot be read.
pub(super) fn has_test(root: &Path, file: &str, name: &str) -> Result<bool, String> {
    let text = workspace::read(root, file).map_err(|error| format!("{error:#}"))?;
    Ok(declares_test(&text, name))
}

/// Whether the function is declared with an attribute that makes it a test.
fn declares_test(source: &str, name: &str) -> bool {
    let declaration = format!("fn {name}(");
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    lines.iter().enumerate().any(|(index, line)| {
        let starts = line.starts_with(&declaration)
            || line
                .strip_prefix("async ")
                .is_some_and(|line| line.starts_with(&declaration));
        starts
            && lines
                .iter()
                .take(index)
                .rev()
                .take_while(|above| above.starts_with("#[") || above.starts_with("//"))
                .any(|above| above.starts_with("#[test]") || above.contains("::test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_functions_count() {
        let source = "
            #[test]
            fn plain() {}

            #[tokio::test(start_paused = true)]
            // why
            async fn on_a_runtime() {}

            #[test]
            /// Says more.
            fn documented(value in 0..9u8) {}

            fn helper() {}
        ";
        for (name, expected) in [
            ("plain", true),
            ("on_a_runtime", true),
            ("documented", true),
            ("helper", false),
            ("plai", false),
            ("absent", false),
        ] {
            assert_eq!(declares_test(source, name), expected, "{name}");
        }
    }

    #[test]
    fn missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rs"), "#[test]\nfn here() {}\n").unwrap();
        assert_eq!(has_test(folder.path(), "a.rs", "here"), Ok(true));
        let error = has_test(folder.path(), "b.rs", "here").unwrap_err();
        assert!(error.starts_with("b.rs cannot be read"), "{error}");
    }
}
