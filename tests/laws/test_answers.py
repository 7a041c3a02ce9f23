"""Laws of answers: what holds for the words of every language, and whatever answers a question has."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.tables.answers.languages.language import key_of, plain_key
from manyjudges.tables.answers.no_answer import is_no_answer
from manyjudges.tables.answers.recognition import recognise_coding
from manyjudges.tables.answers.words import LANGUAGES, known_ladders, known_pairs
from manyjudges.tables.grammar import read_number

IN_EVERY_LANGUAGE = ("agreement", "frequency", "quality", "amount", "importance", "level", "severity", "comparison")
IN_EVERY_LANGUAGE += ("yes or no", "satisfaction", "likelihood", "difficulty", "sentiment")

LADDERS = known_ladders()
every_ladder = pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.title)


@every_ladder
def test_a_word_has_one_step_of_a_ladder(ladder):
    steps = [{key_of(word) for word in step} for step in ladder.steps]
    assert [sorted(a & b) for a, b in itertools.combinations(steps, 2) if a & b] == []
    assert len(steps) >= 3


@every_ladder
def test_no_step_is_a_number_or_no_answer(ladder):
    words = [word for step in ladder.steps for word in step]
    assert [word for word in words if is_no_answer(word) or read_number(word) == read_number(word)] == []


def test_no_word_of_two_is_no_answer():
    assert [word for pair in known_pairs() for word in pair if is_no_answer(word)] == []


def test_a_word_has_the_same_number_in_all_pairs():
    numbers = {}
    for pair in known_pairs():
        for word, number in pair.items():
            assert numbers.setdefault(word, number) == number, word


def test_ladders_agree_on_the_order_of_words():
    for one, other in itertools.combinations(LADDERS, 2):
        shared = [key for key in one.step_of if key in other.step_of]
        for a, b in itertools.combinations(shared, 2):
            difference = one.step_of[a] - one.step_of[b], other.step_of[a] - other.step_of[b]
            assert difference[0] * difference[1] >= 0, (one.title, other.title, a, b)


@every_ladder
@settings(max_examples=5)
@given(data=st.data())
def test_some_steps_are_recognised_in_their_order(ladder, data):
    chosen = data.draw(st.sets(st.integers(0, len(ladder.steps) - 1), min_size=3))
    words = [data.draw(st.sampled_from(ladder.steps[step])) for step in sorted(chosen)]
    words = [word for word in words if word != "{}"]
    written = [data.draw(st.sampled_from([word, word.upper(), f" {word}.", word.replace("'", "’")])) for word in words]
    coding = recognise_coding(data.draw(st.permutations(written)))
    numbers, invalid = coding.encode(written)
    assert not invalid.any()
    assert (numbers[1:] > numbers[:-1]).all() or len(words) < 3
    assert coding == recognise_coding(sorted(written, reverse=True))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_has_what_the_first_has(language):
    assert {*IN_EVERY_LANGUAGE} <= {*language.ladders, *language.opposites}
    assert language.pairs[0][0]
    assert language.no_answer.split()


@given(st.text(max_size=8))
def test_keys_are_keys_of_themselves(text):
    assert key_of(key_of(text)) == key_of(text)
    assert key_of(plain_key(text)) == key_of(text)
    assert key_of(text.upper()) == key_of(text.upper().lower())


AS_PEOPLE_ANSWER = [
    ["stimme gar nicht zu", "teils/teils", "stimme eher zu", "Stimme voll und ganz zu"],
    ["trifft überhaupt nicht zu", "trifft eher nicht zu", "trifft voll und ganz zu"],
    ["nie", "selten", "manchmal", "haeufig", "immer"],
    ["sehr unzufrieden", "eher unzufrieden", "weder noch", "sehr zufrieden"],
    ["Überhaupt nicht", "ein wenig", "ziemlich", "sehr"],
    ["leicht", "mittel", "schwer"],
    ["Pas du tout d’accord", "Plutôt pas d'accord", "neutre", "plutôt d’accord", "Tout à fait d'accord"],
    ["jamais", "rarement", "parfois", "souvent", "toujours"],
    ["très insatisfaite", "satisfaite", "très satisfaite"],
    ["mauvais", "moyen", "bon", "très bon"],
    ["Totalmente en desacuerdo", "En desacuerdo", "ni de acuerdo ni en desacuerdo", "De acuerdo"],
    ["nunca", "casi nunca", "a veces", "casi siempre", "siempre"],
    ["malo", "regular", "bueno", "muy bueno"],
    ["nada", "un poco", "bastante", "mucho"],
    ["非常不同意", "不同意", "一般", "同意", "非常同意"],
    ["从不", "很少", "有时", "经常", "总是"],
    ["非常不满意", "不满意", "一般", "满意", "非常满意"],
    ["差", "一般", "好", "很好"],
    ["不重要", "一般", "重要", "非常重要"],
    ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    ["Never", "Almost never", "Sometimes", "Fairly often", "Very often"],
    ["Not at all", "A little bit", "Somewhat", "Quite a bit", "Very much"],
    ["Extremely unlikely", "Somewhat unlikely", "Neither likely nor unlikely", "Extremely likely"],
    ["Very slightly or not at all", "A little", "Moderately", "Quite a bit", "Extremely"],
    ["poor", "fair", "good", "very good", "excellent"],
    ["bad", "poor", "fair", "good", "excellent"],
    ["much worse", "worse", "about the same", "better", "much better"],
    ["none", "mild", "moderate", "severe"],
    ["very inaccurate", "moderately inaccurate", "moderately accurate", "very accurate"],
    ["not at all convincing", "slightly convincing", "moderately convincing", "extremely convincing"],
    ["no pain", "mild pain", "severe pain"],
    ["low risk", "medium risk", "high risk"],
]


@pytest.mark.parametrize("answers", AS_PEOPLE_ANSWER, ids=lambda answers: f"{answers[0]} … {answers[-1]}")
def test_what_people_answer_has_its_order(answers):
    coding = recognise_coding(sorted(answers))
    numbers, invalid = coding.encode(answers)
    assert coding.kind == "scale"
    assert not invalid.any()
    assert (numbers[1:] > numbers[:-1]).all()


AS_PEOPLE_OFFER = [
    "Never | Sometimes | About half the time | Most of the time | Always",
    "Never | Seldom | Sometimes | Often | Almost always",
    "Never | Rarely | Occasionally | Sometimes | Often | Very often | Always",
    "Very rarely | Rarely | Occasionally | Frequently | Very frequently",
    "Very poor | Poor | Fair | Good | Excellent",
    "Far below average | Somewhat below average | Average | Somewhat above average | Far above average",
    "Extremely bad | Somewhat bad | Neither good nor bad | Somewhat good | Extremely good",
    "Far too little | Slightly too little | About right | Slightly too much | Far too much",
    "Not well at all | Slightly well | Moderately well | Very well | Extremely well",
    "Not effective at all | Slightly effective | Moderately effective | Very effective | Extremely effective",
    "Not at all true | Hardly true | Moderately true | Exactly true",
    "Unimportant | Slightly important | Important | Very important | Critical",
    "Disagree | Somewhat disagree | Neutral | Somewhat agree | Agree",
    "Strongly oppose | Oppose | Neutral | Favor | Strongly favor",
    "Definitely will not | Probably will not | Might or might not | Probably will | Definitely will",
    "Very cold | Cold | Neutral | Warm | Very warm",
    "Not relevant | Somewhat relevant | Relevant | Very relevant",
    "Irrelevant | Partially relevant | Relevant | Highly relevant",
    "gar nicht | wenig | mittel | ziemlich | sehr",
    "stimmt nicht | stimmt kaum | stimmt eher | stimmt genau",
    "Trifft gar nicht zu | Trifft wenig zu | Trifft teils-teils zu | Trifft ziemlich zu | Trifft völlig zu",
    "überhaupt nicht wichtig | eher unwichtig | teils/teils | eher wichtig | sehr wichtig",
    "unwichtig | eher unwichtig | mittel | eher wichtig | sehr wichtig",
    "Pas du tout | Un peu | Moyennement | Beaucoup | Énormément",
    "Pas du tout satisfait | Plutôt pas satisfait | Plutôt satisfait | Très satisfait",
    "Nada importante | Poco importante | Algo importante | Importante | Muy importante",
    "强烈反对 | 反对 | 中立 | 赞成 | 强烈赞成",
    "1 Strongly disagree | 2 Disagree | 3 Neutral | 4 Agree | 5 Strongly agree",
]
"""Scales as survey tools and textbooks offer them, all steps from the lowest."""


@pytest.mark.parametrize("offered", AS_PEOPLE_OFFER)
def test_steps_that_are_offered_together_are_numbered_without_gaps(offered):
    words = offered.split(" | ")
    assert recognise_coding(words[::-1]).encode(words)[0].tolist() == [*range(1, len(words) + 1)]


@pytest.mark.parametrize(
    "answers", [["ja", "Nein"], ["oui", "non"], ["sí", "no"], ["si", "NO"], ["是", "否"], ["有", "没有"]]
)
def test_yes_and_no_in_every_language(answers):
    yes, no = sorted(answers, key=lambda word: word.casefold() in ("nein", "non", "no", "否", "没有"))
    coding = recognise_coding(answers)
    assert coding.kind == "binary"
    assert coding.encode([yes, no])[0].tolist() == [1, 0]


@pytest.mark.parametrize(
    "word", ["weiß nicht", "Weiss nicht", "k.A.", "ne sait pas", "NSP", "no sabe", "Ns/Nc", "不知道", "拒绝回答"]
)
def test_no_answer_in_every_language(word):
    assert is_no_answer(word)
