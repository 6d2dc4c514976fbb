//! A controller in a process of its own.

use crate::binaries;
use crate::command::{self, Outcome};
use crate::site::Site;
use crate::wait;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How many lines of the log a failing test shows.
const SHOWN: usize = 60;

/// A start of the binary that is being prepared.
#[derive(Debug)]
pub struct Launch<'s> {
    site: &'s Site,
    command: Command,
    url: Option<String>,
    errors: Option<Stdio>,
}

impl<'s> Launch<'s> {
    pub(crate) fn quickstart(site: &'s Site) -> Self {
        let mut launch = Self::temporary(site);
        launch.command.arg("--home").arg(site.home());
        launch
    }

    pub(crate) fn temporary(site: &'s Site) -> Self {
        Self::new(site).with([
            "quickstart",
            "--ctrl-address",
            "localhost",
            "--ctrl-port",
            "0",
        ])
    }

    pub(crate) fn run(site: &'s Site, config: &Path) -> Self {
        let mut launch = Self::new(site);
        launch.command.arg("run").arg(config);
        launch
    }

    fn new(site: &'s Site) -> Self {
        let mut command = Command::new(binaries::controller());
        command
            .env_remove("ZITI_USER")
            .env_remove("ZITI_PWD")
            .env_remove("ZITI_CTRL_EDGE_ADVERTISED_ADDRESS")
            .env_remove("ZITI_CTRL_EDGE_ADVERTISED_PORT")
            .env_remove("PORTCULLIS_LOG")
            .current_dir(site.work());
        Self {
            site,
            command,
            url: None,
            errors: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn with<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn environment(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Says where the controller will be reached, for starts that do not print it.
    #[must_use]
    pub fn at(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    /// Has the log written to `stream` instead of a file.
    #[must_use]
    pub fn errors_to(mut self, stream: impl Into<Stdio>) -> Self {
        self.errors = Some(stream.into());
        self
    }

    /// Starts the controller and waits until it answers.
    ///
    /// # Panics
    ///
    /// If it ends instead, or does not answer in time.
    #[track_caller]
    pub fn start(mut self) -> Controller {
        let log = self.site.log();
        let mut child = self.spawn(&log);
        let printed = Arc::new(Mutex::new(String::new()));
        let stdout = child.stdout.take().expect("the output is piped");
        follow(stdout, printed.clone(), &log);
        let url = address(&mut child, &printed, self.url.as_deref()).unwrap_or_else(|problem| {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the controller {problem}\n{}", tail(&log))
        });
        Controller {
            child,
            url,
            home: self.site.home(),
            log,
            printed,
        }
    }

    /// Starts the controller where it has to give up, and answers how it did.
    #[track_caller]
    pub fn fail(mut self) -> Outcome {
        command::run(&mut self.command)
    }

    fn spawn(&mut self, log: &Path) -> Child {
        let file = File::options().create(true).append(true).open(log);
        let file = file.expect("the log can be written");
        let errors = self.errors.take().unwrap_or_else(|| file.into());
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("the controller can be started")
    }
}

/// A running controller; it is killed with the value.
#[derive(Debug)]
pub struct Controller {
    child: Child,
    url: String,
    home: PathBuf,
    log: PathBuf,
    printed: Arc<Mutex<String>>,
}

impl Controller {
    /// Where it is reached, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Host and port.
    pub fn host_port(&self) -> &str {
        self.url.trim_start_matches("https://")
    }

    /// A connection to it, without TLS.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(self.host_port()).expect("the controller takes connections")
    }

    /// The bundle of its authorities.
    pub fn ca(&self) -> PathBuf {
        self.home.join("ca.pem")
    }

    /// The administrator's password.
    pub fn password(&self) -> String {
        let text = fs::read_to_string(self.home.join("admin-password"));
        text.expect("the password was written").trim().to_owned()
    }

    /// What it has printed so far.
    pub fn printed(&self) -> String {
        self.printed.lock().expect("nobody panics with it").clone()
    }

    /// Its number among the processes.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends it between two instructions.
    pub fn kill(mut self) {
        self.child.kill().expect("the controller can be killed");
        self.child.wait().expect("the controller can be waited for");
    }

    /// Asks it to end, and answers how it did.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    #[track_caller]
    pub fn terminate(mut self) -> ExitStatus {
        command::signal(&self.child, "TERM");
        command::ended(&mut self.child, Duration::from_secs(30)).expect("the controller ends")
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("the end of the controller's log:\n{}", tail(&self.log));
        }
    }
}

/// A port that was free a moment ago, for configuration files that have to name one.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Keeps what the controller prints, and copies it to the log.
fn follow(stdout: ChildStdout, printed: Arc<Mutex<String>>, log: &Path) {
    let mut log = File::options()
        .append(true)
        .open(log)
        .expect("the log can be written");
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let _ = writeln!(log, "{line}");
            let mut printed = printed.lock().expect("nobody panics with it");
            printed.push_str(&line);
            printed.push('\n');
        }
    });
}

/// Waits until the controller has said where it is, and takes connections there.
fn address(
    child: &mut Child,
    printed: &Mutex<String>,
    known: Option<&str>,
) -> Result<String, String> {
    // Someone who ends has nothing more to say: no use waiting for the deadline.
    let look = || {
        if let Some(status) = child.try_wait().expect("the controller can be waited for") {
            return Ok(Err(format!("ended: {status}")));
        }
        let text = printed.lock().expect("nobody panics with it");
        let url = known.map(str::to_owned).or_else(|| find_url(&text));
        let url = url.ok_or("prints no address")?;
        match TcpStream::connect(url.trim_start_matches("https://")) {
            Ok(_) => Ok(Ok(url)),
            Err(_) => Err("takes no connections"),
        }
    };
    wait::until(wait::PATIENCE, look).map_err(str::to_owned)?
}

/// The first address in a text that names a port.
fn find_url(text: &str) -> Option<String> {
    text.split_whitespace()
        .filter(|word| word.starts_with("https://"))
        .map(|word| word.trim_end_matches(['/', '.', ',']))
        .find(|url| {
            url.rsplit(':')
                .next()
                .is_some_and(|port| port.parse::<u16>().is_ok())
        })
        .map(str::to_owned)
}

/// The last lines of a log.
fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_what_is_printed() {
        let text = "controller: https://localhost:40123/\n$ portcullis login https://x:1";
        assert_eq!(find_url(text).as_deref(), Some("https://localhost:40123"));
        assert_eq!(find_url("see https://example.test for more"), None);
        assert_eq!(find_url(""), None);
    }
}
