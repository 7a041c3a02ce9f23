"""Studies for tests: a folder about a simulated crowd, and judges who answer as that crowd does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from manyjudges import simulate
from manyjudges.service.study import OpenStudy
from manyjudges.service.study_planner import plan_study

KINDS = {
    "beautiful": 'kind = "binary"',
    "monochromatic": 'kind = "binary"',
    "number of beans": 'kind = "number"\nunit = "beans"\ncost = 2.0',
    "round jar": 'kind = "binary"',
}


def beans_folder(
    folder: Path, *, n_objects: int = 60, unlabelled: int = 0, seed: int = 0, top: str = "", **sections: str
) -> tuple[Path, Any]:
    """A study of jars of beans, and the crowd that judges them; the last objects have no label."""
    crowd = simulate.jelly_beans(n_objects=n_objects, random_state=seed)
    folder.mkdir(parents=True, exist_ok=True)
    labels = crowd.labels.astype(object).copy()
    labels.iloc[n_objects - unlabelled :] = ""
    table = pd.DataFrame(
        {"id": crowd.objects, "label": labels.to_numpy(), "text": [f"A jar, number {i}" for i in range(n_objects)]}
    )
    table.to_csv(folder / "objects.csv", index=False)
    parts = [f'title = "Jars"\n{top}']
    given = {"plan": "budget = 6.0\npilot = 2", "work": "batch_size = 20"} | sections
    parts += [f"[{name}]\n{text}\n" for name, text in given.items()]
    parts += [f'[[attributes]]\nname = "{name}"\nquestion = "{name}?"\n{kind}\n' for name, kind in KINDS.items()]
    (folder / "study.toml").write_text("\n".join(parts))
    return folder, crowd


def value_of(crowd: Any, thing: str, attribute: str) -> float:
    """One judgment of a simulated crowd."""
    request = pd.DataFrame({"object": [thing], "attribute": [attribute], "count": [1]})
    return float(crowd.judge(request)["value"].iloc[0])


def answers_of(crowd: Any, attribute: str, things: list[str]) -> dict[int, float]:
    """A simulated crowd's judgments of a batch, by position."""
    request = pd.DataFrame({"object": things, "attribute": attribute, "count": 1})
    found = crowd.judge(request).set_index("object")["value"]
    return {i: float(found[thing]) for i, thing in enumerate(things)}


def work(opened: OpenStudy, crowd: Any, judges: int = 40, **answers: Any) -> int:
    """Let judges hand in batches until nothing is open for any of them; says how many judgments came."""
    store, came = opened.store, 0
    people = [store.enter("open", f"judge {i}") for i in range(judges)]
    busy = True
    while busy:
        busy = False
        for person in people:
            batch = store.lease(person.id, size=opened.study.work.batch_size)
            if batch is not None:
                given = answers_of(crowd, batch.attribute, [item.object for item in batch.items])
                came += store.submit(batch.id, person.id, given).accepted
                busy = True
    return came


def run(opened: OpenStudy, crowd: Any, most: int = 30) -> list[Any]:
    """A whole campaign: plan, judge, plan again, until it is done."""
    steps = []
    for _ in range(most):
        step = plan_study(opened)
        steps.append(step)
        if step is None or step.stage == "done":
            return steps
        work(opened, crowd)
    raise AssertionError("the campaign did not end")
