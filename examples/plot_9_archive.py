"""
Bring your Mechanical Turk archive
==================================

Old batches lie on many disks: somebody asked a crowd some questions about some pictures, years ago, and paid for it.
They are a pilot that you need not buy again. Here they are read, a plan is made from them, and the study goes on with
judges of today, on a page of its own.

The archive is simulated, so that it can be made here: two batches about 160 jars of jelly beans, of different years,
with answers in different columns. In their place, take what *Download CSV* of the requester site gave you.
"""

import atexit
import csv
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from manyjudges import MultiSelectRegressor, projected_error, simulate
from manyjudges.connectors import mturk

folder = tempfile.TemporaryDirectory()
here = Path(folder.name)
crowd = simulate.jelly_beans(160, random_state=6)
new = crowd.more(20)  # whose beans nobody has counted
addresses = {name: f"https://example.org/jars/{at:03d}.jpg" for at, name in enumerate(crowd.objects, start=1)}

# %%
# The archive
# -----------
# The first batch, of 2014, asked for the number of beans, and had a field for comments. The second, of 2019, asked
# three questions of yes or no, each with two columns of true and false. Some work was rejected. That is what such files
# look like; the code that makes them is not of interest here.

NUMBER, CHOICES = "number of beans", ("beautiful", "monochromatic", "round jar")
TIMES = {2014: "Sun Feb 16 10:21:03 PST 2014", 2019: "Wed May 08 2019 09:12:44 GMT-0700 (PDT)"}


def answers(attribute, value):
    if attribute == NUMBER:
        return {"Answer.beans": f"{max(round(value), 1)}", "Answer.comment": "many!" if value > 1500 else ""}
    return {
        f"Answer.{attribute}.{word}": str(truth).lower() for word, truth in (("yes", value == 1), ("no", value == 0))
    }


def batch(year, attributes, count):
    """The rows of a batch: each jar is a HIT, each of its assignments is one worker's."""
    asked = [(thing, name, count) for thing in crowd.objects for name in attributes]
    told = crowd.judge(pd.DataFrame(asked, columns=["object", "attribute", "count"]))
    told["turn"] = told.groupby(["object", "attribute"]).cumcount()
    for (thing, turn), rows in told.groupby(["object", "turn"]):
        seed = f"{year}{list(crowd.objects).index(thing):04d}{turn}"
        head = {"HITId": f"3H{year}{thing}", "AssignmentId": f"3A{seed}", "WorkerId": f"A{int(seed) % 61:02d}WORKER"}
        status = "Rejected" if int(seed) % 23 == 0 else "Approved"
        given = {key: text for row in rows.itertuples() for key, text in answers(row.attribute, row.value).items()}
        yield head | {"AssignmentStatus": status, "SubmitTime": TIMES[year], "Input.url": addresses[thing]} | given


def save(name, rows):
    with open(here / name, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


save("Batch_1390001_batch_results.csv", list(batch(2014, [NUMBER], 4)))
save("Batch_3620002_batch_results.csv", list(batch(2019, CHOICES, 3)))
print(*(here / "Batch_1390001_batch_results.csv").read_text().splitlines()[:4], sep="\n")

# %%
# Judgments from it
# -----------------
# ``mturk.read`` takes all files at once. It understands both ways to write answers and both ways to write times, leaves
# rejected work out, and refuses to guess: comments are no judgments, so the answers to take are named.

archive = mturk.read(sorted(here.glob("Batch_*.csv")), attributes=[NUMBER, *CHOICES], rename={"beans": NUMBER})
archive

# %%
# A plan from it
# --------------
# Somebody has counted the beans in these jars since. So there are labels, and with them a plan: for each new jar, which
# questions to ask, and how many people? What error is to be expected of it, and what would more money do?

labels = crowd.labels.rename(addresses)
costs = {NUMBER: 3}
projected_error(archive, labels, [6, 12, 24], costs=costs, random_state=0)

# %%
budget = 24
first = MultiSelectRegressor(budget, costs=costs).fit(archive, labels)
print(first.plan_)

# %%
# The plan wants more judgments than the archive has. They are bought on a page of one's own.
#
# A study to go on with
# ---------------------
# A study is a folder with a file of questions and a table of objects. The questions are those of old; the objects are
# the jars of the archive by the names that they have there, with their labels, and some new jars whose beans nobody has
# counted.

addresses |= {name: f"https://example.org/new/{at:03d}.jpg" for at, name in enumerate(new.objects, start=1)}
questions = "".join(
    f"""
[[attributes]]
name = "{name}"
question = "{"How many beans are in the jar?" if name == NUMBER else f"Is this {name}?"}"
kind = "{"number" if name == NUMBER else "binary"}"
cost = {costs.get(name, 1)}
"""
    for name in crowd.attributes
)
study = here / "jars"
study.mkdir()
(study / "study.toml").write_text(f'title = "Jars"\n\n[plan]\nbudget = {budget}\nmax_repeats = 10\n{questions}')
things = pd.DataFrame({"id": [addresses[name] for name in (*crowd.objects, *new.objects)]})
things.assign(label=things["id"].map(labels), image=things["id"]).to_csv(study / "objects.csv", index=False)


def manyjudges(*words):
    """What one would type at a prompt."""
    asked = [sys.executable, "-m", "manyjudges", *words]
    return subprocess.run(asked, cwd=here, capture_output=True, text=True, check=True).stdout


# %%
# The archive goes in by a command. Its judgments count as what they are, by workers of Mechanical Turk, who are the
# same should they come again. They cost this study nothing.

batches = sorted(each.name for each in here.glob("Batch_*.csv"))
print(manyjudges("import", "mturk", *batches, "--into", "jars", "--rename", f"beans={NUMBER}"))

# %%
# Judges of today
# ---------------
# ``manyjudges serve`` opens the page. It asks for what the pilot lacks after some work was rejected, plans, and asks
# for what the plan lacks and nothing else. Judges would come by a link in their browsers. Here a simulated crowd comes
# to the same server, by the :doc:`interface for programs </json-interface>`.

token = manyjudges("token", "jars", "simulated crowd").strip()
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]

