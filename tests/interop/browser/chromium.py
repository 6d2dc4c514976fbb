"""The browser that the tests drive."""

import os
import shutil


def launch(playwright):
    """Starts headless Chromium, for which all names below `example.test` lead to this machine."""
    arguments = ["--host-resolver-rules=MAP *.example.test 127.0.0.1"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    return playwright.chromium.launch(executable_path=program, args=arguments)
