"""``kcfg draw``: pictures are to scale, readable, whole, and the same every time."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pictured
import pytest
import shapes
from hypothesis import given, settings, strategies as st
from pictured import ALL, SVG, scene_of

from kcfg.cli.pictures import terminal
from kcfg.cli.pictures.svg import picture, style
from kcfg.cli.render import plain
from kcfg.core.report import Derived, report

PAIRS = list(pairwise(pictured.of_presets()))
MATMUL = """
kernel: matmul
release: 26.6
shape: {ab_dtype: bf16, c_dtype: bf16, M: 64, N: 4096, K: 4096}
"""
LAUNCH = """
kernel: launch
shape:
  threads: 384
  registers: {entry: 168, warpgroups: [40, 240, 240]}
  shared: {static: 512, regions: [{name: a, bytes: 1000}, {name: b, bytes: 4, offset: 2048}]}
  tmem: {allocations: [256, 128]}
"""
PIPELINES = """
kernel: launch
shape:
  threads: 384
  shared: {static: 512, dynamic: 220000}
  pipelines:
    - {name: kv, stages: 5, stage_bytes: 32768}
    - {name: q, stages: 1, stage_bytes: 32768, fixed_bytes: 100}
    - {name: out, stages: 2, stage_bytes: 16384, alias_of: q}
