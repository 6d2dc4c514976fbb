//! Memory that OpenZiti takes in one piece for what waits.

use portcullis_yaml::{Field, Node, Section};

use crate::codes;
use crate::openziti::loader::Loader;
use crate::openziti::value;

/// Places of 8 bytes for which there is memory: 16 GiB. How much there is depends on the machine; the
/// one on which OpenZiti was watched did not have 32 GiB.
const LARGEST_QUEUE: i64 = 1 << 31;

/// Checks that there is room for a queue.
pub(super) fn queue(loader: &mut Loader<'_>, field: &Field<'_>, size: i64) {
    if size > LARGEST_QUEUE {
        let message = format!("there is not enough memory for a queue of size {size}");
        loader.crash(field, codes::OUT_OF_BOUNDS, message);
    }
}

/// Checks the workers that accept the connections of a link or ctrl listener. Their numbers are cut to
/// 32 bits without a sign; `read` gives those that count.
pub(super) fn workers(
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
        queue(loader, &field, size);
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
