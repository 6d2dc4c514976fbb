//! The shape of help: commands in groups, global options on the top level only.

use clap::Command;
use std::fmt::Write as _;

/// Commands under a heading.
struct Group {
    heading: &'static str,
    commands: &'static [&'static str],
}

/// All commands, in the order of the help.
const GROUPS: &[Group] = &[
    Group {
        heading: "Getting in",
        commands: &[
            "login", "logout", "whoami", "profile", "enroll", "renew", "mfa", "password",
        ],
    },
    Group {
        heading: "Identities and credentials",
        commands: &[
            "identity",
            "enrollment",
            "authenticator",
            "session",
            "revocation",
            "auth-policy",
            "ca",
            "ext-jwt-signer",
        ],
    },
    Group {
        heading: "Services and access",
        commands: &[
            "service",
            "config",
            "config-type",
            "service-policy",
            "posture-check",
            "policy-advisor",
        ],
    },
    Group {
        heading: "Network",
        commands: &[
            "edge-router",
            "transit-router",
            "terminator",
            "edge-router-policy",
            "service-edge-router-policy",
        ],
    },
    Group {
        heading: "Operations",
        commands: &["database", "api"],
    },
    Group {
        heading: "Offline tools",
        commands: &["router-config", "completion", "man", "version"],
    },
];

/// Template of subcommands: clap's own, and a pointer to what is left out.
const SUBCOMMAND_TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}{after-help}

Global options: see `portcullis --help`";

/// Arranges the help of the program and of all its subcommands.
pub(super) fn arrange(root: Command) -> Command {
    let template = root_template(&root);
    let options = root.get_arguments().filter(|arg| arg.is_global_set());
    let hidden: Vec<_> = options.map(|arg| arg.clone().hide(true)).collect();
    // Global options that a subcommand has already are not handed down to it.
    root.mut_subcommands(|command| use_template(command.args(&hidden)))
        .help_template(template)
}

fn use_template(command: Command) -> Command {
    command
        .mut_subcommands(use_template)
        .help_template(SUBCOMMAND_TEMPLATE)
}

fn root_template(root: &Command) -> String {
    let header = root.get_styles().get_header();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{header}Options:{header:#}\n\
         {{options}}{{after-help}}",
        list_groups(root)
    )
}

fn list_groups(root: &Command) -> String {
    let header = root.get_styles().get_header();
    let literal = root.get_styles().get_literal();
    let names = GROUPS.iter().flat_map(|group| group.commands);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for group in GROUPS {
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let root = crate::cli::Cli::command();
        let commands = root.get_subcommands();
        let visible = commands.filter(|command| !command.is_hide_set());
        let mut expected: Vec<_> = visible.map(Command::get_name).collect();
        let grouped = GROUPS.iter().flat_map(|group| group.commands);
        let mut grouped: Vec<_> = grouped.copied().collect();
        expected.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, expected);
    }
}
