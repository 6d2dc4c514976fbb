"""Logs in at an address in headless Chromium, as a person whom a program has sent there.

Arguments: address, username, password. Writes the text of the page at which the browser ends.
"""

import sys

from playwright.sync_api import sync_playwright

import chromium

url, username, password = sys.argv[1:]
with sync_playwright() as playwright:
    browser = chromium.launch(playwright)
    page = browser.new_context(ignore_https_errors=True).new_page()
    page.goto(url)
    page.fill("input[name=username]", username)
    page.fill("input[name=password]", password)
    page.keyboard.press("Enter")
    page.wait_for_url("http://127.0.0.1:*/auth/callback?*")
    print(page.inner_text("p"))
    browser.close()
