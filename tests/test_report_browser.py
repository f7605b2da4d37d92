"""``kcfg report`` in a real browser: within its width, nothing fetched, no text over another."""

from __future__ import annotations

import html as escaping
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from reported import SETS

from kcfg.cli.pictures.html import page

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
DARK = "--blink-settings=preferredColorScheme=0"
WIDTHS = (400, 1280)

# The report stands in a frame of each width; what is measured is left in the page.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><body>%s<pre id="measured"></pre><script>
function boxes(inside, selector) {
  return [...inside.querySelectorAll(selector)].map(e => [e.textContent, e.getBoundingClientRect()])
}
function over(found) {
  const pairs = []
  for (let i = 0; i < found.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [found[i][1], found[j][1]]
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
    if (across > 0.5 && down > 2) pairs.push([found[i][0], found[j][0]])
  }
  return pairs
}
function look(frame) {
  const page = frame.contentDocument, root = page.documentElement
  const folded = root.scrollWidth
  for (const each of page.querySelectorAll("details")) each.open = true
  const style = frame.contentWindow.getComputedStyle(page.body)
  const loose = [...page.querySelectorAll("main *")].filter(e =>
    !e.parentElement.closest(".wide, pre"))
  const outside = loose.filter(e => e.getBoundingClientRect().right > root.clientWidth + 1)
  return {
    width: root.clientWidth, folded: folded, open: root.scrollWidth,
    outside: outside.map(e => e.outerHTML.slice(0, 80)),
    overlapping: over(boxes(page, "svg text")), texts: boxes(page, "svg text").length,
    ground: style.backgroundColor, colour: style.color,
    fetched: frame.contentWindow.performance.getEntriesByType("resource").length,
    explained: page.querySelectorAll(".why").length
  }
}
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map(look)
  document.getElementById("measured").textContent = JSON.stringify(found)
})
</script>"""


def measure(text: str, folder: Path, *flags: str) -> list[dict[str, object]]:
    """What a browser makes of a document at every width."""
    assert BROWSER is not None
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:900px" '
        f'srcdoc="{escaping.escape(text)}"></iframe>'
        for width in WIDTHS
    )
    harness = folder / "harness.html"
    harness.write_text(HARNESS % frames, encoding="utf-8")
    command = [BROWSER, *FLAGS, *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [*command, harness.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r'<pre id="measured">(.+?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    measured: list[dict[str, object]] = json.loads(escaping.unescape(found[1]))
    return measured


@pytest.mark.skipif(BROWSER is None, reason="no chromium found")
@pytest.mark.parametrize(
    ("name", "scheme"),
    [("fa4", "light"), ("two-mla", "light"), ("kernels", "dark"), ("refused", "dark")],
)
def test_a_browser_shows_it_within_its_width(name: str, scheme: str, tmp_path: Path) -> None:
    text = page.document(SETS[name])
    found = measure(text, tmp_path, *([DARK] if scheme == "dark" else []))
    assert [each["width"] for each in found] == list(WIDTHS)
    for each in found:
        assert each["folded"] == each["width"]
        assert each["open"] == each["width"]
        assert each["outside"] == []
        assert each["overlapping"] == []
        assert each["texts"]
        assert each["fetched"] == 0
        assert each["explained"] == text.count('<div class="why">')
        white = "rgb(255, 255, 255)"
        assert (each["ground"] == white) == (scheme == "light")