"""


def spans(svg: str) -> dict[str, tuple[float, float]]:
    """Where what has a tooltip is drawn first, by what the tooltip says: left edge and width."""
    found: dict[str, tuple[float, float]] = {}
    for rect in ET.fromstring(svg).iter(f"{SVG}rect"):
        title = rect.find(f"{SVG}title")
        if title is not None and title.text:
            place = float(rect.get("x", 0)), float(rect.get("width", 0))
            found.setdefault(title.text, place)
    return found


# SVG


def check(svg: str) -> None:
    """What holds for every picture: valid, self-contained, no text over another or outside."""
    root = ET.fromstring(svg)
    texts = pictured.written(svg)
    assert pictured.overlapping(texts) == []
    width = float(root.get("width", 0)) - 2 * picture.MARGIN
    height = float(root.get("height", 0)) - 2 * picture.MARGIN
    assert [t.text for t in texts if t.left < -0.1 or t.right > width + 0.1] == []
    assert [t.text for t in texts if t.top < 0 or t.bottom > height + 0.1] == []
    outside = svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|href|@import|<script|<image|url\((?!#)", outside)


@pytest.mark.parametrize("name", ALL)
def test_a_picture_is_valid_and_no_text_lies_over_another(name: str) -> None:
    svg = picture.document([scene_of(name)])
    check(svg)
    assert svg == picture.document([scene_of(name)])


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=map(" ".join, PAIRS))
def test_so_is_a_picture_of_two(old: str, new: str) -> None:
    check(picture.document([scene_of(old), scene_of(new)]))


def test_so_is_a_picture_of_many() -> None:
    check(picture.document([scene_of(name) for name in list(ALL)[::4]]))


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_so_is_that_of_any_shape(kernel: str, release: str, data: st.DataObject) -> None:
    derived = shapes.derive(kernel, release, data.draw(shapes.random(kernel, release)))
    check(picture.document(pictured.scenes([Derived(derived, report(derived))])))


@settings(max_examples=50, deadline=None)
@given(name=st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_label_leaves_it_valid(name: str) -> None:
    kernel, found = ALL["llama-3-8b"]
    svg = picture.document(pictured.scenes([Derived(kernel, {**found, "name": name})]))
    ET.fromstring(svg)


@pytest.mark.parametrize("name", ALL)
def test_every_region_is_named_with_its_size_and_drawn_to_scale(name: str) -> None:
    smem = ALL[name].report["smem"]
    svg = picture.document([scene_of(name)])
    texts = {text.text for text in pictured.written(svg)}
    drawn = spans(svg)
    for region in smem["regions"] if smem else ():
        if region["padding"] or region["alias_of"]:
            continue
        assert region["name"] in texts
        scale = picture.WIDTH / (max(smem["used"], smem["limit"] + 1024))
        (left, width) = next(
            place
            for says, place in drawn.items()
            if says.startswith(f"{region['name']}: {region['bytes']:,} B")
            and re.search(rf"at {region['offset']:,}(?![\d,]*\d)", says)
        )
        assert left == pytest.approx(region["offset"] * scale, abs=0.02)
        assert width == pytest.approx(region["bytes"] * scale, abs=0.02)


def test_what_is_too_small_to_name_is_enlarged_beside_its_place() -> None:
    svg = picture.document([scene_of("llama-3-8b")])
    boxes = [
        float(rect.get("width", 0))
        for rect in ET.fromstring(svg).iter(f"{SVG}rect")
        if (rect.findtext(f"{SVG}title") or "").startswith("tmem_pointer: 4 B")
    ]
    assert boxes[0] < 0.1  # to scale
    assert boxes[1] > 60  # enlarged


@pytest.mark.parametrize("name", pictured.of_presets())
def test_limit_reserve_and_allocation_are_marked(name: str) -> None:
    found = ALL[name].report
    texts = {text.text for text in pictured.written(picture.document([scene_of(name)]))}
    if found["smem"]:
        assert f"limit {found['smem']['limit']:,} B" in texts
        assert {"reserved", "1,024 B"} <= texts
    if found["tmem"] and found["tmem"]["allocated"] is not None:
        assert f"allocated {found['tmem']['allocated']:,}" in texts
    if found["registers"]:
        assert f"granted {found['registers']['pool']['granted']:,}" in texts


def test_blocks_that_share_an_sm_are_drawn_each() -> None:
    svg = picture.document([scene_of("deepseek-v3-2-index")])
    texts = [text.text for text in pictured.written(svg)]
    assert "2 blocks 103,168 B each" in texts
    assert any(text.startswith("2 blocks per SM") for text in texts)


def test_of_two_what_moved_is_linked_at_one_scale() -> None:
    names = ("deepseek-v3-2-index", "deepseek-v3-2-index-26-7")
    svg = picture.document([scene_of(name) for name in names])
    linked = [
        polygon.findtext(f"{SVG}title") or ""
        for polygon in ET.fromstring(svg).iter(f"{SVG}polygon")
        if polygon.get("class") == "moved"
    ]
    assert "k: from 16,384 to 32,768; 5 x 16,384 B, then 4 x 16,384 B" in linked
    assert len(linked) == 6
    texts = " ".join(text.text for text in pictured.written(svg))
    assert "came: q_records, steal_scratch" in texts
    scales = [
        width / int(says.split(": ")[1].split(" B")[0].replace(",", ""))
        for says, (_, width) in spans(svg).items()
        if says.startswith("k: ") and "stages" in says
    ]
    assert len(scales) == 2
    assert scales[0] == pytest.approx(scales[1], rel=1e-4)


def test_of_two_alike_nothing_moved() -> None:
    svg = picture.document([scene_of("llama-3-8b"), scene_of("llama-3-8b")])
    assert 'class="moved"' not in svg
    assert "From A to B nothing moved." in svg


def test_it_has_a_title_and_is_described_for_those_who_do_not_see_it() -> None:
    root = ET.fromstring(picture.document([scene_of("llama-3-8b")]))
    assert root.get("role") == "img"
    named = {element.get("id"): element.text or "" for element in root if element.get("id")}
    title, description = (named[id] for id in (root.get("aria-labelledby") or "").split())
    assert title == "llama-3-8b: fa4 26.6 on b200"
    for words in ("supported", "tmem_pointer 4 B", "P1 128 columns", "softmax0 24,576 registers"):
        assert words in description


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("number", range(len(style.INKS)))
def test_labels_stand_out_in_light_and_dark_and_regions_differ_in_grey(number: int) -> None:
    ink = style.INKS[number]
    for ground in (ink.ground, ink.pattern):
        assert contrast(style.LIGHT["text"], ground) >= 4.5
    for ground in (ink.dark_ground, ink.dark_pattern):
        assert contrast(style.DARK["text"], ground) >= 4.5
    assert len(set(style.PATTERNS)) == len(style.INKS)


@pytest.mark.parametrize("colours", [style.LIGHT, style.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "quiet", "good", "bad", "warn"])
def test_words_stand_out_from_the_paper(colours: dict[str, str], name: str) -> None:
    assert contrast(colours[name], colours["paper"]) >= 4.5


REGIONS = ", ".join(f"{{name: r{number}, bytes: 2048}}" for number in range(64))
MANY = f"kernel: launch\nshape: {{shared: {{regions: [{REGIONS}]}}}}"


def test_no_two_of_64_regions_look_alike() -> None:
    (many,) = pictured.scenes(pictured.of_text(MANY))
    svg = picture.document([many])
    check(svg)
    root = ET.fromstring(svg)
    fills = {
        (rect.findtext(f"{SVG}title") or "").partition(":")[0]: rect.get("fill")
        for rect in root.iter(f"{SVG}rect")
        if rect.find(f"{SVG}title") is not None
    }
    mine = [fill for name, fill in fills.items() if name.startswith("r") and name[1:].isdigit()]
    assert len(mine) == len(set(mine)) == 64
    tiles = {f"url(#{tile.get('id')})": [*tile] for tile in root.iter(f"{SVG}pattern")}
    looks = {tuple((part.get("d"), *part.attrib.values()) for part in tiles[fill]) for fill in mine}
    assert len(looks) == 64
    lines = plain.text(terminal.pages([many])).splitlines()
    signs = [line.split()[0] for line in lines if re.search(r" r\d+$", line)]
    assert len(signs) == len(set(signs)) == 64


def test_pipelines_of_a_launch_are_drawn_where_no_region_says_where_they_lie() -> None:
    (drawn,) = pictured.scenes(pictured.of_text(PIPELINES))
    (bar,) = drawn.part("smem").bars
    assert [(span.name, span.start, span.size, span.slots) for span in bar.spans[:5]] == [
        ("static", 0, 512, 1),
        ("kv", 512, 5 * 32768, 5),
        ("q", 164352, 32868, 1),
        ("out", 164352, 2 * 16384, 2),
        ("asked for, not laid out", 197220, 23292, 1),
    ]
    assert bar.spans[3].alias_of == "q"
    assert drawn.part("smem").notes == (
        "Where the pipelines lie is not said: they are drawn in their order.",
    )
    check(picture.document([drawn]))


def test_pipelines_in_no_region_are_told_beside_the_regions() -> None:
    shape = (
        "regions: [{name: a, bytes: 64, stages: 2}, {name: b, bytes: 8, alias_of: a}]}, pipelines: "
    )
    rings = "[{name: a, stages: 2, stage_bytes: 32}, {name: ring, stages: 3, stage_bytes: 8192}]"
    text = f"kernel: launch\nshape: {{threads: 32, shared: {{{shape}{rings}}}"
    (drawn,) = pictured.scenes(pictured.of_text(text))
    assert drawn.part("smem").notes == ("No region is said to hold ring (24,576 B (24.0 KiB)).",)
    lines = plain.text(terminal.pages([drawn])).splitlines()
    assert all(line.strip() or not line for line in lines)  # b is too small for a character


def test_static_memory_alone_is_drawn() -> None:
    text = "kernel: launch\nshape: {threads: 32, shared: {static: 1024}}"
    (drawn,) = pictured.scenes(pictured.of_text(text))
    (bar,) = drawn.part("smem").bars
    assert [(span.name, span.start, span.size) for span in bar.spans[:2]] == [
        ("static", 0, 1024),
        ("free", 1024, 232448 - 1024),
    ]
    assert "32 blocks 1 warp each" in plain.text(terminal.pages([drawn]))


def test_bytes_of_a_launch_that_no_region_names_are_called_so() -> None:
    (drawn,) = pictured.scenes(pictured.of_text(LAUNCH))
    (bar,) = drawn.part("smem").bars
    found = [(span.name, span.start, span.size) for span in bar.spans if span.kind == "padding"]
    assert found == [("unnamed", 512 + 1000, 1048)]


# Other programs than browsers


def test_every_shape_has_its_colours_without_style_sheets() -> None:
    """Who knows no CSS variables draws what has no colour of its own in black."""
    for name in ALL:
        root = ET.fromstring(picture.document([scene_of(name)]))
        for shape in root.iter():
            kind = shape.tag.removeprefix(SVG)
            if kind in ("rect", "text", "polygon", "polyline"):
                colour = shape.get("fill", "")
                assert colour.startswith(("#", "url(")) or colour == "none", ET.tostring(shape)
            if kind == "polyline":
                assert shape.get("stroke", "").startswith("#"), ET.tostring(shape)


def by_librsvg(svg: str, folder: Path) -> None:
    if not shutil.which("rsvg-convert"):
        pytest.skip("needs rsvg-convert of librsvg")
    command = ["rsvg-convert", "--width", "900", "--format", "png", "-o", "a.png"]
    subprocess.run(command, cwd=folder, check=True, input=svg.encode())


def by_cairosvg(svg: str, folder: Path) -> None:
    renderer = pytest.importorskip("cairosvg", reason="needs cairosvg")
    renderer.svg2png(svg.encode(), write_to=str(folder / "a.png"), output_width=900)


@pytest.mark.parametrize("render", [by_librsvg, by_cairosvg])
def test_another_renderer_draws_it_in_colour(
    render: Callable[[str, Path], None], tmp_path: Path
) -> None:
    image = pytest.importorskip("matplotlib.image", reason="needs matplotlib to read a PNG")
    render(picture.document([scene_of("llama-3-8b")]), tmp_path)
    pixels = (255 * image.imread(tmp_path / "a.png")[..., :3]).round().astype(int)
    seen = {f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in pixels.reshape(-1, 3)}
    assert {style.INKS[0].ground, style.LIGHT["paper"]} <= seen
    assert (pixels.sum(axis=2) < 60).mean() < 0.05, "nothing but text is nearly black"


def test_rules_are_for_dark_surroundings_alone_and_reach_all_that_has_a_colour() -> None:
    """Renderers that know no variables take a rule before an attribute, whatever it says."""
    svg = picture.document([scene_of(name) for name in list(ALL)[::4]])
    assert "var(" not in svg and "paint-order" not in svg
    root = ET.fromstring(svg)
    (sheet,) = [element.text or "" for element in root.iter(f"{SVG}style")]
    outside, _, dark = sheet.partition("@media (prefers-color-scheme: dark) {")
    assert re.sub(r"\s+", " ", outside).strip() == "svg.kc { color-scheme: light dark; }"
    reached = set(re.findall(r"\.kc \.?([\w-]+) {", dark))
    for shape in root.iter():
        colours = [shape.get(key, "") for key in ("fill", "stroke")]
        if any(colour.startswith("#") for colour in colours):
            kinds = {shape.tag.removeprefix(SVG), *(shape.get("class") or "").split()}
            assert kinds & reached, ET.tostring(shape)


# What cannot be drawn, and why


def test_a_layout_that_cannot_be_says_why() -> None:
    derived = next(
        each for each in pictured.refused().values() if (each.report["smem"] or {})["unplaced"]
    )
    reason = f"No layout: {derived.report['smem']['unplaced']}."
    scenes = pictured.scenes([derived])
    assert reason in [text.text for text in pictured.written(picture.document(scenes))]
    assert reason in plain.text(terminal.pages(scenes))


def test_a_kernel_without_layouts_says_so() -> None:
    scenes = pictured.scenes(pictured.of_text(MATMUL))
    said = "Shared memory: not modelled for matmul 26.6"
    assert said in plain.text(terminal.pages(scenes))
    assert said in picture.document(scenes)


def test_columns_that_nobody_placed_are_only_counted() -> None:
    scenes = pictured.scenes(pictured.of_text(MATMUL.replace("26.6", "26.7")))
    said = "Only the total is known of matmul 26.7: its columns are not modelled."
    assert said in plain.text(terminal.pages(scenes))
    assert not scenes[0].part("tmem").bad


def test_where_only_the_total_is_known_it_is_drawn() -> None:
    scene = scene_of("deepseek-v3-decode")
    used = ALL["deepseek-v3-decode"].report["values"]["smem_used"]
    bar = scene.part("smem").bars[0]
    assert [span.size for span in bar.spans if span.kind == "whole"] == [used]


def test_a_launch_by_hand_is_drawn_from_what_it_says() -> None:
    (scene,) = pictured.scenes(pictured.of_text(LAUNCH))
    check(picture.document([scene]))
    names = [[span.name for span in bar.spans] for part in scene.parts for bar in part.bars]
    assert names[0] == ["static", "a", "unnamed", "b", "free", "reserved"]
    assert names[1] == ["allocation 0", "allocation 1", "free"]
    assert names[3] == ["warpgroup 0", "warpgroup 1", "warpgroup 2", "over"]
    assert scene.part("registers").bad


@pytest.mark.parametrize(("columns", "allocated"), [(64, 128), (64, 64), (64, 32)])
def test_the_spans_of_a_bar_lie_end_to_end(columns: int, allocated: int) -> None:
    tmem = f"{{allocations: [{allocated}], accumulators: [{{M: 128, N: {columns}}}]}}"
    shape = f"{{threads: 160, registers: {{entry: 64}}, tmem: {tmem}}}"
    (scene,) = pictured.scenes(pictured.of_text(f"{{kernel: launch, shape: {shape}}}"))
    drawn = [bar for part in scene.parts for bar in part.bars]
    assert len(drawn) >= 3
    for bar in drawn:
        (row,) = bar.inside()
        ends = [0, *(span.end for span in row)]
        assert ends == [*(span.start for span in row), bar.extent]
