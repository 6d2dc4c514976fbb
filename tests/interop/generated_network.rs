//! A network that stays: from `config generate` to a login.

use std::path::Path;
use std::process::Command;
use support::controller::free_port;
use support::{TestDirectory, binaries, run};

const PASSWORD: &str = "correct horse battery";

fn controller(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(binaries::controller());
    command.args(arguments).current_dir(directory);
    run(&mut command).success().text()
}

#[test]
fn generated_network_is_checked_initialized_served_and_used() {
    let site = TestDirectory::new();
    let (work, home) = (site.work(), site.home());
    let (port, ctrl_port) = (free_port(), free_port());
    let directory = home.to_str().unwrap();
    let [api, routers] = [port, ctrl_port].map(|port| port.to_string());
    let ports = ["--port", &api, "--ctrl-port", &routers];
    let generate = [
        "config",
        "generate",
        "--address",
        "localhost",
        "--dir",
        directory,
    ];
    let made = controller(&work, &[&generate[..], &ports].concat());
    assert!(made.contains("CA SHA-256"), "{made}");

    let config = home.join("controller.yml");
    let file = config.to_str().unwrap();
    let checked = controller(&work, &["config", "check", file]);
    assert!(checked.contains("no mistakes"), "{checked}");
    controller(&work, &["init", file, "-u", "admin", "-p", PASSWORD]);

    let url = format!("https://localhost:{port}");
    let serving = site.run(&config).at(&url).start();
    let cli = |arguments: &[&str]| {
        let mut command = Command::new(binaries::cli());
        command
            .args(arguments)
            .current_dir(&work)
            .env("HOME", &work)
            .env("PORTCULLIS_CONFIG_DIR", work.join("profiles"))
            .env("PORTCULLIS_PASSWORD", PASSWORD);
        run(&mut command).success().text()
    };
    let ca = home.join("ca.pem");
    cli(&[
        "login",
        serving.url(),
        "--username",
        "admin",
        "--ca",
        ca.to_str().unwrap(),
    ]);
    let list = cli(&["identity", "list"]);
    assert!(list.contains("admin"), "{list}");
}
