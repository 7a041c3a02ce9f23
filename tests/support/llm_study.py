"""A study that language models judge, for tests."""

from __future__ import annotations

from pathlib import Path

from manyjudges.study.config import Study, read_study
from manyjudges.study.objects import ObjectRecord, read_objects
from tests.support.web import draw_person

ATTRIBUTES = """
[[attributes]]
name = "polite"
question = "Is it polite?"
kind = "binary"

[[attributes]]
name = "tone"
question = "How warm is the tone?"
kind = "scale"
range = [1, 7]
labels = ["cold", "warm"]
help = "Warm means friendly."

[[attributes]]
name = "words"
question = "How many words?"
kind = "number"
range = [0, 500]
whole = true
unit = "words"
cant_tell = false
"""

MODELS = """
[[models]]
name = "small"
model = "tiny-1"
price_in = 1.0
price_out = 2.0
"""


def llm_study(
    folder: Path, address: str = "", *, llm: str = "", models: str = MODELS, objects: str = "", n: int = 3
) -> tuple[Study, tuple[ObjectRecord, ...]]:
    """The study in a folder, and its objects."""
    folder.mkdir(parents=True, exist_ok=True)
    where = f'address = "{address}"\n' if address else ""
    text = f'title = "Letters"\n[llm]\n{where}{llm}\n{models}\n{ATTRIBUTES}'
    (folder / "study.toml").write_text(text, encoding="utf-8")
    rows = objects or "id,label,text\n" + "".join(f"letter {i},{i},Dear number {i}!\n" for i in range(n))
    (folder / "objects.csv").write_text(rows, encoding="utf-8")
    study = read_study(folder)
    return study, read_objects(study).records


def pictures_study(folder, **options):
    """The same with pictures of three objects in the folder, and one elsewhere."""
    folder.mkdir()
    for i, name in enumerate(["a.png", "b.jpg", "c.png"]):
        draw_person(folder / name, i)
    rows = "id,label,image,text\na,1,a.png,\nb,2,b.jpg,A man\nc,3,c.png,\nd,4,https://example.org/d.png,\n"
    return llm_study(folder, "http://localhost:1/v1", objects=rows, **options)
