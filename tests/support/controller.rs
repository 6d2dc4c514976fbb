//! Controllers as separate processes.

use crate::binaries;
use crate::command::{self, CommandOutput};
use crate::test_directory::TestDirectory;
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

/// Number of log lines shown by a failing test.
const SHOWN_LOG_LINES: usize = 60;

/// Host and port of `quickstart`, which its options override.
const ADDRESS: &str = "ZITI_CTRL_EDGE_ADVERTISED_ADDRESS";
const PORT: &str = "ZITI_CTRL_EDGE_ADVERTISED_PORT";

/// Builder of a controller process.
#[derive(Debug)]
pub struct ControllerBuilder<'s> {
    site: &'s TestDirectory,
    command: Command,
    url: Option<String>,
    errors: Option<Stdio>,
}

impl<'s> ControllerBuilder<'s> {
    pub(crate) fn quickstart(site: &'s TestDirectory) -> Self {
        let mut launch = Self::temporary(site);
        launch.command.arg("--home").arg(site.home());
        launch
    }

    pub(crate) fn temporary(site: &'s TestDirectory) -> Self {
        Self::new(site)
            .with(["quickstart"])
            .environment(ADDRESS, "localhost")
            .environment(PORT, "0")
    }

    pub(crate) fn run(site: &'s TestDirectory, config: &Path) -> Self {
        let mut launch = Self::new(site);
        launch.command.arg("run").arg(config);
        launch
    }

    fn new(site: &'s TestDirectory) -> Self {
        let mut command = Command::new(binaries::controller());
        command
            .env_remove("ZITI_USER")
            .env_remove("ZITI_PWD")
            .env_remove(ADDRESS)
            .env_remove(PORT)
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

    /// Sets an environment variable.
    #[must_use]
    pub fn environment(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the URL of the controller, for starts that do not print it.
    #[must_use]
    pub fn at(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    /// Writes the log to `stream` instead of a file.
    #[must_use]
    pub fn errors_to(mut self, stream: impl Into<Stdio>) -> Self {
        self.errors = Some(stream.into());
        self
    }

    /// Starts the controller and waits until it accepts connections.
    ///
    /// # Panics
    ///
    /// If it ends, or does not accept connections in time.
    #[track_caller]
    pub fn start(mut self) -> Controller {
        let log = self.site.log();
        let mut child = self.spawn(&log);
        let printed = Arc::new(Mutex::new(String::new()));
        let stdout = child.stdout.take().expect("the output is piped");
        capture_output(stdout, printed.clone(), &log);
        let url =
            wait_for_url(&mut child, &printed, self.url.as_deref()).unwrap_or_else(|problem| {
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

    /// Runs a controller that is expected to fail.
    #[track_caller]
    pub fn run_expecting_failure(mut self) -> CommandOutput {
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

/// A running controller; killed on drop.
#[derive(Debug)]
pub struct Controller {
    child: Child,
    url: String,
    home: PathBuf,
    log: PathBuf,
    printed: Arc<Mutex<String>>,
}

impl Controller {
    /// Base URL on this computer, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn host_port(&self) -> &str {
        self.url.trim_start_matches("https://")
    }

    /// Opens a TCP connection to it, without TLS.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(self.host_port()).expect("the controller takes connections")
    }

    /// File with its CA certificates.
    pub fn ca(&self) -> PathBuf {
        self.home.join("ca.pem")
    }

    /// The administrator's password.
    pub fn password(&self) -> String {
        let text = fs::read_to_string(self.home.join("admin-password"));
        text.expect("the password was written").trim().to_owned()
    }

    /// Standard output so far.
    pub fn printed(&self) -> String {
        self.printed.lock().expect("nobody panics with it").clone()
    }

    /// Process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill().expect("the controller can be killed");
        self.child.wait().expect("the controller can be waited for");
    }

    /// Sends SIGTERM, and returns the exit status.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    #[track_caller]
    pub fn terminate(mut self) -> ExitStatus {
        command::signal(&self.child, "TERM");
        command::wait_for_exit(&mut self.child, Duration::from_secs(30))
            .expect("the controller ends")
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

/// A port that was free a moment ago, for configuration files that need a fixed one.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Captures the controller's standard output, and copies it to the log.
fn capture_output(stdout: ChildStdout, printed: Arc<Mutex<String>>, log: &Path) {
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

/// Waits until the controller has printed its URL, and accepts connections there.
fn wait_for_url(
    child: &mut Child,
    printed: &Mutex<String>,
    known: Option<&str>,
) -> Result<String, String> {
    // A controller that has ended will print nothing more, so there is no need to wait.
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
    wait::until(wait::DEFAULT_TIMEOUT, look).map_err(str::to_owned)?
}

/// The first URL in a text that includes a port, with the name of this computer in place of the host: not every
/// name that a controller goes by leads to it.
fn find_url(text: &str) -> Option<String> {
    text.split_whitespace()
        .filter(|word| word.starts_with("https://"))
        .map(|word| word.trim_end_matches(['/', '.', ',']))
        .find_map(|url| url.rsplit(':').next()?.parse::<u16>().ok())
        .map(|port| format!("https://localhost:{port}"))
}

/// The last lines of a log.
fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LOG_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_what_is_printed() {
        let text = "controller: https://ctrl.example.test:40123/\n$ portcullis login https://x:1";
        assert_eq!(find_url(text).as_deref(), Some("https://localhost:40123"));
        assert_eq!(find_url("see https://example.test for more"), None);
        assert_eq!(find_url(""), None);
    }
}
