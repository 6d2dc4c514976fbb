//! Bodies that are read from disk as the client takes them.

use super::folder::{Disk, OpenFile};
use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use portcullis_listener::{ResponseBody, ResponseBodyError};
use std::ops::Range;

/// Bytes that are read at a time, and so in memory for each client.
const CHUNK_BYTES: u64 = 64 * 1024;

/// Streams bytes of a file. If that changes meanwhile, the body breaks off.
pub(super) fn stream(disk: Disk, file: OpenFile, range: Range<u64>) -> ResponseBody {
    let chunks = stream::try_unfold((disk, file, range), next_chunk);
    StreamBody::new(chunks).boxed_unsync()
}

type Rest = (Disk, OpenFile, Range<u64>);

async fn next_chunk(
    (disk, file, range): Rest,
) -> Result<Option<(Frame<Bytes>, Rest)>, ResponseBodyError> {
    if range.is_empty() {
        return Ok(None);
    }
    let end = range.end.min(range.start + CHUNK_BYTES);
    let bytes = disk.read(&file, range.start..end).await?;
    Ok(Some((
        Frame::data(bytes.into()),
        (disk, file, end..range.end),
    )))
}
