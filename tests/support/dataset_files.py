"""Files of datasets as they are published, small ones, for tests."""

from __future__ import annotations

import zipfile

from manyjudges import datasets
from manyjudges.datasets import ct_slices_file, published_files

# -- faces --

FACES = """worker,stimulus,attribute,rating,rating_type
a,1,trustworthy,40,normal
b,1,trustworthy,50,normal
c,1,trustworthy,90,repeat
a,1,smart,10,normal
b,1,smart,30,normal
c,1,smart,99,fill-in
a,2,trustworthy,70,normal
a,2,smart,60,normal
d,2,smart,61,normal
d,1005,smart,61,normal
d,CFD-1,smart,61,normal
"""


def zipped(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return path


def pack_faces(path, text=FACES):
    return zipped(path, attribute_ratings__csv=text)


# -- skating --

PERFORMANCES = """performance_id,competition,program,name
p1,Cup,MEN,A
p2,Cup,MEN,B
p3,Cup,DANCE,C
p4,Cup,DANCE,D
p5,Cup,DANCE,withdrawn
"""


def skating_files(folder, *, wrong_score=None, component="Interpretation of the Music / Timing"):
    names = ["Composition", "Interpretation of the Music", "Performance", "Skating Skills", "Transitions"]
    aspects = ["aspect_id,performance_id,section,aspect_num,aspect_desc,info_flag,base_value"]
    scores = ["aspect_id,judge,score"]
    for p, performance in enumerate(["p1", "p2", "p3", "p4"]):
        for e in range(2):
            aspects.append(f"{performance}e{e},{performance},elements,{e + 1},3A,,{p + e + 0.5}")
            scores.append(f"{performance}e{e},J1,2.0")
        for c, name in enumerate(names):
            dance = performance in ("p3", "p4") and c == 1
            aspects.append(f"{performance}c{c},{performance},components,,{component if dance else name},,")
            scores += [f"{performance}c{c},J{j},{p + c + j / 4}" for j in (1, 2)]
    if wrong_score:
        scores.append(f"p1c0,J3,{wrong_score}")
    folder.mkdir(exist_ok=True)
    (folder / "performances.csv").write_text(PERFORMANCES)
    (folder / "judged-aspects.csv").write_text("\n".join(aspects) + "\n")
    (folder / "judge-scores.csv").write_text("\n".join(scores) + "\n")
    return folder


# -- odours --


def odour_file(path, *, text="17", heading=None):
    columns = ["Compound Identifier", "Odor", "Replicate", "Intensity", "Dilution", "subject #", "INTENSITY/STRENGTH"]
    columns += ["VALENCE/PLEASANTNESS", *published_files.ODOUR_ATTRIBUTES[1:]]
    rest = len(published_files.ODOUR_ATTRIBUTES) - 1
    rows = [columns if heading is None else heading]

    def row(compound, again, intensity, subject, pleasant, first):
        values = [first] + ["0" if first != "NaN" else "NaN"] * (rest - 1)
        return [compound, '"2,3-thing "', again, intensity, '"1/1,000 "', subject, "7", pleasant, *values]

    rows += [
        row("126", "", "low ", "1", "1", "1"),
        row("126", "", "high ", "1", "60", "5"),
        row("126", "", "high ", "3", "NaN", "NaN"),
        row("126", "", "high ", "2", "9", text),
        row("126", "", "high ", "4", "NaN", "NaN"),
        row("126", "replicate ", "high ", "2", "9", "19"),
        row("126", "replicate ", "high ", "1", "50", "5"),
        row("176", "", "high ", "2", "9", "3"),
        row("176", "", "high ", "49", "33", "3"),
    ]
    path.write_bytes("\r".join("\t".join(line) for line in rows).encode())


# -- slices --


def slice_text(n=6, *, end="\n"):
    made = datasets.make_slice(n, random_state=0)
    lines = [",".join(ct_slices_file.SLICE_COLUMNS)]
    for patient, values, label in zip(made.patients, made.values, made.labels, strict=True):
        lines.append(",".join([str(patient), *(f"{v:.6g}" for v in values), f"{label:.6f}"]))
    return end.join(lines) + end


def edit(text, row, column, value):
    lines = [line.split(",") for line in text.splitlines()]
    lines[row][column] = value
    return "\n".join(",".join(line) for line in lines) + "\n"
