//! The text below the help of a command, taken apart for man pages.

use crate::narrow::fit_lines;

/// Blocks of text under the heading of a section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    /// Name of the section in man pages.
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

/// Lines between two empty ones.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Lines that may be filled anew.
    Prose(String),
    /// Lines that stay as they are, such as commands, without their common indent.
    Verbatim(Vec<String>),
}

/// Text below the help of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Footer {
    /// What stands under no heading.
    pub(crate) notes: Vec<Block>,
    /// Sections in the order of man pages.
    pub(crate) sections: Vec<Section>,
}

impl Footer {
    /// Takes a text apart. A heading is a line of plain words with a colon at its end, directly above
    /// indented ones; indented lines after an empty one belong to what precedes them.
    pub(crate) fn parse(text: &str) -> Self {
        let mut notes = Vec::new();
        let mut sections: Vec<Section> = Vec::new();
        let mut is_in_section = false;
        for block in blocks(text) {
            match block.as_slice() {
                [first, lines @ ..] if !first.starts_with(' ') && are_indented(lines) => {
                    let heading = heading(first);
                    is_in_section = heading.is_some();
                    match heading {
                        Some(heading) => sections.push(Section {
                            heading,
                            blocks: vec![verbatim(lines)],
                        }),
                        None => {
                            notes.extend([Block::Prose((*first).to_owned()), verbatim(lines)]);
                        },
                    }
                },
                lines if are_indented(lines) => {
                    let last = sections.last_mut().filter(|_| is_in_section);
                    let blocks = last.map_or(&mut notes, |section| &mut section.blocks);
                    blocks.push(verbatim(lines));
                },
                lines => {
                    notes.push(Block::Prose(lines.join("\n")));
                    is_in_section = false;
                },
            }
        }
        sections.sort_by_key(|section| rank(&section.heading));
        Self { notes, sections }
    }
}

/// Makes a text fit small terminals: paragraphs become one line, which the argument parser breaks where the
/// terminal ends, and indented lines are narrow.
pub(crate) fn fit_terminals(text: &str) -> String {
    let fitted = blocks(text).into_iter().map(|block| {
        if block.iter().any(|line| line.starts_with(' ')) {
            fit_lines(&block).join("\n")
        } else {
            block.join(" ")
        }
    });
    fitted.collect::<Vec<_>>().join("\n\n")
}

/// Lines of `text` between empty ones.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<_> = text.lines().collect();
    let blocks = lines.split(|line| line.trim().is_empty());
    let blocks = blocks.filter(|block| !block.is_empty());
    blocks.map(<[_]>::to_vec).collect()
}

fn are_indented(lines: &[&str]) -> bool {
    !lines.is_empty() && lines.iter().all(|line| line.starts_with(' '))
}

fn verbatim(lines: &[&str]) -> Block {
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let common = lines.iter().map(indent).min().unwrap_or_default();
    let lines = lines.iter().filter_map(|line| line.get(common..));
    Block::Verbatim(lines.map(str::to_owned).collect())
}

/// The name of the section that a line begins, as in `man man-pages`; `None` if it is a sentence.
fn heading(line: &str) -> Option<String> {
    let words = line.strip_suffix(':')?;
    let is_plain = |character: char| character.is_alphabetic() || character == ' ';
    match words {
        "Exit codes" => Some("EXIT STATUS".to_owned()),
        words => words.chars().all(is_plain).then(|| words.to_uppercase()),
    }
}

/// Order of sections, as in `man man-pages`.
fn rank(heading: &str) -> usize {
    let usual = ["EXIT STATUS", "ENVIRONMENT", "EXAMPLES"];
    let found = usual.iter().position(|usual| *usual == heading);
    found.map_or(0, |position| position + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verbatim(lines: &[&str]) -> Block {
        Block::Verbatim(lines.iter().map(|line| (*line).to_owned()).collect())
    }

    #[test]
    fn sections_are_told_from_notes() {
        let footer = Footer::parse(
            "A note of\ntwo lines. Write first:\n\n  # modeline\n\nFields for --sort:\n  name\n\nExamples:\n  one \\\n      --two\n\n  \
             three\n\nAnother note.\n\nExit codes:\n  0  success\n",
        );
        let section = |heading: &str, blocks| Section {
            heading: heading.to_owned(),
            blocks,
        };
        assert_eq!(
            footer.notes,
            [
                Block::Prose("A note of\ntwo lines. Write first:".to_owned()),
                verbatim(&["# modeline"]),
                Block::Prose("Fields for --sort:".to_owned()),
                verbatim(&["name"]),
                Block::Prose("Another note.".to_owned()),
            ]
        );
        assert_eq!(
            footer.sections,
            [
                section("EXIT STATUS", vec![verbatim(&["0  success"])]),
                section(
                    "EXAMPLES",
                    vec![verbatim(&["one \\", "    --two"]), verbatim(&["three"])]
                ),
            ]
        );
    }

    #[test]
    fn nothing_has_no_sections() {
        assert_eq!(Footer::parse(""), Footer::default());
    }
}
