"""A study under way, as a researcher finds it: a folder, a store with simulated judges at work, and the application."""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from manyjudges import Judgments, Moments, fit_predictor, select, simulate
from manyjudges.judges.workforce import suggested_bonuses, summarize_workers
from manyjudges.learn.answers import answer_of
from manyjudges.learn.comparison import compare
from manyjudges.learn.error_curve import curve_of
from manyjudges.learn.training_data import match_training_data
from manyjudges.service.transfer import marketplaces
from manyjudges.store.store import Store
from manyjudges.study.config import read_study
from manyjudges.study.objects import read_objects
from manyjudges.web.app import Hooks, create_app
from manyjudges.web.security import hash_password

PASSWORD = "correct horse battery staple"

STUDY = """title = "How tall are they?"
contact = "lab@example.org"
[plan]
budget = 12.0
spending_limit = 9000.0
[work]
most_batches = 100
[entry]
completion_code = "C0DE"
"""


class Clock:
    """A clock that can be set, for judges who worked yesterday."""

    def __init__(self, now=None):
        self.now = now

    def __call__(self):
        return time.time() if self.now is None else self.now


@dataclass
class World:
    """Everything of one study."""

    study: object
    objects: object
    store: object
    crowd: object
    clock: Clock
    calls: list = field(default_factory=list)

    def app(self, **hooks):
        return create_app(self.study, self.objects, self.store, Hooks(**(self.hooks() | hooks)), marketplaces())

    def hooks(self):
        def found():
            return summarize_workers(self.store.ledger(), self.study.costs)

        return {
            "replan": lambda: self.calls.append("replan"),
            "workforce": lambda: found().to_frame(),
            "bonuses": lambda: suggested_bonuses(
                found(), pay_per_unit=self.study.work.pay_per_unit, currency="USD", external=True
            ),
            "export": lambda kind: f"object,{kind}\n".encode(),
            "fit": self.fit,
        }

    def fit(self):
        labels = self.labels()
        judgments = Judgments.from_frame(self.store.judgments())
        plan = select(Moments.estimate(judgments, labels), 12.0, costs=self.study.costs, shrinkage=0.2)
        predictor = fit_predictor(plan, judgments, labels)
        words = {"expectation": "Expect to be off by about 2.1 (1.8 to 2.4).", "explained": 0.5}
        return {"formula": str(predictor), "model": predictor.to_json(), "predicted": 10} | words

    def labels(self):
        found = self.store.objects().dropna(subset="label")
        return pd.Series(found["label"].to_numpy(), index=found["object"], name="label")

    def order_pilot(self):
        labelled = self.labels().index
        self.store.order([(o, a, self.study.plan.pilot) for o in labelled for a in self.study.costs])

    def work(self, workers, batches, *, hours=0.0, how=None):
        """Each worker in turn judges a batch, until so many are done or nothing is open; says how many were."""
        rng = np.random.default_rng(batches)
        start, done, idle = self.clock(), 0, 0
        for name in itertools.cycle(workers):
            if done >= batches or idle >= len(workers):
                break
            worker = self.store.enter("prolific", name, consented=True)
            batch = self.store.lease(worker.id, size=self.study.work.batch_size)
            idle = idle + 1 if batch is None else 0
            if batch is None:
                continue
            asked = pd.DataFrame({"object": [i.object for i in batch.items], "attribute": batch.attribute, "count": 1})
            values = self.crowd.judge(asked)["value"].to_numpy()
            if how and name in how:
                values = how[name](rng, values)
            answers = {item.position: float(value) for item, value in zip(batch.items, values, strict=True)}
            if rng.random() < 0.3 and self.study.attribute(batch.attribute).cant_tell:
                answers[0] = None
            seconds = len(answers) * (0.15 if name == "rusher" else float(rng.uniform(0.8, 2.4)))
            self.store.submit(batch.id, worker.id, answers, seconds=seconds)
            done += 1
            if hours:
                self.clock.now = start + hours * 3600 * done / batches
        return done

    def plan(self, number, budget, *, note=""):
        """Plan by what there is, as a study does, and order it."""
        data = match_training_data(Judgments.from_frame(self.store.judgments()), self.labels())
        way = {"costs": self.study.costs, "cv_repeats": 1}
        compared = compare(data, sorted({2.0, 4.0, 8.0, 16.0, budget}), methods=["full"], **way)
        answer = answer_of(data, budget, method="full", compared=compared, **way)
        curve = curve_of(data, compared)
        rows = curve.to_frame()[["budget", "error", "low", "high", "explained"]].to_dict(orient="records")
        words = [", ".join(f"{n} × {name}" for name, n in plan.repeats.items()) for plan in curve.plans[0]]
        outlook = {
            "answer": answer.to_document(),
            "curve": [row | {"plan": plan} for row, plan in zip(rows, words, strict=True)],
            "checks": answer.checks.to_document()["results"],
        }
        seen = self.store.standing()
        document = {
            "number": number, "asked": 0, "new": 0, "bought": data.n_judgments, "spent": 0.0, "loss": answer.error**2,
            "std_error": 0.1, "note": note, "plan": answer.plan.to_document(), "outlook": outlook,
        }  # fmt: skip
        asked = [(o, a, int(n)) for o in self.labels().index for a, n in answer.plan.repeats.items() if n]
        state = {"round": number + 1, "asked": len(asked), "reason": "", "stage": "plan"}
        assert self.store.settle(seen, state, [document], asked)
        self.store.note("planned", f"round {number}")


