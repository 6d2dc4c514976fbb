//! What controller, router and tunneler share as programs: how they read command lines, log, end, handle signals and
//! panics, give up privileges, talk to the service manager and fail.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `about_help`, `blocking_writer`, `build`, `core_dumps`,
//! `descriptors`, `memory`, `output_format`, `privileges`, `process_args`, `runtime`, `service_manager`, `signals`,
//! `usage`, `output`, `logging`, `panics`, `completion`, `man`, `command_line`, `about`, `start`.

mod about;
mod about_help;
mod blocking_writer;
pub mod build;
mod command_line;
mod completion;
mod core_dumps;
pub mod descriptors;
pub mod logging;
mod man;
pub mod memory;
pub mod output;
mod output_format;
mod panics;
pub mod privileges;
mod process_args;
mod runtime;
pub mod service_manager;
pub mod signals;
mod start;
pub mod usage;

pub use about::AboutCommand;
pub use blocking_writer::BlockingWriter;
pub use command_line::{CommandLine, command};
pub use completion::CompletionArgs;
pub use man::ManArgs;
pub use output_format::OutputFormat;
pub use panics::PanicGuard;
pub use process_args::ProcessArgs;
pub use runtime::block_on;
pub use start::start;
