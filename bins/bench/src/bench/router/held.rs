//! Streams to a server that are open and carry nothing. Each takes a port of the server's, and descriptors.

use super::server::ECHO;
use super::way::{Way, Ways};
use crate::bench::plan::say;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::scale::Scale;
use crate::testbed::statistics::float;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use std::net::Ipv4Addr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const AT_A_TIME: usize = 16;

/// Measures what they take in both processes of a way together, by this name.
pub(in crate::bench) async fn measure(
    ways: &Ways,
    name: &'static str,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let ours = each(ways.ours, scale).await?;
    report.add(Figure::new(ways.name(name), ours, Unit::Bytes));
    if let Some(way) = ways.others {
        match each(way, scale).await {
            Ok(others) => report.add(Figure::new("  of other routers", others, Unit::Bytes)),
            // They are not what is measured.
            Err(error) => say(&format!("not the circuits of the other routers: {error}"))?,
        }
    }
    Ok(())
}

async fn each(way: Way, scale: Scale) -> anyhow::Result<f64> {
    let before = way.resident().await?;
    let opening = (0..scale.streams).map(|number| open(way, number));
    let streams: Vec<TcpStream> = stream::iter(opening)
        .buffer_unordered(AT_A_TIME)
        .try_collect()
        .await?;
    let after = way.resident().await?;
    Ok(float(after.saturating_sub(before)) / float(u64::try_from(streams.len())?))
}

/// Opens one, and sees that it works.
async fn open(way: Way, number: u32) -> anyhow::Result<TcpStream> {
    // An address has some ten thousand ports.
    let host = u8::try_from(number / 8_192)?;
    let mut stream = way.connect_from(Ipv4Addr::new(127, 0, 1, host)).await?;
    stream.write_all(&[ECHO, b'.']).await?;
    stream.read_u8().await?;
    Ok(stream)
}
