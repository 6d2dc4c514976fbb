//! Man pages from declared command lines.

use crate::footer::{Block, Footer, Section};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::path::{Path, PathBuf};

/// Section of the manual: user commands.
const MANUAL_SECTION: &str = "1";

/// A page and the name of its file.
#[derive(Debug)]
pub struct Page {
    pub name: String,
    /// In the format of troff.
    pub text: Vec<u8>,
}

/// The pages of `program` and of all commands below.
pub fn pages(program: Command) -> io::Result<Vec<Page>> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let version = program.get_version().unwrap_or_default();
    let source = format!("{} {version}", program.get_name());
    let mut pages = Vec::new();
    let mut commands = vec![(None, program)];
    while let Some((parent, command)) = commands.pop() {
        let name = page_name(&command).to_owned();
        let below = command.get_subcommands();
        let below = below.filter(|command| !command.is_hide_set());
        commands.extend(below.map(|command| (Some(name.clone()), command.clone())));
        pages.push(Page {
            name: format!("{name}.{MANUAL_SECTION}"),
            text: render(command, &source, parent.as_deref())?,
        });
    }
    Ok(pages)
}

/// The first of the pages that is in `dir` already, whether as a file or not.
pub fn find_existing(pages: &[Page], dir: &Path) -> Option<PathBuf> {
    let mut paths = pages.iter().map(|page| dir.join(&page.name));
    paths.find(|path| path.symlink_metadata().is_ok())
}

fn page_name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

/// Renders a page; `parent` is the name of the page above it.
fn render(command: Command, source: &str, parent: Option<&str>) -> io::Result<Vec<u8>> {
    let footer = footer(&command);
    let has_options = command.get_arguments().any(|arg| !arg.is_hide_set());
    let has_subcommands = has_subcommands(&command);
    let man = Man::new(command).section(MANUAL_SECTION).source(source);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    notes(&footer.notes).to_writer(&mut text)?;
    if has_options {
        man.render_options_section(&mut text)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut text)?;
    }
    let mut end = Roff::new();
    for section in &footer.sections {
        push_section(&mut end, section);
    }
    if let Some(parent) = parent {
        push_see_also(&mut end, parent);
    }
    end.to_writer(&mut text)?;
    Ok(text)
}

fn footer(command: &Command) -> Footer {
    let text = command
        .get_after_long_help()
        .or_else(|| command.get_after_help());
    text.map(|text| Footer::parse(&text.to_string()))
        .unwrap_or_default()
}

fn has_subcommands(command: &Command) -> bool {
    let mut subcommands = command.get_subcommands();
    subcommands.any(|command| !command.is_hide_set())
}

/// What follows the description, in its section.
fn notes(blocks: &[Block]) -> Roff {
    let mut roff = Roff::new();
    for block in blocks {
        roff.control("PP", []);
        push_block(&mut roff, block);
    }
    roff
}

fn push_section(roff: &mut Roff, section: &Section) {
    roff.control("SH", [section.heading.as_str()]);
    for (number, block) in section.blocks.iter().enumerate() {
        if number > 0 {
            roff.control("PP", []);
        }
        push_block(roff, block);
    }
}

fn push_block(roff: &mut Roff, block: &Block) {
    match block {
        Block::Prose(text) => {
            roff.text([roman(text)]);
        },
        Block::Verbatim(lines) => {
            roff.control("nf", []);
            for line in lines {
                roff.text([roman(line)]);
            }
            roff.control("fi", []);
        },
    }
}

/// A pointer to the page above, and so at last to that of the program, which has the global options.
fn push_see_also(roff: &mut Roff, parent: &str) {
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold(parent), roman(format!("({MANUAL_SECTION})"))]);
}
