//! Profiles of the program's memory, which its allocator keeps.

use anyhow::{Context as _, anyhow};
use jemalloc_pprof::PROF_CTL;
use std::env;
use std::error::Error;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Where the allocator looks for its options, once, before anything is allocated.
const OPTIONS_VARIABLE: &str = "_RJEM_MALLOC_CONF";

/// A stack is kept for one allocation in 512 KiB on average, as Go does.
const OPTIONS: &str = "prof:true,lg_prof_sample:19";

/// Has the allocator follow allocations. It can begin only with the first one, so the program is started once more,
/// as the same process.
pub(crate) fn begin() -> anyhow::Result<()> {
    if PROF_CTL.is_some() {
        return Ok(());
    }
    let options = match env::var(OPTIONS_VARIABLE) {
        Ok(options) if options.contains(OPTIONS) => {
            return Err(anyhow!("the allocator keeps no profile in this build"));
        },
        // The last one counts, so operators can have it their way.
        Ok(options) if !options.is_empty() => format!("{OPTIONS},{options}"),
        _ => OPTIONS.to_owned(),
    };
    let program = env::current_exe().context("the program does not find its own file")?;
    let mut arguments = env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    let error = again.args(arguments).env(OPTIONS_VARIABLE, options).exec();
    Err(error).context("the program cannot start itself once more")
}

/// What is in use now, by where it was allocated, as the allocator writes it.
pub(crate) fn take() -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let profiler = PROF_CTL.as_ref().ok_or("the allocator keeps no profile")?;
    let mut dump = Vec::new();
    profiler.blocking_lock().dump()?.read_to_end(&mut dump)?;
    Ok(dump)
}
