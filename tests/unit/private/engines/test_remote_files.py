"""Files elsewhere: fetched only where that is switched on, from real servers on this machine, and no copy stays."""

from __future__ import annotations

import datetime
import gc
import ipaddress
import ssl
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import deltalake
import pyarrow as pa
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import discreet
from discreet.errors import BadParameter, BadSpec, DiscreetError
from discreet.private.engines.counting_query import count
from discreet.private.engines.opening import open_source
from discreet.schema import Ordinal, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, shown

SCHEMA = Schema(x=Ordinal(0, 9))
SECRET = "sesame8642"


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for all temporary files, which every test must leave empty."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()
    assert list(folder.iterdir()) == []


def refused(source: Any, match: str, **options: Any) -> None:
    with pytest.raises(DiscreetError, match=match) as caught:
        open_source(source, **options)
    assert SECRET not in str(caught.value)


# --- web sites --------------------------------------------------------------------------------------------------


class Site(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        path = self.path.partition("?")[0]
        if path == "/moved.csv":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:9/rows.csv")
            self.end_headers()
        elif path in ("/rows.csv", "/half.csv"):
            self.send_response(200)
            self.send_header("Content-Length", "8" if path == "/rows.csv" else "99")
            self.end_headers()
            self.wfile.write(b"x\n1\n2\n2\n")
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


def certificate(folder: Path) -> Path:
    """A key and a certificate of this machine, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.UTC)
    place = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(1))
    made = made.not_valid_after(now + datetime.timedelta(1)).add_extension(place, critical=False)
    signed = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "site.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain) + signed)
    return folder / "site.pem"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    proof = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(proof))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(proof)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Site.asked.clear()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_on_a_web_site(site: str, temporary: Path) -> None:
    address = f"{site}/rows.csv?signature={SECRET}"
    source = open_source(address, remote=True)
    assert source.name == f"{site}/rows.csv"
    assert [path.stat().st_mode & 0o077 for path in temporary.iterdir()] == [0]
    assert shown(count(source, SCHEMA, ROW, salt=SALT)) == {(1,): 1, (2,): 2}
    assert Site.asked == [f"/rows.csv?signature={SECRET}"], "once, and whole"
    data = discreet.open([f"{site}/rows.csv"] * 2, SCHEMA, remote=True)
    assert data.publish(discreet.Table("x", method="geometric"), 1000).count().value == 6


def test_nothing_is_fetched_unless_that_is_switched_on(site: str) -> None:
    for options in ({}, {"remote": False}):
        refused(f"{site}/rows.csv?signature={SECRET}", r"remote=True.*remote = true under \[data\]", **options)
    assert Site.asked == []


def test_web_sites_that_do_not_give_a_file(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(f"{site}/none.csv?signature={SECRET}", "none.csv: the server answered 404", remote=True)
    refused(f"{site}/moved.csv", "cannot be fetched", remote=True)
    refused(f"{site}/half.csv", "broke off before its end", remote=True)
    refused(f"{site}/folder/", "names no file", remote=True)
    refused([f"{site}/rows.csv", "rows.csv"], "some of the sources are addresses", remote=True)
    refused(site.replace("https://", f"https://me:{SECRET}@") + "/rows.csv", "environment", remote=True)
    refused(site.replace("https", "http") + "/rows.csv", "URL", remote=False)
    monkeypatch.delenv("SSL_CERT_FILE")
    refused(f"{site}/rows.csv", "is its server there, and trusted", remote=True)


def test_remote_is_for_addresses(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x\n1\n")
    with pytest.raises(BadParameter, match="leave it out here"):
        open_source(tmp_path / "rows.csv", remote=True)
    data = '[data]\nsource = "https://127.0.0.1/a.csv"\nremote = "yes"\n'
    spec = data + '[attributes.x]\nkind = "ordinal"\nlow = 0\nhigh = 9\n'
    (tmp_path / "a.toml").write_text(spec)
    with pytest.raises(BadSpec, match="remote: must be true or false"):
        discreet.load_spec(tmp_path / "a.toml")
    (tmp_path / "a.toml").write_text(spec.replace('"yes"', "true"))
    assert discreet.load_spec(tmp_path / "a.toml").remote


# --- object stores ----------------------------------------------------------------------------------------------


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    for name, value in {
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": address,
        "no_proxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    put(f"{address}/people")
    yield f"{address}/people"
    server.stop()


def put(address: str, content: bytes | None = None) -> None:
    kind = {"Content-Type": "text/plain"} if content else {}
    urllib.request.urlopen(urllib.request.Request(address, content, kind, method="PUT")).close()


def test_files_and_folders_of_an_object_store(bucket: str, tmp_path: Path) -> None:
    put(f"{bucket}/rows.csv", b"x\n1\n2\n2\n")
    assert shown(count(open_source("s3://people/rows.csv", remote=True), SCHEMA, ROW, salt=SALT)) == {(1,): 1, (2,): 2}
    deltalake.write_deltalake(tmp_path / "rows", pa.table({"x": [5, 5]}))
    deltalake.write_deltalake(tmp_path / "rows", pa.table({"x": [7]}), mode="overwrite")
    for path in (tmp_path / "rows").rglob("*"):
        if path.is_file():
            put(f"{bucket}/year/{path.relative_to(tmp_path)}", path.read_bytes())
    assert shown(count(open_source("s3://people/year/rows/", remote=True), SCHEMA, ROW, salt=SALT)) == {(7,): 1}
    refused("s3://people/none.csv", "there is no such file", remote=True)
    refused("s3://nobody/rows.csv", "no such file|cannot be fetched", remote=True)
    refused(f"s3://tests:{SECRET}@people/rows.csv", "environment", remote=True)
    refused("s3://people/rows.csv", "remote=True")
    put(f"{bucket}/rows.txt", b"")
    refused("s3://people/rows.txt", r"^copy 0/rows.txt: is empty", remote=True)
