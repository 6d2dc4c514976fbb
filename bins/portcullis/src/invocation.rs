//! Options of this invocation that the commands in messages repeat.

use crate::context::GlobalArgs;
use crate::shell;
use std::borrow::Cow;
use std::sync::OnceLock;

const PROGRAM: &str = "portcullis ";

/// Marks the command that probably follows, in the text below a result.
const NEXT: &str = "next: ";

static REPEATED: OnceLock<Vec<RepeatedOption>> = OnceLock::new();

/// A global option without which a command would act on another session.
#[derive(Debug)]
struct RepeatedOption {
    name: &'static str,
    value: String,
}

/// Keeps the options by which the session was chosen. What the environment chose holds for later
/// commands too.
pub(crate) fn remember(arguments: &GlobalArgs) {
    let folder = arguments.config_dir.as_ref();
    let given = [
        ("--profile", arguments.profile.clone()),
        (
            "--config-dir",
            folder.map(|path| path.display().to_string()),
        ),
    ];
    let options = given
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| RepeatedOption { name, value }));
    // There is one invocation.
    let _ = REPEATED.set(options.collect());
}

/// The text with these options in its commands, which stand in backticks or after `next:`.
pub(crate) fn repeat_options(text: &str) -> Cow<'_, str> {
    match REPEATED.get() {
        Some(options) if !options.is_empty() => insert(text, options).into(),
        _ => text.into(),
    }
}

fn insert(text: &str, options: &[RepeatedOption]) -> String {
    let mut parts = text.split(PROGRAM);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let command = if written.ends_with('`') {
            rest.split('`').next()
        } else if written.ends_with(NEXT) {
            rest.lines().next()
        } else {
            None
        };
        written.push_str(PROGRAM);
        for RepeatedOption { name, value } in options {
            if command.is_some_and(|command| uses_session(command) && !command.contains(name)) {
                written.extend([name, " ", &shell::quote(value), " "]);
            }
        }
        written.push_str(rest);
    }
    written
}

/// Whether it matters to a command which profile is in use.
fn uses_session(command: &str) -> bool {
    !command.starts_with("router-config") && !command.ends_with("--help")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_commands_act_on_the_same_session() {
        let options = [("--profile", "berta"), ("--config-dir", "my profiles")];
        let options = options.map(|(name, value)| RepeatedOption {
            name,
            value: value.to_owned(),
        });
        for (text, expected) in [
            (
                "name: x\nnext: portcullis whoami\n",
                "name: x\nnext: portcullis --profile berta --config-dir 'my profiles' whoami\n",
            ),
            (
                "run `portcullis mfa enroll`, then `portcullis whoami`",
                "run `portcullis --profile berta --config-dir 'my profiles' mfa enroll`, then \
                 `portcullis --profile berta --config-dir 'my profiles' whoami`",
            ),
            (
                "`portcullis login URL --profile NAME` makes one",
                "`portcullis --config-dir 'my profiles' login URL --profile NAME` makes one",
            ),
        ] {
            assert_eq!(insert(text, &options), expected);
        }
        for text in [
            "`portcullis-controller fingerprint` shows it",
            "see `portcullis ca --help`",
            "`portcullis router-config explain` lists the sections",
            "no portcullis command",
            "",
        ] {
            assert_eq!(insert(text, &options), text);
        }
    }
}
