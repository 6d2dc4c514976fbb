//! What routers say of their insides when they are asked.

use portcullis_domain::ids::RouterId;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// An answer that is awaited. It may be dropped.
pub type InspectionFuture =
    Pin<Box<dyn Future<Output = Result<RouterAnswer, InspectionError>> + Send>>;

/// Looks into routers that are connected, and into what the controller keeps for them.
pub trait NetworkInspection: Send + Sync {
    /// Asks a router for values by their names, such as `links` or `circuit:<id>`. It has this much
    /// time; when its channel ends, the answer is there at once.
    fn inspect_router(
        &self,
        router: &RouterId,
        names: &Arc<[String]>,
        within: Duration,
    ) -> InspectionFuture;

    /// A value of the controller itself, which is text or JSON; `None` if there is none with this
    /// name, in lower case. It may take a while.
    ///
    /// # Errors
    ///
    /// Why the value cannot be shown, for people.
    fn own_value(&self, name: &str) -> Result<Option<String>, String>;
}

/// What a router answers, as it says it: names may be missing or be other ones, and values may have
/// tokens in them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RouterAnswer {
    /// Values, text or JSON, by their names.
    pub values: Vec<(String, String)>,
    /// Texts for people: why values are missing.
    pub errors: Vec<String>,
}

/// Why a router does not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InspectionError {
    #[error("the router is not connected")]
    NotConnected,
    #[error("the router was disconnected before it answered")]
    Disconnected,
    #[error("the router has not answered in time")]
    TimedOut,
    /// Its channel is full of other messages.
    #[error("the router takes no questions at the moment")]
    Busy,
    #[error("the question cannot be sent: {0}")]
    Unsendable(String),
    #[error("the router's answer cannot be read: {0}")]
    Unreadable(String),
}

/// No router was ever connected.
pub(crate) struct NoRouters;

impl NetworkInspection for NoRouters {
    fn inspect_router(
        &self,
        _router: &RouterId,
        _names: &Arc<[String]>,
        _within: Duration,
    ) -> InspectionFuture {
        Box::pin(std::future::ready(Err(InspectionError::NotConnected)))
    }

    fn own_value(&self, _name: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

impl std::fmt::Debug for RouterAnswer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.values.iter().map(|(name, _)| name).collect();
        formatter
            .debug_struct("RouterAnswer")
            .field("values", &names)
            .field("errors", &self.errors)
            .finish()
    }
}
