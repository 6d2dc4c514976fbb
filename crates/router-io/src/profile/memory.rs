//! Where the router's memory was allocated.

use std::error::Error;
use std::ffi::c_void;
use std::ptr;
use std::time::SystemTime;

use portcullis_router::profile::MemoryProfileSettings;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::encode::{Frame, Profile, Sample, encode};
use super::heap_dump::{AllocatingStack, HeapDump};
use super::{ProfileError, keep_written};
use crate::clock::RouterClock;

/// Has the allocator write what is in use, in the format of jemalloc. Programs choose their allocators, so they
/// have the profiler, too.
pub type MemoryProfiler = fn() -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

/// What the names of the allocator's functions have in common, and of those that lead to it.
const ALLOCATOR_NAMES: [&str; 2] = ["_rjem_", "__rust_"];

/// No function of the allocator is deeper.
const ALLOCATOR_DEPTH: usize = 10;

/// This function, whose own memory would be most of a small router's.
const PROFILER_NAME: &str = concat!(module_path!(), "::take");

/// Writes profiles at the interval of the file, and at the end.
pub(crate) fn start(
    settings: MemoryProfileSettings,
    profiler: Option<MemoryProfiler>,
    clock: RouterClock,
    tasks: &TaskTracker,
    stop: CancellationToken,
) {
    let Some(profiler) = profiler else {
        tracing::warn!(
            "`profile.memory` has no effect: this program does not follow its allocations"
        );
        return;
    };
    let take = move || take(profiler, clock).map_err(ProfileError::Memory);
    keep_written(settings.path, settings.interval, take, tasks, stop);
}

fn take(
    profiler: MemoryProfiler,
    clock: RouterClock,
) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let dump = profiler()?;
    let dump = HeapDump::parse(str::from_utf8(&dump)?)?;
    Ok(encode(&profile_of(&dump, clock.timestamp().into()))?)
}

fn profile_of(dump: &HeapDump, time: SystemTime) -> Profile {
    let stacks = dump.stacks.iter().filter(|stack| stack.allocations > 0);
    Profile {
        measures: [("inuse_objects", "count"), ("inuse_space", "bytes")],
        period: dump.interval,
        samples: stacks.filter_map(sample).collect(),
        time,
        duration: None,
    }
}

/// What a stack says; nothing if the memory is the profiler's own.
fn sample(stack: &AllocatingStack) -> Option<Sample> {
    let calls: Vec<_> = stack.addresses.iter().map(|at| frames(*at)).collect();
    let mut functions = calls.iter().flatten().map(|frame| &frame.function);
    if functions.any(|function| function == PROFILER_NAME) {
        return None;
    }
    let allocator = count_allocator(&calls);
    Some(Sample {
        stack: calls.into_iter().skip(allocator).flatten().collect(),
        values: [stack.allocations, stack.bytes],
    })
}

/// The functions at a call, those that were inlined first; `returns_to` is the instruction behind it.
fn frames(returns_to: usize) -> Vec<Frame> {
    let call = ptr::without_provenance_mut::<c_void>(returns_to.saturating_sub(1));
    let mut frames = Vec::new();
    backtrace::resolve(call, |symbol| {
        let name = symbol.name().map(|name| format!("{name:#}"));
        let file = symbol.filename().map(|file| file.to_string_lossy());
        frames.push(Frame {
            function: name.unwrap_or_default(),
            file: file.unwrap_or_default().into_owned(),
            line: symbol.lineno().unwrap_or(0),
        });
    });
    if frames.is_empty() {
        frames.push(Frame {
            function: format!("{returns_to:#x}"),
            file: String::new(),
            line: 0,
        });
    }
    frames
}

/// How many of the first calls lead into the allocator.
fn count_allocator(calls: &[Vec<Frame>]) -> usize {
    let mut first = calls.iter().take(ALLOCATOR_DEPTH);
    let last = first.rposition(|frames| frames.iter().any(is_of_allocator));
    last.map_or(0, |at| at + 1)
}

fn is_of_allocator(frame: &Frame) -> bool {
    let mut names = ALLOCATOR_NAMES.iter();
    names.any(|name| frame.function.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str) -> Vec<Frame> {
        let (function, file) = (function.to_owned(), String::new());
        vec![Frame {
            function,
            file,
            line: 0,
        }]
    }

    #[test]
    fn allocator_is_left_out_of_stacks() {
        let calls = [
            "prof_backtrace_impl",
            "_rjem_je_prof_tctx_create",
            "tcache_alloc_small",
            "__rustc::__rust_alloc_zeroed",
            "alloc::vec::from_elem",
            "portcullis_router::main",
        ];
        assert_eq!(count_allocator(&calls.map(call)), 4);
        assert_eq!(
            count_allocator(&calls[4..].iter().map(|name| call(name)).collect::<Vec<_>>()),
            0
        );
    }

    #[test]
    fn functions_are_named() {
        let mut here = 0;
        backtrace::trace(|frame| {
            here = frame.ip().addr();
            !frames(here)
                .iter()
                .any(|frame| frame.function.ends_with("functions_are_named"))
        });
        let frames = frames(here);
        let line = frames.last().unwrap();
        assert!(line.file.ends_with("memory.rs"), "{line:?}");
        assert!(line.line > 0, "{line:?}");
        assert_eq!(self::frames(1), call("0x1"));
    }
}
