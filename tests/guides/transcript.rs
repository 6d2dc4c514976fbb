//! Runs a document and compares what is shown with what it says.

use crate::answers::Answers;
use crate::document;
use crate::placeholders;
use crate::shell::{COLUMNS, Shell};
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use support::{TestDirectory, binaries, controller, repository, wait};

/// The ports that documents use: of the controller, of a router for clients, of a server, of a door to it, of a
/// tunneler.
const DOCUMENTED_PORTS: [&str; 5] = [CONTROLLER_PORT, "3022", "8080", "8081", "8082"];

const CONTROLLER_PORT: &str = "1280";

/// Set to write what is shown into the document if it differs.
const BLESS: &str = "PORTCULLIS_BLESS";

/// Stands for cargo: the programs are built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
"run --profile quick -p portcullis-controller -- "*) shift 6; exec portcullis-controller "$@" ;;
"build --"*) exit 0 ;;
*) echo "unexpected: cargo $*" >&2; exit 99 ;;
esac
"#;

/// Types the commands of a document in their order, as a reader does: each program that goes on running in a
/// terminal of its own, all others in one more.
///
/// # Panics
///
/// If something else is shown than the document says, or a line is wider than the terminal.
pub(crate) fn check(path: &str) {
    let path = repository::root().join(path);
    let text = fs::read_to_string(&path).unwrap();
    let site = TestDirectory::new();
    let reader = Reader::new(&site);
    let mut terminal = reader.shell();
    let mut servers = Vec::new();
    let mut differences = Vec::new();
    let mut outputs = Vec::new();
    let mut answers = Answers::default();
    for step in document::steps(&text) {
        if step.command == document::INTERRUPT {
            servers.clear();
            continue;
        }
        let command = reader.to_type(&step.command);
        let shown = if let Some(port) = served_port(&step.command) {
            let mut shell = reader.shell();
            let shown = shell.start_program(&command);
            reader.wait_until_served(port);
            servers.push(shell);
            if port == CONTROLLER_PORT {
                answers.learn_password(&shown);
            }
            shown
        } else {
            terminal.run(&command, &mut answers)
        };
        let shown = reader.to_document(without_echo(&shown, &command));
        let said = &text[step.output.clone()];
        if placeholders::replace(&shown, said) != placeholders::replace(said, said) {
            let command = &step.command;
            differences.push(format!(
                "$ {command}--- documented\n{said}--- shown\n{shown}"
            ));
        }
        outputs.push((step.output, shown));
    }
    if std::env::var_os(BLESS).is_some() && !differences.is_empty() {
        // All of it, so that ids and fingerprints agree, and from the last to the first, so that
        // positions stay valid.
        let mut result = text;
        for (place, shown) in outputs.into_iter().rev() {
            result.replace_range(place, &shown);
        }
        fs::write(&path, result).unwrap();
        return;
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_fits(&text);
}

/// The reader of a document: a home directory, and the programs in the path.
struct Reader<'s> {
    site: &'s TestDirectory,
    path: OsString,
    /// What stands for the documented ports.
    ports: [String; DOCUMENTED_PORTS.len()],
}

impl<'s> Reader<'s> {
    fn new(site: &'s TestDirectory) -> Self {
        let bin = site.folder().join("bin");
        fs::create_dir(&bin).unwrap();
        let cargo = bin.join("cargo");
        fs::write(&cargo, CARGO).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        let built = binaries::cli();
        let built = built.parent().map(Path::to_owned);
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let all = [bin].into_iter().chain(built);
        let path = std::env::join_paths(all.chain(std::env::split_paths(&inherited))).unwrap();
        Self {
            site,
            path,
            ports: DOCUMENTED_PORTS.map(|_| controller::free_port().to_string()),
        }
    }

    fn shell(&self) -> Shell {
        let home = self.site.work();
        let environment = [
            ("HOME", home.display().to_string()),
            ("PATH", self.path.to_string_lossy().into_owned()),
            ("ZITI_CTRL_EDGE_ADVERTISED_PORT", self.ports[0].clone()),
        ];
        Shell::start(&home, &environment)
    }

    fn wait_until_served(&self, documented: &str) {
        let port = self.to_type(documented).parse().unwrap();
        let address = (Ipv4Addr::LOCALHOST, port);
        wait::until(wait::DEFAULT_TIMEOUT, || TcpStream::connect(address)).unwrap();
    }

    /// A documented command as it is typed here.
    fn to_type(&self, command: &str) -> String {
        let pairs = DOCUMENTED_PORTS.iter().zip(&self.ports);
        pairs.fold(command.to_owned(), |command, (documented, own)| {
            command.replace(documented, own)
        })
    }

    /// What is shown here as a document says it.
    fn to_document(&self, shown: &str) -> String {
        let home = self.site.work();
        let shown = shown.replace(&home.display().to_string(), "/home/you");
        let pairs = DOCUMENTED_PORTS.iter().zip(&self.ports);
        pairs.fold(shown, |shown, (documented, own)| {
            shown.replace(own, documented)
        })
    }
}

/// The documented port at which a program that goes on running is reached; `None` for all other commands.
fn served_port(command: &str) -> Option<&'static str> {
    let words: Vec<_> = command.split_whitespace().collect();
    let [controller, router, server, _, tunneler] = DOCUMENTED_PORTS;
    match &words[..] {
        ["portcullis-controller", "run", ..] => Some(controller),
        words if words.contains(&"quickstart") => Some(controller),
        // A tunneler that hosts opens no port: its services are reached through the router.
        ["portcullis-router", "run", ..] | ["portcullis-tunnel", "host", ..] => Some(router),
        ["python3", "-m", "http.server", ..] => Some(server),
        ["portcullis-tunnel", "proxy", ..] => Some(tunneler),
        _ => None,
    }
}

/// What was shown after the command itself, which the terminal echoes.
fn without_echo<'s>(shown: &'s str, command: &str) -> &'s str {
    let lines = command.lines().count();
    let end = shown.split_inclusive('\n').take(lines).map(str::len).sum();
    &shown[end..]
}

/// A block with a line that is wider than the terminal cannot be what a reader sees.
fn assert_fits(text: &str) {
    for step in document::steps(text) {
        let lines = step.command.lines().chain(text[step.output].lines());
        for line in lines {
            let width = line.chars().count();
            assert!(
                width <= usize::from(COLUMNS.get()),
                "wider than {COLUMNS}: {line}"
            );
        }
    }
}
