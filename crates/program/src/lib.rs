//! What controller and router share as programs: how they log, end, handle signals and panics, give up
//! privileges, talk to the service manager and fail.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `blocking_writer`, `build`, `core_dumps`,
//! `descriptors`, `memory`, `output_format`, `privileges`, `runtime`, `service_manager`, `signals`, `usage`, `output`, `logging`,
//! `panics`, `completion`, `man`, `start`.

mod blocking_writer;
pub mod build;
pub mod completion;
mod core_dumps;
pub mod descriptors;
pub mod logging;
pub mod man;
pub mod memory;
pub mod output;
mod output_format;
mod panics;
pub mod privileges;
mod runtime;
pub mod service_manager;
pub mod signals;
mod start;
pub mod usage;

pub use blocking_writer::BlockingWriter;
pub use output_format::OutputFormat;
pub use panics::PanicGuard;
pub use runtime::block_on;
pub use start::{StartOptions, log_source, start};
