"""Publishing from a page: one charge, whatever happens to the page or to the server; none, if it is stopped before."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.ledger import Ledger
from discreet.web.custodian.jobs import Jobs, PublishingJob
from discreet.web.custodian.publishing_run import done, publish
from discreet.web.custodian.spec_files import mark_of
from tests.browser import serving
from tests.unit.web.custodian.workplace import CANARY, SPEC, workplace
from tests.web_client import Client, custodian

PROGRAM = [sys.executable, "-m", "discreet.web.custodian.publishing_run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workplace(tmp_path / "work")


def until(happened: Callable[[], Any]) -> None:
    """Waits, a minute at most."""
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen")


def charges(folder: Path) -> int:
    path = folder / "town.ledger"
    return sum(entry.kind == "charge" for entry in Ledger.read(path).entries()) if path.exists() else 0


def test_a_release_is_published_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs.__init__, "__defaults__", (0.0,))
    client = custodian(folder)
    page = "/specs/town/publish/by-age"
    wrong = client.post(page, {"confirm": "by-sex", "mark": mark_of(SPEC)})
    assert wrong.status_code == 400
    assert "type the name" in wrong.text
    assert charges(folder) == 0
    assert "Charge and publish" in client.get(page).text
    started = client.post(page, {"confirm": "by-age", "mark": mark_of(SPEC)})
    assert started.status_code == 303
    job = started.headers["location"]
    until(lambda: client.get(f"/api{job}").json()["state"] != "running")
    told = client.get(f"/api{job}").json()
    assert told["state"] == "done", told
    assert charges(folder) == 1
    stages = ["checking", "charging the ledger", "counting and adding noise", "writing"]
    assert [stage for stage in told["stages"] if "can be stopped" not in stage] == stages
    shown = client.get(job).text
    assert 'href="/releases/by-age"' in shown
    events = client.get(f"{job}/events").text
    assert events.count("event: stage") == 5
    assert events.endswith("event: over\ndata: done\n\n")
    assert client.get(f"{job}/events?after=5").text.count("event: stage") == 0
    assert client.get("/releases/by-age/explore").status_code == 200
    assert "It was published before" in client.get(page).text
    assert "Publish it again, at no cost" in client.get(page).text
    assert CANARY not in json.dumps(told) + shown + events
    late = client.post(f"{job}/cancel")
    assert late.status_code == 400
    assert "too late" in late.text


def test_it_can_be_stopped_before_the_charge(folder: Path) -> None:
    jobs = Jobs(grace=60.0)
    job = jobs.start("one", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])
    with pytest.raises(BadParameter, match="being made already"):
        jobs.start("one", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])
    assert jobs.find(job.id) is job
    until(lambda: len(job.stages) == 2)
    job.cancel()
    until(lambda: job.state != "running")
    assert job.state == "cancelled"
    assert "nothing was spent" in job.said
    assert charges(folder) == 0
    assert not (folder / "by-age").exists()
    with pytest.raises(BadParameter, match="too late"):
        job.cancel()


def started(folder: Path) -> subprocess.Popen[str]:
    arguments = ["publish", str(folder / "town.toml"), "by-age", "", mark_of(SPEC)]
    process = subprocess.Popen([*PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line) == ["stage", "charging"]:
            break
    return process


def test_a_server_that_dies_before_the_charge_costs_nothing(folder: Path) -> None:
    with started(folder) as process:
        process.communicate()  # its end of the pipe is closed, as if it had been killed
    assert process.returncode == 0
    assert charges(folder) == 0
    assert not (folder / "by-age").exists()


def test_a_server_that_dies_after_the_charge_loses_nothing(folder: Path) -> None:
    with started(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.close()
        process.stdout.close()  # nobody listens any more
    first = discreet.load(folder / "by-age")
    assert charges(folder) == 1
    publish(folder / "town.toml", "by-age", None, mark_of(SPEC))
    assert charges(folder) == 1
    assert discreet.load(folder / "by-age").manifest["seal"] == first.manifest["seal"]


def test_what_was_not_confirmed_is_not_charged(folder: Path) -> None:
    """A spec that changes after its page was shown, or after the job began, is not the one that somebody agreed to."""
    client, page = custodian(folder), "/specs/town/publish/by-age"
    shown = re.search(r'name="mark" value="(\w+)"', client.get(page).text)
    assert shown is not None
    assert shown[1] == mark_of(SPEC)
    (folder / "town.toml").write_text(SPEC.replace("epsilon = 0.5", "epsilon = 1.5"), encoding="utf-8")
    for fields in ({"mark": shown[1]}, {"mark": ""}, {}):
        refused = client.post(page, {"confirm": "by-age", **fields})
        assert refused.status_code == 400
        assert "was changed elsewhere" in refused.text
    assert "epsilon 1.5" in refused.text  # what it says now
    job = Jobs(grace=0.0).start("one", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])
    until(lambda: job.state != "running")
    assert job.state == "failed"
    assert "was changed elsewhere" in job.said
    assert charges(folder) == 0


@pytest.mark.parametrize("last", ["killed", "half a line", "no JSON"])
def test_a_job_whose_process_dies_is_over(folder: Path, monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    """Also in the seconds in which it waits for a word: nobody may be kept from publishing again."""
    more = {"half a line": "print('[\"stage\", ', end='')", "no JSON": "print('hello')"}.get(last, "")
    asking = f"import json\nprint(json.dumps(['stage', 'charging']), flush=True)\ninput()\n{more}"
    if last == "killed":
        asking = asking.replace("input()", "import os\nos.kill(os.getpid(), 9)")
    popen = subprocess.Popen
    monkeypatch.setattr(
        "discreet.web.custodian.jobs.subprocess.Popen",
        lambda command, **more: popen([sys.executable, "-c", asking], **more),
    )
    job = Jobs(grace=1.0 if last == "killed" else 0.0).start("one", "/", ["publish"])
    until(lambda: job.state != "running")
    assert job.state == "failed"
    assert "ended without a word" in job.said
    assert not job.can_be_cancelled


@pytest.mark.parametrize("when", ["before the charge", "after it"])
def test_a_killed_server_never_charges_twice(folder: Path, when: str) -> None:
    """The real one, by SIGKILL while a release of it is under way."""
    with serving(folder, log=folder.parent / "log") as served:
        with httpx.Client(base_url=f"http://127.0.0.1:{served.port}", headers={"host": served.host}) as web:
            cookie = web.get(served.start.removeprefix(served.origin)).headers["set-cookie"].split(";")[0]
            web.headers["cookie"] = cookie
            page = "/specs/town/publish/by-age"
            form = dict(re.findall(r'name="(form_key|mark)" value="([^"]+)"', web.get(page).text))
            answer = web.post(page, data={**form, "confirm": "by-age"}, headers={"origin": served.origin})
            job = answer.headers["location"]
            awaited = "until then it can be stopped" if when == "before the charge" else "charging the ledger"
            until(lambda: awaited in web.get(f"/api{job}").text)
        served.process.kill()
        served.process.wait()
        assert served.process.stdout is not None
        logged = served.process.stdout.read() + (folder.parent / "log").read_text(encoding="utf-8")
        assert not [word for word in ("/specs", "/jobs", "town", CANARY) if word in logged]  # no address, no name
    if when == "after it":
        until(lambda: (folder / "by-age" / "release.json").exists())
    charged = charges(folder)
    assert charged == int(when == "after it")
    seal = discreet.load(folder / "by-age").manifest["seal"] if charged else ""
    again = [*PROGRAM, "publish", str(folder / "town.toml"), "by-age", "", mark_of(SPEC)]
    subprocess.run(again, input="go\n", text=True, check=True, stdout=subprocess.DEVNULL)
    assert charges(folder) == 1
    assert discreet.load(folder / "by-age").manifest["seal"] == seal or not charged


def test_too_many_at_once_are_refused(folder: Path) -> None:
    jobs = Jobs(grace=60.0)
    running = [PublishingJob(str(number), str(number), "/", 60.0) for number in range(2)]
    jobs._jobs = {job.id: job for job in running}
    with pytest.raises(BadParameter, match="wait until one is done"):
        jobs.start("three", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])


def test_a_demo_cannot_be_stopped_since_it_never_asks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [sys.executable, "-c", "import json; print(json.dumps(['over', 'published']))"]
    popen = subprocess.Popen
    monkeypatch.setattr("discreet.web.custodian.jobs.subprocess.Popen", lambda command, **more: popen(quick, **more))
    job = Jobs(grace=60.0).start("the demo", "/", ["demo", folder / "demo"], asks=False)
    with pytest.raises(BadParameter, match="too late"):
        job.cancel()
    until(lambda: job.state != "running")
    assert (job.state, job.said) == ("done", "published")
    # one that was published before ends without asking: it is done, whoever wanted to stop it
    other = Jobs(grace=60.0).start("by-age", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])
    other._stop.set()
    until(lambda: other.state != "running")
    assert other.state == "done"


def test_what_is_wrong_is_said_without_a_charge(folder: Path) -> None:
    (folder / "people.csv").unlink()
    jobs = Jobs(grace=0.0)
    job = jobs.start("one", "/", ["publish", folder / "town.toml", "by-age", "", mark_of(SPEC)])
    until(lambda: job.state != "running")
    assert job.state == "failed"
    assert "no such file" in job.said
    assert charges(folder) == 0


def test_what_nobody_foresaw_is_not_quoted(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """An error that is not ours may hold anything, rows too: neither a job nor a page says it."""

    def broken(*_: object) -> None:
        raise RuntimeError(CANARY)

    done(lambda: broken())
    said = capfd.readouterr()
    assert json.loads(said.out)[0] == "failed"
    assert CANARY not in said.out + said.err
    monkeypatch.setattr("discreet.web.custodian.routes.account_of", broken)
    client = custodian(folder)
    (folder / "a.ledger").write_bytes(b"")
    for path in ("/ledgers/a", "/api/ledgers/a"):
        answer = client.get(path)
        assert answer.status_code == 500
        assert CANARY not in answer.text


def test_jobs_are_known_by_their_names_only(folder: Path) -> None:
    client: Client = custodian(folder)
    assert client.get("/jobs/1").status_code == 404
    assert client.get("/jobs/1/events").status_code == 404
    assert client.post("/jobs/1/cancel").status_code == 404
