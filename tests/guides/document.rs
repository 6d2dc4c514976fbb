//! The commands of a document, and what it says they print.

use std::ops::Range;

/// A command of a document with its output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Lines to type, without the prompt.
    pub(crate) command: String,
    /// Position of the output in the text, which ends with a line feed or is empty.
    pub(crate) output: Range<usize>,
}

/// A line outside of all blocks, by which the reader ends the programs that run: a comment, since Ctrl-C is no command
/// that could be shown.
pub(crate) const INTERRUPT: &str = "<!-- Ctrl-C -->";

/// Finds the commands in all blocks of a Markdown text that are marked as `console`, and each [`INTERRUPT`].
///
/// Commands begin with the prompt `$ `. They go on after a line that ends with a backslash, and until
/// the end of a here-document.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    let mut is_continued = false;
    let mut here_document: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.starts_with("```") {
            is_console = line.trim_end() == "```console";
        } else if line.trim_end() == INTERRUPT {
            steps.push(Step {
                command: INTERRUPT.to_owned(),
                output: end..end,
            });
        } else if is_console {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) if !is_continued => steps.push(Step {
                    command: command.to_owned(),
                    output: end..end,
                }),
                (_, Some(step)) if is_continued => {
                    step.command.push_str(line);
                    step.output = end..end;
                },
                (_, Some(step)) => step.output.end = end,
                (_, None) => panic!("a console block begins without a command: {line}"),
            }
            let is_command = is_continued || line.starts_with("$ ");
            here_document = match here_document {
                Some(end) => Some(end).filter(|end| *end != line.trim_end()),
                None if is_command => here_document_end(line),
                None => None,
            };
            let is_broken = is_command && line.trim_end().ends_with('\\');
            is_continued = is_broken || here_document.is_some();
        }
        start = end;
    }
    steps
}

/// The line that ends the here-document that begins after a line.
fn here_document_end(line: &str) -> Option<&str> {
    let (_, end) = line.trim_end().split_once("<<")?;
    Some(end.trim_matches('\''))
}

#[test]
fn commands_are_told_from_their_output() {
    let text =
        "# Title\n```console\n$ one \\\n  two\nout\n$ three\n```\n```text\n$ not this\n```\n";
    let found = steps(text);
    let shown: Vec<_> = found
        .iter()
        .map(|step| (step.command.as_str(), &text[step.output.clone()]))
        .collect();
    assert_eq!(shown, [("one \\\n  two\n", "out\n"), ("three\n", "")]);
}

#[test]
fn interrupts_stand_between_commands() {
    let text = "```console\n$ one\nout\n```\n<!-- Ctrl-C -->\n```console\n$ two\n```\n";
    let found = steps(text);
    let commands: Vec<_> = found.iter().map(|step| &*step.command).collect();
    assert_eq!(commands, ["one\n", INTERRUPT, "two\n"]);
    assert_eq!(&text[found[0].output.clone()], "out\n");
}

#[test]
fn here_documents_are_part_of_their_command() {
    let text = "```console\n$ cat > f <<'END'\na\n$ b\nEND\n$ cat f\na\n```\n";
    let found = steps(text);
    let shown: Vec<_> = found
        .iter()
        .map(|step| (step.command.as_str(), &text[step.output.clone()]))
        .collect();
    let file = "cat > f <<'END'\na\n$ b\nEND\n";
    assert_eq!(shown, [(file, ""), ("cat f\n", "a\n")]);
}
