//! What the process does.

use super::{CHAIN, KEY, tls};
use anyhow::Context as _;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use portcullis_pki::{SigningKey, certificates_from_pem};
use std::convert::Infallible;
use std::fs;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::path::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Largest answer of the echo.
static ANSWER: [u8; 64 * 1024] = [b'x'; 64 * 1024];

/// Serves with the certificate in `directory` until the standard input ends, which it does with
/// the process that holds its other end.
pub(in crate::bench) async fn serve(directory: &Path) -> anyhow::Result<()> {
    let chain = certificates_from_pem(&fs::read_to_string(directory.join(CHAIN))?)?;
    let chain = chain
        .iter()
        .map(|certificate| certificate.as_rustls().clone());
    let key = SigningKey::from_pem(&fs::read_to_string(directory.join(KEY))?)?;
    let acceptor = TlsAcceptor::from(tls::config(chain.collect(), key.to_rustls()?)?);
    let greeter = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let echo = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}\n{}", greeter.local_addr()?, echo.local_addr()?)?;
        out.flush()?;
    }
    tokio::spawn(accept(greeter, acceptor.clone(), greet));
    tokio::spawn(accept(echo, acceptor, answer));
    let mut parent = tokio::io::stdin();
    parent
        .read(&mut [0; 1])
        .await
        .context("the standard input cannot be read")?;
    Ok(())
}

/// Shakes hands with every client and leaves the connection to `then`.
async fn accept<F>(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    then: fn(TlsStream<TcpStream>) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            if stream.set_nodelay(true).is_ok()
                && let Ok(stream) = acceptor.accept(stream).await
            {
                then(stream).await;
            }
        });
    }
}

/// Says one byte: by then the client's proof has been checked. Then waits for the end.
async fn greet(mut stream: TlsStream<TcpStream>) {
    let said = async {
        stream.write_all(b"!").await?;
        stream.flush().await?;
        stream.read(&mut [0; 1]).await
    };
    // A client that has gone away is no matter of this server's.
    let _ = said.await;
}

/// Answers HTTP/1.1 as long as the client asks.
async fn answer(stream: TlsStream<TcpStream>) {
    let service = service_fn(|request: Request<Incoming>| async move {
        let wanted = request.uri().path().trim_start_matches('/').parse().ok();
        let body = wanted.and_then(|length: usize| ANSWER.get(..length));
        let body = Bytes::from_static(body.unwrap_or_default());
        Ok::<_, Infallible>(Response::new(Full::new(body)))
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let _ = connection.await;
}
