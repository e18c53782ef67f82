"""The README's examples really run after the demo, and print what the README shows, up to the noise."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

DISCREET = [sys.executable, "-c", "from discreet.__main__ import main; main()"]


def test_the_example_runs(tmp_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    assert example is not None
    code, shown = example.groups()
    subprocess.run([*DISCREET, "demo", "--quiet"], cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    pattern = re.sub(r"\d[\d,]*(\\\.\d+)?", r"[\\d,.]+", re.escape(shown.strip()))
    assert re.fullmatch(pattern, done.stdout.strip()), done.stdout
    assert (tmp_path / "out" / "by-age" / "release.json").is_file()
    printed, written = (float(text.split()[0].replace(",", "")) for text in (done.stdout, shown))
    assert abs(printed - written) < 200
    for name, *arguments in commands():
        assert name == "discreet"
        said = subprocess.run([*DISCREET, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert (said.returncode, said.stderr) == (0, ""), arguments


def commands() -> list[list[str]]:
    """The commands of the block that starts with `check`, and `plan`, as a shell would read them."""
    block = re.search(r"```sh\n(discreet check .*?)```", README, re.DOTALL)
    plan = re.search(r"`(discreet plan .*?)`", README)
    assert block is not None
    assert plan is not None
    return [shlex.split(line) for line in [*block[1].splitlines(), plan[1]]]
