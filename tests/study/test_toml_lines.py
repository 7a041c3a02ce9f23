from __future__ import annotations

import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.study.toml_lines import Lines, describe_syntax_error, statements


def plain_line(text, path):
    """The plain twin: the first prefix of the file that has the path; the line after the last that had not."""
    lines, before = text.split("\n"), 0
    for length in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:length]) + "\n")
        except tomllib.TOMLDecodeError:
            continue
        if exists(document, path):
            return before + 1
        before = length
    return None


def exists(document, path):
    for step in path:
        if isinstance(step, int) != isinstance(document, list) or not isinstance(document, dict | list):
            return False
        if not (step < len(document) if isinstance(step, int) else step in document):
            return False
        document = document[step]
    return True


def paths(value, before=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*before, key)
        yield from paths(each, (*before, key))


KEYS = st.sampled_from(["a", "b", "c", "name", '"a.b"', "'#'", '"]"', '\'"""\'', '"\\""'])
ONE_LINE = [
    "1",
    "-1.5",
    "true",
    "1979-05-27T07:32:00Z",
    "inf",
    '""',
    "''",
    '"a # b"',
    "'[{'",
    '"\\"[\\\\"',
    '"é👍"',
    "'\"'",
]
SEVERAL = [
    '"""\nx\n"""',
    "'''\n'x' # [\n\n'''",
    '"""a \\\n   b"""',
    '""""x"" """',
    '"""\n# [[a]]\n[b]\n"""',
    '"""\\""""',
]
QUOTES = ['"""x"""""', "'''x'''''", '""""""', "''''''", '"""\\\\"""', "''''x'''"]
SCALARS = st.sampled_from(ONE_LINE + SEVERAL + QUOTES)


def _lists(inner):
    separators = st.sampled_from([", ", ",\n  ", ",  # note ] }\n", "\n,\n"])
    return st.builds(
        lambda items, between, ends: f"[{ends}{between.join(items)}{ends}]",
        st.lists(inner, max_size=3),
        separators,
        st.sampled_from(["", " ", "\n", "  # '''\n"]),
    )


def _inline(inner):
    return st.dictionaries(KEYS, inner, max_size=3).map(
        lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
    )


VALUES = st.recursive(SCALARS, lambda inner: _lists(inner) | _inline(inner), max_leaves=5)
DOTTED = st.lists(KEYS, min_size=1, max_size=3).map(".".join)
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, DOTTED, VALUES),
    st.builds("{}={}  # note".format, DOTTED, VALUES),
    DOTTED.map("[{}]".format),
    DOTTED.map("[[{}]]".format),
    DOTTED.map("  [[ {} ]] # [x".format),
    st.sampled_from(["", "# a = 1", "  # '''", "\t"]),
)


@settings(max_examples=300)
@given(st.lists(STATEMENTS, max_size=12), st.booleans())
def test_lines_of_any_file(parts, windows):
    kept = []
    for part in parts:  # what cannot follow is left out
        try:
            tomllib.loads("\n".join([*kept, part]))
        except tomllib.TOMLDecodeError:
            continue
        kept.append(part)
    text = "\n".join(kept)
    written = text.replace("\n", "\r\n") if windows else text
    lines = Lines(written)
    assert "".join(statement for _, statement in statements(written)) == written
    for path in paths(tomllib.loads(text)):
        assert lines.of(path) == plain_line(text, path), path
        assert lines.has(path)


def test_lines_of_what_is_not_there_are_those_of_the_table():
    lines = Lines("a = 1\n\n[b.c]\nd = 1\n[[e]]\n[[e]]\nf = {g = [1,\n{h = 2}]}\n")
    assert lines.of(("b", "c", "x")) == 3
    assert lines.of(("b", "x")) == 3
    assert lines.of(("e", 1, "x")) == 6
    assert lines.of(("e", 1, "f", "g", 1, "h")) == 7
    assert lines.of(("x", "y")) == 1
    assert not lines.has(("x",))


@settings(max_examples=300)
@given(st.lists(STATEMENTS, max_size=8), STATEMENTS.filter(lambda part: "=" in part or "[" in part))
def test_a_syntax_error_names_keys_as_the_file_does(parts, last):
    text = "\n".join([*parts, last, last])  # what stands twice cannot be read, unless it is a list of tables
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, problem = describe_syntax_error(text, error)
        assert 1 <= line <= len(text.splitlines())
        assert "('" not in problem.partition(", in ")[0]
        assert problem.endswith(".")
