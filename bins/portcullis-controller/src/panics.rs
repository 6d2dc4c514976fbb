//! Panic hook.

use crate::logging;
use portcullis_storage_redb::guard;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::thread;

/// Installs a hook that logs panics.
///
/// Panics inside the store's engine and the parser of configuration files become errors, so they are
/// logged at debug level only. If the log is off, other panics are still written to its output: a panic
/// is a bug and must not go unnoticed, nor block on a stuck reader.
pub(crate) fn install_hook() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if guard::is_guarded() {
            tracing::debug!("the engine of the store panicked: {panic}");
        } else if portcullis_yaml::is_parsing() {
            tracing::debug!("the parser of a configuration file panicked: {panic}");
        } else if tracing::enabled!(tracing::Level::ERROR) {
            log(panic);
        } else if !logging::write_line(&panic_line(panic)) {
            usual(panic);
        }
    }));
}

fn panic_line(panic: &PanicHookInfo<'_>) -> String {
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
