//! Queues that OpenZiti allocates at once.

use portcullis_yaml::{Field, Node, Section};

use crate::codes;
use crate::openziti::loader::Loader;
use crate::openziti::value;

/// Maximum number of 8-byte entries, 16 GiB. The real limit depends on the machine; the one on which
/// OpenZiti was observed did not have 32 GiB.
const MAX_QUEUE_LEN: i64 = 1 << 31;

/// Checks that there is enough memory for a queue.
pub(super) fn check_queue(loader: &mut Loader<'_>, field: &Field<'_>, size: i64) {
    if size > MAX_QUEUE_LEN {
        let message = format!("there is not enough memory for a queue of size {size}");
        loader.crash(field, codes::OUT_OF_BOUNDS, message);
    }
}

/// Checks the workers that accept connections of a link or ctrl listener. Their numbers are truncated
/// to unsigned 32-bit integers; `read` parses them.
pub(super) fn check_workers(
    loader: &mut Loader<'_>,
    listener: &Section<'_>,
    read: fn(&Node) -> Option<i64>,
) -> bool {
    let options = listener.get("options").and_then(|field| field.as_section());
    let number = |name: &str| {
        let field = options.as_ref()?.get(name)?;
        let number = i64::from(value::low32(read(field.node())?));
        Some((field, number))
    };
    let known = loader.findings.len();
    if let Some((field, size)) = number("maxQueuedConnects") {
        check_queue(loader, &field, size);
    }
    if let Some((field, most)) = number("maxOutstandingConnects")
        && !(1..=i64::from(i32::MAX)).contains(&most)
    {
        let message = format!(
            "`{}` is taken modulo 2^32 and must then be from 1 to {}",
            field.path(),
            i32::MAX
        );
        loader.crash(&field, codes::OUT_OF_BOUNDS, message);
    }
    loader.findings.len() == known
}
