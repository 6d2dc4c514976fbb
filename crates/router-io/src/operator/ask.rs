//! Asking a router that runs on this computer.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::order::{Order, socket_path};

/// How long an order may take: renewing certificates takes longest.
const PATIENCE: Duration = Duration::from_secs(90);

/// No answer is longer, in bytes.
const MAX_ANSWER: u64 = 64 << 10;

/// An order was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    #[error("no router that runs with this file takes orders at {}", .0.display())]
    NoRouter(PathBuf),
    #[error("{} does not exist; name the file that the router runs with", .0.display())]
    NoFile(PathBuf),
    #[error("the router cannot be asked at {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the router has not said what has become of it")]
    NoAnswer,
    /// What the router says about it.
    #[error("{0}")]
    Failed(String),
}

/// Asks something of the router that runs with this file on this computer, and waits until it is done. Returns
/// what the router says about it.
///
/// # Errors
///
/// [`OrderError`].
pub fn ask(config_file: &Path, order: Order) -> Result<String, OrderError> {
    let path = socket_path(config_file);
    let answer = exchange(&path, order).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if !config_file.exists() => {
            OrderError::NoFile(config_file.to_owned())
        },
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
            OrderError::NoRouter(path.clone())
        },
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => OrderError::NoAnswer,
        _ => OrderError::Io {
            path: path.clone(),
            source,
        },
    })?;
    match answer.split_once(' ') {
        Some(("done", text)) => Ok(text.to_owned()),
        Some(("failed", text)) => Err(OrderError::Failed(text.to_owned())),
        _ => Err(OrderError::NoAnswer),
    }
}

fn exchange(path: &Path, order: Order) -> io::Result<String> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{}", order.as_str())?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER).read_to_string(&mut answer)?;
    Ok(answer)
}
