"""The README's example really runs, and prints what the README shows, up to the noise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    assert example is not None
    code, shown = example.groups()
    demo = [sys.executable, "-c", "from discreet.cli import main; main()", "demo", "--quiet"]
    subprocess.run(demo, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    pattern = re.sub(r"\d[\d,]*(\\\.\d+)?", r"[\\d,.]+", re.escape(shown.strip()))
    assert re.fullmatch(pattern, done.stdout.strip()), done.stdout
    assert (tmp_path / "out" / "by-age" / "release.json").is_file()
    printed, written = (int(text.split()[0].replace(",", "")) for text in (done.stdout, shown))
    assert abs(printed - written) < 200
