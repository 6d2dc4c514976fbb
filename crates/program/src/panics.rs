//! Panic hook.

use crate::logging;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::thread;

/// Where a panic is caught and becomes an error; `None` where it does not.
pub type PanicGuard = fn() -> Option<&'static str>;

/// Installs a hook that logs panics.
///
/// Panics that `guard` says are caught are logged at debug level only. If the log is off, other panics are
/// still written to its output: a panic is a bug and must not go unnoticed, nor block on a stuck reader.
pub(crate) fn install_hook(guard: PanicGuard) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if let Some(place) = guard() {
            tracing::debug!("{place} panicked: {panic}");
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
