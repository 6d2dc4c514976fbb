//! What edge routers and transit routers have in common.

mod members;
mod state;
mod token;

pub(crate) use members::{RouterArgs, SwitchArgs, SwitchChangeArgs};
pub(crate) use state::State;
pub(crate) use token::{Enrolling, Step, create, deliver, show};
