//! Why connections cannot be intercepted.

use std::io;
use std::net::SocketAddr;

/// Connections cannot be intercepted, or not as was asked for.
#[derive(Debug, thiserror::Error)]
pub enum InterceptError {
    #[error(
        "the program `{program}` is needed, but not installed; Debian has it in the package {package}"
    )]
    MissingProgram {
        program: &'static str,
        package: &'static str,
    },
    #[error("the capability CAP_NET_ADMIN is needed, which this process does not have")]
    NoRights,
    #[error("the kernel has to have nf_tables with its modules tproxy, fib and ct: {0}")]
    Kernel(String),
    #[error("there is no network interface {0:?}")]
    NoInterface(String),
    #[error("`{program}` has failed: {reason}")]
    Program {
        program: &'static str,
        reason: String,
    },
    #[error("cannot {what}: {reason}")]
    Socket {
        what: &'static str,
        reason: io::Error,
    },
    #[error(
        "the name server cannot have the address {address}: {reason}; another address or port may be free"
    )]
    NameServer {
        address: SocketAddr,
        reason: io::Error,
    },
    /// Its thread has ended, which it does when it is [stopped](crate::Interceptor::stop).
    #[error("nothing is intercepted any more")]
    Stopped,
}
