//! Why a server cannot be reached, as controllers are told.

use std::io;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use portcullis_e2e_encryption::KeyExchangeError;
use portcullis_memory_budget::Shortage;
use portcullis_router::address::AddressError;
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::PeerData;
use rustix::io::Errno;

use crate::encryption::NoEncryption;
use crate::name_lookups::LookupError;
use crate::routes::DialFailure;

/// A server was not reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreached {
    #[error("its address cannot be dialed: {0}")]
    Address(#[from] AddressError),
    #[error("its host name cannot be resolved: {0}")]
    Unresolved(io::Error),
    #[error("too many host names are being looked up")]
    TooManyLookups,
    #[error("its host has no address of the kind that is wanted")]
    NoAddress,
    #[error("it cannot be connected to: {0}")]
    Unconnected(io::Error),
    #[error("TLS cannot be negotiated with it: {0}")]
    Untrusted(io::Error),
    #[error("it did not answer in time")]
    TimedOut,
    #[error("the dialing end's key for encryption cannot be used: {0}")]
    Key(KeyExchangeError),
    #[error("there is no randomness for encryption")]
    Entropy,
    #[error(transparent)]
    NoMemory(#[from] Shortage),
}

/// A dial whose failure is told to a controller.
pub(super) fn reported(
    destination: String,
    dialing: impl Future<Output = Result<PeerData, Unreached>> + Send + 'static,
) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
    let told =
        dialing.map(move |dialed| dialed.map_err(|unreached| unreached.into_failure(&destination)));
    told.boxed()
}

impl From<NoEncryption> for Unreached {
    fn from(error: NoEncryption) -> Self {
        match error {
            NoEncryption::Key(error) => Self::Key(error),
            NoEncryption::Entropy(_) => Self::Entropy,
        }
    }
}

impl From<LookupError> for Unreached {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::TooMany => Self::TooManyLookups,
            LookupError::Failed(error) => Self::Unresolved(error),
        }
    }
}

impl Unreached {
    /// What a controller is told about a terminator's address.
    fn into_failure(self, destination: &str) -> DialFailure {
        DialFailure {
            reason: format!("`{}`: {self}", destination.escape_debug()),
            failure: self.failure(),
        }
    }

    pub(super) fn failure(&self) -> RouteFailure {
        match self {
            Self::Address(_) => RouteFailure::MisconfiguredTerminator,
            Self::Unresolved(_) | Self::NoAddress => RouteFailure::DnsResolutionFailed,
            Self::Unconnected(error) | Self::Untrusted(error) => failure_of(error),
            Self::TimedOut => RouteFailure::DialTimedOut,
            Self::Key(_) => RouteFailure::Generic,
            Self::Entropy | Self::TooManyLookups | Self::NoMemory(_) => {
                RouteFailure::ResourcesNotAvailable
            },
        }
    }
}

fn failure_of(error: &io::Error) -> RouteFailure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => return RouteFailure::ConnectionRefused,
        io::ErrorKind::TimedOut => return RouteFailure::DialTimedOut,
        _ => {},
    }
    match Errno::from_io_error(error) {
        Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
            RouteFailure::ResourcesNotAvailable
        },
        _ => RouteFailure::Generic,
    }
}
