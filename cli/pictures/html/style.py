"""What the document looks like, on a wide screen, a narrow one and on paper."""

from __future__ import annotations

from kcfg.cli.pictures.svg.style import DARK, FACE, LIGHT


def _declared(colours: dict[str, str]) -> str:
    declared = "".join(f"--{name}:{value};" for name, value in colours.items())
    return f":root{{{declared}color-scheme:light dark}}\n"


VARIABLES = f"{_declared(LIGHT)}@media (prefers-color-scheme: dark) {{ {_declared(DARK)}}}\n"
"""Every colour by its name, in light and in dark surroundings."""

STYLE = """
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 {
  font-size: 18px; margin: 40px 0 10px; padding-bottom: 5px;
  border-bottom: 1px solid var(--faint);
}
h3 { font-size: 15px; margin: 22px 0 6px; overflow-wrap: anywhere; }
h4 { font-size: 13px; margin: 12px 0 4px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
header p { margin-top: 4px; }
.dim { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.strong { font-weight: 600; }
.mark { color: var(--bad); font-weight: 700; }
.whose {
  display: inline-block; min-width: 22px; padding: 0 6px; margin: 0;
  border: 1px solid var(--line); border-radius: 4px;
  text-align: center; font-size: 13px; font-weight: 600;
}
.wide { overflow-x: auto; max-width: 100%; }
.wide:focus-visible, pre:focus-visible, summary:focus-visible {
  outline: 2px solid var(--line); outline-offset: 2px;
}
.beside {
  display: grid; gap: 16px 32px; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
}
.beside > * { min-width: 0; }
article h3 { margin-top: 6px; }
.source { font-size: 13px; }
.judged p:first-child { font-weight: 700; font-size: 16px; margin: 8px 0; }
.judged p + p { font-size: 14px; }

nav ul {
  display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 12px 0 0; padding: 0; list-style: none;
}
nav a { color: inherit; }
.only { margin-top: 12px; }
main:has(#only:checked) .rows details:not(.differs) { display: none; }

figure { margin: 0; break-inside: avoid; }
figure svg { display: block; width: 100%; min-width: 760px; height: auto; }
.graphs { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 8px 0; }
.graphs figure { flex: 0 1 328px; min-width: 0; }
.graphs svg { min-width: 0; max-width: 328px; }

table {
  border-collapse: collapse; font-size: 13.5px; margin: 6px 0;
  font-variant-numeric: tabular-nums;
}
th {
  text-align: left; font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--line);
}
th, td { padding: 3px 14px 3px 0; vertical-align: top; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 4px; }
td { border-bottom: 1px solid var(--faint); }
.right { text-align: right; }
tr.differs td, details.differs > summary { background: var(--differs); }

.rows { font-size: 14px; min-width: calc(190px + var(--n) * 110px); }
.rows .head, .rows summary {
  display: grid; gap: 0 14px; padding: 4px 6px 4px 20px;
  grid-template-columns: minmax(140px, 340px) repeat(var(--n), minmax(90px, 1fr));
  border-bottom: 1px solid var(--faint);
}
.rows .head { color: var(--quiet); font-weight: 600; font-size: 13px; }
.rows summary { cursor: pointer; list-style: none; position: relative; }
.rows summary::-webkit-details-marker { display: none; }
.rows summary::before {
  content: ""; position: absolute; left: 6px; top: 10px;
  border: 4px solid transparent; border-left: 6px solid var(--line); border-right: 0;
}
.rows details[open] > summary::before { transform: rotate(90deg); }
.rows summary:hover { background: var(--faint); }
.rows span { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.name, code, pre { font-family: %FACE%; font-size: 13px; }
.why {
  margin: 0 0 10px 9px; padding: 8px 0 10px 16px; border-left: 2px solid var(--faint);
}
.why .whose { margin-top: 10px; }
.why .whose:first-child { margin-top: 0; }
pre {
  margin: 8px 0; padding: 8px 10px; overflow-x: auto; line-height: 1.45;
  background: var(--code); border-radius: 4px;
}
.group { margin: 14px 0; }
.group > summary { cursor: pointer; }
.group > summary h3 { display: inline; }

@media (max-width: 600px) {
  main { padding: 16px 14px 48px; }
  h1 { font-size: 20px; }
  .rows .head, .rows summary {
    grid-template-columns: minmax(175px, 1.4fr) repeat(var(--n), minmax(100px, 1fr));
  }
}
@media print {
  nav, .only { display: none; }
  .wide { overflow: visible; }
  h2, h3, h4 { break-after: avoid; }
  figure svg { min-width: 0; }
  .rows summary, tr { break-inside: avoid; }
}
""".replace("%FACE%", FACE)
