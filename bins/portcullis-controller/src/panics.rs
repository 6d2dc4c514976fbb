//! What is said about panics.

use crate::logging;
use portcullis_storage::guard;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::thread;

/// From now on panics are logged like everything else.
///
/// Those inside the store's engine, and inside the parser of configuration files, are left to the
/// error that they become. Where nothing is logged, the others are written to where the log would go:
/// a panic is a fault of this program and must not pass unseen, nor wait for a reader that is stuck.
pub(crate) fn log_them() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if guard::is_guarded() {
            tracing::debug!("the engine of the store panicked: {panic}");
        } else if portcullis_yaml::is_parsing() {
            tracing::debug!("the parser of a configuration file panicked: {panic}");
        } else if tracing::enabled!(tracing::Level::ERROR) {
            log(panic);
        } else if !logging::write_line(&spoken(panic)) {
            usual(panic);
        }
    }));
}

/// A panic in one line.
fn spoken(panic: &PanicHookInfo<'_>) -> String {
    let thread = thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    format!("thread '{name}' {panic}").replace('\n', " ")
}

fn log(panic: &PanicHookInfo<'_>) {
    let trace = Backtrace::capture();
    let trace = (trace.status() == BacktraceStatus::Captured).then(|| trace.to_string());
    tracing::error!(
        thread = thread::current().name(),
        place = panic.location().map(ToString::to_string),
        backtrace = trace,
        "internal error: {}",
        panic.payload_as_str().unwrap_or("a panic without a text"),
    );
}
