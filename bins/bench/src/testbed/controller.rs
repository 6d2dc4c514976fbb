//! The controller: a process on a home.

use super::credential::Credential;
use super::link::Endpoint;
use super::process::Process;
use super::request::{self, CLIENT};
use anyhow::{Context as _, bail};
use portcullis_pki::{Certificate, certificates_from_pem};
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// Name of the administrator.
pub(crate) const ADMIN: &str = "admin";
/// Password of the administrator.
pub(crate) const PASSWORD: &str = "correct-horse-battery-1";

/// The longest that a start or an end may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a controller that does not answer yet is asked again.
const RETRY: Duration = Duration::from_millis(1);

/// A program and the home that it is run on.
pub(crate) struct Program {
    path: PathBuf,
    /// The home.
    pub(crate) home: PathBuf,
    log: PathBuf,
    is_log_piped: bool,
    descriptors: Option<u32>,
    /// Where it listens; at 0, the system chooses with each start.
    port: u16,
}

/// A controller that answers.
pub(crate) struct Controller {
    child: Child,
    input: ChildStdin,
    /// What it says.
    lines: mpsc::UnboundedReceiver<String>,
    log: Option<ChildStderr>,
    address: SocketAddr,
    roots: Vec<Certificate>,
    /// From before the start of the process to the first answer.
    pub(crate) start: Duration,
    /// The process.
    pub(crate) process: Process,
}

impl Program {
    /// The program at `path` on the home `name` in `scratch`, which it makes if there is none.
    pub(crate) fn new(path: &Path, scratch: &Path, name: &str) -> Self {
        Self {
            path: path.to_owned(),
            home: scratch.join(name),
            log: scratch.join(format!("{name}.log")),
            is_log_piped: false,
            descriptors: None,
            port: 0,
        }
    }

    /// The same with a log that goes to [`Controller::take_log`] instead of a file.
    pub(crate) fn with_piped_log(self) -> Self {
        Self {
            is_log_piped: true,
            ..self
        }
    }

    /// The same with at most so many open descriptors.
    pub(crate) fn with_descriptors(self, most: u32) -> Self {
        Self {
            descriptors: Some(most),
            ..self
        }
    }

    /// The same at one port, whenever it is started.
    pub(crate) fn with_lasting_port(self) -> anyhow::Result<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Self {
            port: free.local_addr()?.port(),
            ..self
        })
    }

    fn command(&self) -> Command {
        let Some(most) = self.descriptors else {
            return Command::new(&self.path);
        };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &most.to_string()])
            .arg(&self.path);
        shell
    }

    /// Where the log goes. As much is logged as in ordinary service; a terminal would be part of what
    /// is measured.
    fn log(&self) -> anyhow::Result<Stdio> {
        if self.is_log_piped {
            return Ok(Stdio::piped());
        }
        let log = File::options().create(true).append(true).open(&self.log)?;
        Ok(log.into())
    }

    /// Starts it and waits for the first 200 from `/version`.
    pub(crate) async fn start(&self) -> anyhow::Result<Controller> {
        let started = timeout(PATIENCE, self.started()).await;
        match started.context("the controller does not answer") {
            Ok(Ok(controller)) => Ok(controller),
            Ok(Err(error)) | Err(error) => Err(error.context(format!(
                "the controller could not be started; its log:\n{}",
                self.end_of_log()
            ))),
        }
    }

    async fn started(&self) -> anyhow::Result<Controller> {
        let log = self.log()?;
        let begin = Instant::now();
        let mut child = self
            .command()
            // Its memory is measured from outside.
            .args(["--allow-core-dumps", "quickstart"])
            .arg("--home")
            .arg(&self.home)
            .args(["--ctrl-address", "localhost"])
            .args(["--ctrl-port", &self.port.to_string()])
            .args(["--username", ADMIN, "--password", PASSWORD])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be run", self.path.display()))?;
        let process = Process(child.id().context("it ended")?);
        let input = child.stdin.take().context("it has no input")?;
        let output = child.stdout.take().context("it has no output")?;
        let log = child.stderr.take();
        let mut lines = BufReader::new(output).lines();
        let address = address(&mut lines).await?;
        let bundle = fs::read_to_string(self.home.join("ca.pem"))?;
        let roots = certificates_from_pem(&bundle)?;
        let endpoint = Endpoint::new(address, &roots, None)?;
        let version = request::get(&format!("{CLIENT}/version"), None);
        while first_answer(&endpoint, &version).await.is_err() {
            sleep(RETRY).await;
        }
        let start = begin.elapsed();
        // Hardly anybody reads what else it says, but it must be able to say it.
        let (says, said) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let _ = says.send(line);
            }
        });
        Ok(Controller {
            child,
            input,
            lines: said,
            log,
            address,
            roots,
            start,
            process,
        })
    }

    fn end_of_log(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = log.lines().rev().take(10).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }
}

