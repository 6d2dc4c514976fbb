//! The shape of help: commands in groups, global options on the top level only.

use crate::footer::fit_terminals;
use clap::Command;
use clap::builder::StyledStr;
use std::fmt::Write as _;

/// Commands under a heading.
#[derive(Debug, Clone, Copy)]
pub struct CommandGroup {
    /// Without a colon.
    pub heading: &'static str,
    /// Names, in the order of the help.
    pub commands: &'static [&'static str],
}

/// Arranges the help of a program and of all its subcommands.
///
/// # Panics
/// In debug builds, unless each visible command of `root` is in exactly one group.
pub fn arrange(root: Command, groups: &[CommandGroup]) -> Command {
    debug_assert_eq!(grouped(groups), visible(&root), "groups of the help");
    let root_template = root_template(&root, groups);
    let subcommand_template = subcommand_template(&root);
    let options = root.get_arguments().filter(|arg| arg.is_global_set());
    let hidden: Vec<_> = options.map(|arg| arg.clone().hide(true)).collect();
    // Global options that a subcommand has already are not handed down to it.
    fit_footers(root)
        .mut_subcommands(|command| use_template(command.args(&hidden), &subcommand_template))
        .help_template(root_template)
}

fn grouped(groups: &[CommandGroup]) -> Vec<&str> {
    let mut names: Vec<_> = groups
        .iter()
        .flat_map(|group| group.commands)
        .copied()
        .collect();
    names.sort_unstable();
    names
}

fn visible(root: &Command) -> Vec<&str> {
    let commands = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let mut names: Vec<_> = commands.map(Command::get_name).collect();
    names.sort_unstable();
    names
}

fn use_template(command: Command, template: &str) -> Command {
    fit_footers(command)
        .mut_subcommands(|command| use_template(command, template))
        .help_template(template.to_owned())
}

/// Makes the text below the help fit small terminals.
fn fit_footers(command: Command) -> Command {
    let fit = |text: &StyledStr| fit_terminals(&text.to_string());
    let short = command.get_after_help().map(fit);
    let long = command.get_after_long_help().map(fit);
    let command = match short {
        Some(text) => command.after_help(text),
        None => command,
    };
    match long {
        Some(text) => command.after_long_help(text),
        None => command,
    }
}

/// Template of subcommands: clap's own, and a pointer to what is left out.
fn subcommand_template(root: &Command) -> String {
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         {{all-args}}{{after-help}}\n\nGlobal options: see `{} --help`",
        root.get_name()
    )
}

fn root_template(root: &Command, groups: &[CommandGroup]) -> String {
    let header = root.get_styles().get_header();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{header}Options:{header:#}\n\
         {{options}}{{after-help}}",
        list_groups(root, groups)
    )
}

fn list_groups(root: &Command, groups: &[CommandGroup]) -> String {
    let header = root.get_styles().get_header();
    let literal = root.get_styles().get_literal();
    let names = groups.iter().flat_map(|group| group.commands);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for group in groups {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{header}{}:{header:#}", group.heading);
        for name in group.commands {
            let about = root.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {about}");
        }
        text.push('\n');
    }
    text
}
