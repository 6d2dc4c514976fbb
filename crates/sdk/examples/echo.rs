//! A service that sends back what it gets, and a program that asks it something.
//!
//! ```sh
//! cargo run -p portcullis-sdk --example echo -- listen server.json echo
//! cargo run -p portcullis-sdk --example echo -- dial client.json echo "Is anybody there?"
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_sdk::Context;
use std::error::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, identity, service, rest @ ..] = &arguments[..] else {
        return Err("give `listen` or `dial`, an identity file, and the name of a service".into());
    };
    let context = Context::open(identity).await?;
    if mode == "dial" {
        let mut stream = context.connect(service).await?;
        stream.write_all(rest.join(" ").as_bytes()).await?;
        stream.shutdown().await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        println!("{answer}");
        context.close().await;
        return Ok(());
    }
    let mut listener = context.listen(service).await?;
    loop {
        let (mut reader, mut writer) = listener.accept().await?.into_split();
        tokio::spawn(async move { copy(&mut reader, &mut writer).await });
    }
}