async fn first_answer(endpoint: &Endpoint, request: &[u8]) -> anyhow::Result<()> {
    endpoint.connect().await?.expect(200, request).await?;
    Ok(())
}

/// Reads until an address is told.
async fn address(lines: &mut Lines<impl AsyncBufRead + Unpin>) -> anyhow::Result<SocketAddr> {
    while let Some(line) = lines.next_line().await? {
        if let Some(port) = port(&line) {
            return Ok((Ipv4Addr::LOCALHOST, port).into());
        }
    }
    bail!("it told no address")
}

/// The port of the URL in a line.
fn port(line: &str) -> Option<u16> {
    let (_, authority) = line.split_once("https://")?;
    let (_, rest) = authority.split_once(':')?;
    let digits = rest
        .split(|character: char| !character.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

impl Controller {
    /// Where it is reached, and as whom.
    pub(crate) fn endpoint(&self, client: Option<&Credential>) -> anyhow::Result<Endpoint> {
        self.endpoint_at(self.address, client)
    }

    /// Where something else is reached whose certificate is the network's.
    pub(crate) fn endpoint_at(
        &self,
        address: SocketAddr,
        client: Option<&Credential>,
    ) -> anyhow::Result<Endpoint> {
        Endpoint::new(address, &self.roots, client)
    }

    /// Where it is reached.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Host and port by which it is an issuer of tokens.
    pub(crate) fn authority(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// Its log, if it is piped. Whoever takes it has to read it.
    pub(crate) fn take_log(&mut self) -> Option<ChildStderr> {
        self.log.take()
    }

    /// Gives it a line and waits for one that begins with `beginning`; answers the rest of that.
    pub(crate) async fn ask(&mut self, beginning: &str) -> anyhow::Result<String> {
        self.input.write_all(b"\n").await?;
        self.input.flush().await?;
        let answer = async {
            while let Some(line) = self.lines.recv().await {
                if let Some(rest) = line.strip_prefix(beginning) {
                    return Some(rest.to_owned());
                }
            }
            None
        };
        let answer = timeout(PATIENCE, answer).await.ok().flatten();
        answer.with_context(|| format!("it never said `{beginning}`"))
    }

    /// Ends it in order, or after a while by force.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        let terminate = Command::new("kill")
            .args(["-TERM", &self.process.0.to_string()])
            .status()
            .await;
        if terminate.is_ok_and(|status| status.success())
            && timeout(PATIENCE, self.child.wait()).await.is_ok()
        {
            return Ok(());
        }
        self.kill().await
    }

    /// Ends it by force.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_is_found_in_a_line() {
        assert_eq!(port("Serving at https://localhost:1280"), Some(1280));
        assert_eq!(port("  https://localhost:40123/edge --ca x"), Some(40123));
        assert_eq!(port("http://localhost:1280"), None);
        assert_eq!(port("https://localhost"), None);
    }
}