def make_world(folder, *, n_objects=60, unlabelled=10, n_attributes=12, password=True, problems=True):
    """A folder with a study, read and prepared; nothing is judged."""
    crowd = simulate.height_weight(n_objects, random_state=3)
    moments = crowd._population.moments()
    telling = np.argsort(-np.abs(moments.to_frame()["correlation"].to_numpy()), kind="stable")[:n_attributes]
    names = [crowd.attributes[i] for i in sorted(telling)]
    binary = dict(zip(crowd.attributes, crowd._population.binary, strict=True))
    text = STUDY
    for name in names:
        kind = "binary" if binary[name] else "number"
        cost = crowd.costs.get(name, 1.0)
        text += f'[[attributes]]\nname = "{name}"\nquestion = "Is it so: {name}?"\nkind = "{kind}"\ncost = {cost}\n'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    labels = [f"{v:.4f}" for v in crowd.labels]
    labels[len(labels) - unlabelled :] = [""] * unlabelled
    rows = [f"{o},{label},Person {o}: a text to show" for o, label in zip(crowd.objects, labels, strict=True)]
    broken = ["odd,not a number,text", ",1.0,nobody"] if problems else []
    (folder / "objects.csv").write_text("id,label,text\n" + "\n".join(rows + broken) + "\n", encoding="utf-8")
    study = read_study(folder)
    objects = read_objects(study)
    clock = Clock()
    store = Store.open(study.database_address, clock=clock)
    store.prepare(study.costs, [(r.name, r.label) for r in objects.records])
    if password:
        store.set("password", hash_password(PASSWORD))
    return World(study, objects, store, crowd, clock)


def at_random(rng, values):
    return rng.permutation(values) if len(set(values)) > 2 else (rng.random(len(values)) < 0.5).astype(float)


def busy_world(folder, n_objects=110, **options):
    """A study in its third round, with good judges, one who guesses and one who rushes."""
    world = make_world(folder, n_objects=n_objects, **options)
    now = time.time()
    people = [f"5f3a{n:02d}c0ffee" for n in range(14)] + ["guesser", "rusher"]
    how = {"guesser": at_random}
    world.clock.now = now - 23 * 3600
    world.order_pilot()
    world.work(people, 80, hours=9.0 * 80 / 60, how=how)
    for number in (1, 2, 3):
        world.plan(number, 20.0 if number == 3 else 8.0 + 2 * number)
        world.work(people[3:] + people[:3], 5 if number == 3 else 100, hours=2.0 if number == 3 else 20.0, how=how)
    world.clock.now = now - 600
    world.work(people[:2], 2)
    world.clock.now = None
    world.store.enter("open", "newcomer", consented=True)
    world.store.lease(world.store.find_worker("newcomer").id, size=20)
    return world


def log_in(client, password=PASSWORD):
    """Log in through the form; the response of the form."""
    token = csrf_of(client.get("/admin/login").text)
    return client.post("/admin/login", data={"password": password, "csrf": token}, follow_redirects=False)


def csrf_of(text):
    return re.search(r'name="csrf" value="([^"]+)"', text).group(1)


def press(client, action, **fields):
    """Press a button of the page; the answer."""
    token = csrf_of(client.get("/admin").text)
    return client.post(f"/admin/{action}", data={"csrf": token, **fields})
