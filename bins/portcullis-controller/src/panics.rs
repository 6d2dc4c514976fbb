//! What is said about panics.

use portcullis_storage::guard;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::thread;

/// From now on panics are logged like everything else.
///
/// Those inside the store's engine, and inside the parser of configuration files, are left to the
/// error that they become. Where nothing is logged,
/// the others are printed as usual: a panic is a fault of this program and must not pass unseen.
pub(crate) fn log_them() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if guard::is_guarded() {
            tracing::debug!("the engine of the store panicked: {panic}");
        } else if portcullis_yaml::is_parsing() {
            tracing::debug!("the parser of a configuration file panicked: {panic}");
        } else if tracing::enabled!(tracing::Level::ERROR) {
            log(panic);
        } else {
            usual(panic);
        }
    }));
}

fn log(panic: &PanicHookInfo<'_>) {
    let trace = Backtrace::capture();
    let trace = (trace.status() == BacktraceStatus::Captured).then(|| trace.to_string());
    tracing::error!(
        thread = thread::current().name(),
        place = panic.location().map(ToString::to_string),
        backtrace = trace,
        "a fault of the program: {}",
        panic.payload_as_str().unwrap_or("a panic without a text"),
    );
}
