//! Options, times and limits.

use crate::upstream::Upstream;
use std::str::FromStr;
use std::time::Duration;

/// Options of a name server. Each names its key among the options of the router's tunnel, if it has one.
///
/// Worst-case memory: about 1 KiB for each of `max_lookups`, and 500 bytes for each of `max_waiting`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameServerOptions {
    /// How long clients may remember an address; whole seconds. When a service goes, its names keep leading
    /// clients to addresses of the tunneler for that long. A minute costs each client a query a minute.
    pub ttl: Duration,
    /// `dnsUpstream`: who is asked for other names.
    pub upstreams: Vec<Upstream>,
    /// `dnsUpstreamMode`.
    pub order: UpstreamOrder,
    /// `dnsUnanswerable`: what is said about other names if nobody can be asked.
    pub unanswerable: Unanswerable,
    /// How long an upstream has to answer before the next one is asked, or all are asked again.
    pub attempt_timeout: Duration,
    /// How long a client waits for upstreams. The usual programs wait for five seconds, and then ask again.
    pub timeout: Duration,
    /// Different questions that upstreams are asked at a time.
    pub max_lookups: usize,
    /// Queries that wait for upstreams.
    pub max_waiting: usize,
    /// Queries of one address that wait for upstreams.
    pub max_waiting_of_client: usize,
}

/// In which order upstreams are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UpstreamOrder {
    /// All at a time; the first good answer counts.
    #[default]
    Parallel,
    /// One after the other, beginning with the first.
    Serial,
    /// One after the other, beginning with the one that answered last.
    Failover,
    /// One after the other, in a new random order for each question.
    Random,
}

/// What is said about names that nobody can be asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unanswerable {
    /// The client should ask another server: REFUSED.
    #[default]
    Refused,
    /// SERVFAIL.
    ServerFailure,
    /// `timeout`: nothing.
    Silence,
}

/// The word is none of those that the option may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be {expected}, not {word:?}")]
pub struct WordError {
    expected: &'static str,
    word: String,
}

impl Default for NameServerOptions {
    fn default() -> Self {
        Self {
            ttl: Duration::from_mins(1),
            upstreams: Vec::new(),
            order: UpstreamOrder::default(),
            unanswerable: Unanswerable::default(),
            attempt_timeout: Duration::from_millis(1_500),
            timeout: Duration::from_secs(4),
            max_lookups: 1_024,
            max_waiting: 4_096,
            max_waiting_of_client: 1_024,
        }
    }
}

impl FromStr for UpstreamOrder {
    type Err = WordError;

    /// The words of `dnsUpstreamMode`, in any case.
    fn from_str(word: &str) -> Result<Self, WordError> {
        match word.to_lowercase().trim() {
            "" | "parallel" => Ok(Self::Parallel),
            "serial" => Ok(Self::Serial),
            "failover" => Ok(Self::Failover),
            "random" => Ok(Self::Random),
            _ => Err(WordError {
                expected: "`parallel`, `serial`, `failover` or `random`",
                word: word.to_owned(),
            }),
        }
    }
}

impl FromStr for Unanswerable {
    type Err = WordError;

    /// The words of `dnsUnanswerable`, in any case.
    fn from_str(word: &str) -> Result<Self, WordError> {
        match word.to_lowercase().as_str() {
            "" | "refused" => Ok(Self::Refused),
            "servfail" => Ok(Self::ServerFailure),
            "timeout" => Ok(Self::Silence),
            _ => Err(WordError {
                expected: "`refused`, `servfail` or `timeout`",
                word: word.to_owned(),
            }),
        }
    }
}
