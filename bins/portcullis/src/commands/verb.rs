//! Commands that need a session.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use std::convert::Infallible;

/// A parsed command that needs a session.
pub(crate) trait Verb {
    /// Rejects contradictory arguments.
    fn check(&self, _output: Output) -> Result<(), CliError> {
        Ok(())
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError>;
}

impl Verb for Infallible {
    async fn run(self, _context: &Context, _session: &Session) -> Result<(), CliError> {
        match self {}
    }
}

impl<V: Verb> Verb for Box<V> {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.as_ref().check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        (*self).run(context, session).await
    }
}

/// Implements [`Verb`] for an enum by its variants.
macro_rules! delegate_verbs {
    ($command:ty: $($variant:ident),+ $(,)?) => {
        impl $crate::commands::verb::Verb for $command {
            fn check(
                &self,
                output: $crate::output::Output,
            ) -> Result<(), $crate::error::CliError> {
                match self {
                    $(Self::$variant(verb) => verb.check(output),)+
                }
            }

            async fn run(
                self,
                context: &$crate::context::Context,
                session: &$crate::context::Session,
            ) -> Result<(), $crate::error::CliError> {
                match self {
                    $(Self::$variant(verb) => verb.run(context, session).await,)+
                }
            }
        }
    };
}

pub(crate) use delegate_verbs;
