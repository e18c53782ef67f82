"""How the page looks: on a screen, light or dark, wide or narrow, and on A4 paper."""

from __future__ import annotations

import base64
import hashlib

from discreet.charts.picture import DARK_SHEET, LIGHT_SHEET

_LIGHT = (
    "--page:#fdfdfc;--text:#1d1f21;--soft:#5a5f66;--line:#d9dbde;--tint:#f3f4f5;--link:#1f5a99;"
    "--good:#1c6b3a;--goodtint:#edf6f0;--part:#7a5200;--parttint:#fbf4e4;--bad:#a11d1d;--badtint:#fbeeee;"
)
_DARK = (
    "--page:#17181a;--text:#e6e7e9;--soft:#a8adb4;--line:#3a3d42;--tint:#212326;--link:#8ab8ea;"
    "--good:#79d19a;--goodtint:#16281d;--part:#e8bd62;--parttint:#2b2413;--bad:#f29a9a;--badtint:#321a1a;"
)
_PAGE = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:break-word;
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
main,header,footer{max-width:50rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.25rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em}
h2{font-size:1.25rem;line-height:1.3;margin:2.75rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.4rem 0 .3rem}
p,ul,dl{margin:.55rem 0}
ul{padding-left:1.3rem}
li{margin:.25rem 0}
a{color:var(--link)}
code{font:.88em/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
pre{background:var(--tint);border:1px solid var(--line);border-radius:4px;padding:.7rem .9rem;
white-space:pre-wrap;overflow-wrap:anywhere}
.subtitle,.note,caption,footer{color:var(--soft)}
.subtitle{margin:0 0 1.1rem}
.note,footer{font-size:.9rem}
.verdict{border:1px solid;border-left-width:.5rem;border-radius:4px;padding:.75rem 1rem;margin:1rem 0}
.verdict p{margin:.2rem 0}
.verdict .word{font-size:1.2rem;font-weight:650}
.verdict ul{margin:.35rem 0}
.passed{color:var(--good);background:var(--goodtint);border-color:var(--good)}
.incomplete{color:var(--part);background:var(--parttint);border-color:var(--part);border-left-style:double}
.failed{color:var(--bad);background:var(--badtint);border-color:var(--bad);border-left-style:dashed}
.verdict p:not(.word),.verdict li{color:var(--text)}
dl>div{display:grid;grid-template-columns:11.5rem 1fr;gap:.1rem 1rem;padding:.28rem 0;
border-bottom:1px solid var(--line)}
dt{color:var(--soft)}
dd{margin:0;min-width:0}
.scrolls{overflow-x:auto;margin:.8rem 0}
.scrolls:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.42}
caption{text-align:left;font-size:.9rem;padding:0 0 .35rem}
th,td{text-align:left;vertical-align:top;padding:.36rem .9rem .36rem 0;border-bottom:1px solid var(--line)}
thead th{font-weight:600;white-space:normal;vertical-align:bottom;border-bottom:1.5px solid var(--soft)}
tbody th{font-weight:500}
.number{text-align:right;font-variant-numeric:tabular-nums}
td.number{white-space:nowrap}
td:last-child,th:last-child{padding-right:0}
.sign{display:grid;grid-template-columns:1fr 1fr;gap:0 2rem;margin-top:1.6rem}
.sign p{margin:2.1rem 0 0;padding-top:.25rem;border-top:1px solid var(--text);font-size:.85rem;color:var(--soft)}
nav li{margin:0;padding:.14rem 0;break-inside:avoid}
nav ol{columns:2;column-gap:2rem;padding-left:1.5rem;font-size:.92rem}
figure{margin:1rem 0}
figure svg{display:block;max-width:100%;height:auto}
.paper{fill:transparent}
footer{margin-top:3rem;padding-top:.8rem;padding-bottom:2.5rem;border-top:1px solid var(--line)}
.wrong{color:var(--bad);font-weight:650}.unchecked{color:var(--part);font-weight:600}.ok{color:var(--good)}
"""
_NARROW = """
dl>div{grid-template-columns:1fr}
.sign{grid-template-columns:1fr}
nav ol{columns:1}
h1{font-size:1.45rem}
figure{overflow-x:auto}
figure svg{max-width:none;width:38rem}
.scrolls table{min-width:30rem}
"""
_PRINT = """
:root{--page:#fff}
@page{size:A4;margin:16mm 17mm 18mm}
html{font-size:9.6pt}
body{font-size:1rem;line-height:1.42}
main,header,footer{max-width:none;padding:0}
header{padding-top:0}
nav{display:none}
h1{font-size:1.75rem}
h2{font-size:1.3rem;margin:1.5rem 0 .4rem;padding-top:.5rem;break-after:avoid}
h3{break-after:avoid}
.verdict,figure,tr,dl>div,.sign,li{break-inside:avoid}
figure svg{max-width:150mm}
.sign p{margin-top:3rem}
.scrolls{overflow:visible}
dl>div{grid-template-columns:14rem 1fr;padding:.16rem 0}
.short{break-inside:avoid}
th,td{padding-top:.2rem;padding-bottom:.2rem}
a{color:inherit;text-decoration:none}
.verdict,pre{-webkit-print-color-adjust:exact;print-color-adjust:exact}
"""


def policy() -> str:
    """What the page may load: this sheet, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(sheet().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'"


def sheet() -> str:
    """All of it, in one piece."""
    dark = f":root{{color-scheme:dark;{_DARK}}}{DARK_SHEET}.paper{{fill:transparent}}"
    parts = [
        f":root{{color-scheme:light;{_LIGHT}}}{LIGHT_SHEET}",
        _PAGE.strip(),
        f"@media screen and (prefers-color-scheme:dark){{{dark}}}",
        f"@media screen and (max-width:36rem){{{_NARROW.strip()}}}",
        f"@media print{{{_PRINT.strip()}}}",
    ]
    return "\n".join(parts)