server = subprocess.Popen(
    [sys.executable, "-m", "manyjudges", "serve", "jars", "--port", str(port)],
    cwd=here,
    env=os.environ | {"MANYJUDGES_PASSWORD": "a rehearsal"},
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
site = httpx.Client(
    base_url=f"http://127.0.0.1:{port}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60
)
names = {address: name for name, address in addresses.items()}
eyes = threading.Lock()


def status():
    """How the study stands; the server needs a moment to start."""
    for _ in range(200):
        try:
            return site.get("/status").raise_for_status().json()
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the server does not answer")


def look(attribute, seen):
    """What one simulated judge says about some jars."""
    told = {}
    for group in (crowd, new):
        mine = [names[address] for address in seen if names[address] in set(group.objects)]
        with eyes:
            said = group.judge(pd.DataFrame({"object": mine, "attribute": attribute, "count": 1}))
        told |= dict(zip(said["object"], said["value"], strict=True))
    values = [float(told[names[address]]) for address in seen]
    return [max(round(value), 1) for value in values] if attribute == NUMBER else values


def work(name):
    """Judge batch after batch, until the study is done."""
    while True:
        leased = site.post("/leases", json={"worker": name})
        if leased.status_code == 200:
            batch = leased.json()
            said = look(batch["attribute"], [each["object"] for each in batch["items"]])
            told = [{"position": at, "value": value} for at, value in enumerate(said)]
            site.post(f"/leases/{batch['id']}/judgments", json={"answers": told}).raise_for_status()
        elif status()["stage"] == "done":
            return
        else:  # others are at it, or a plan is being made
            time.sleep(0.5)


atexit.register(server.kill)  # should anything below go wrong
status()
judges = [threading.Thread(target=work, args=(f"judge {at}",)) for at in range(10)]
for judge in judges:
    judge.start()
for judge in judges:
    judge.join()
server.terminate()
server.wait()
print(manyjudges("status", "jars"))

# %%
# What came of it
# ---------------
# The training jars have what the plan wants, the new jars were judged by it, too, and their beans are predicted.

print(manyjudges("fit", "jars", "--out", "model.json", "--predictions", "predictions.csv"))
manyjudges("export", "jars", "--out", "all.csv", "--worker-ids")

found = pd.read_csv(here / "predictions.csv").set_index("object")
truth = new.labels.rename(addresses)
every = pd.read_csv(here / "all.csv").query("object in @labels.index")
old = every["cost"] == 0  # judgments of the archive were paid for long ago
bought = pd.DataFrame(
    {"archive": every[old].groupby("attribute").size(), "since": every[~old].groupby("attribute").size()}
)
bought = (bought.reindex(crowd.attributes).fillna(0) / len(labels)).iloc[::-1]

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
left.barh(bought.index, bought["archive"], color="#7f8890", label="in the archive")
left.barh(bought.index, bought["since"], left=bought["archive"], color="#3b82c4", label="bought since")
left.set_xlabel("judgments a jar")
left.set_title("What the plan asked for on top", loc="left")
left.legend(frameon=False, loc="lower right")
right.errorbar(
    truth,
    found["prediction"].reindex(truth.index),
    found["std"].reindex(truth.index),
    fmt="o",
    color="#d55e00",
    elinewidth=1,
    alpha=0.8,
)
right.axline((1000, 1000), slope=1, color="#7f8890", linewidth=1)
right.set_xlabel("beans in the jar")
right.set_ylabel("predicted, ± one standard deviation")
right.set_title("Twenty new jars", loc="left")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure

# %%
# A typical error, in beans, and how far jars are from their mean:

missed = found["prediction"].reindex(truth.index) - truth
round(float(np.sqrt((missed**2).mean()))), round(float(truth.std()))

# %%
# The same with real batches: :doc:`/mturk` says what is understood in them, and how HITs can lead workers to the page.

folder.cleanup()
