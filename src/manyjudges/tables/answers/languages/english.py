"""The English words in which people answer."""

from __future__ import annotations

# ruff: noqa: E501 - a line is a step
from manyjudges.tables.answers.languages.language import Language

ENGLISH = Language(
    name="English",
    pairs=(
        (("no", "n", "nope"), ("yes", "y", "yep", "yeah")),
        (("false", "f"), ("true", "t")),
        (("incorrect", "wrong"), ("correct", "right")),
        (("unchecked", "not checked", "unticked", "not selected", "unselected"), ("checked", "ticked", "selected")),
        (("off",), ("on",)),
        (("absent", "not present"), ("present",)),
        (("fail", "failed"), ("pass", "passed")),
        (("invalid", "not valid"), ("valid",)),
        (("reject", "rejected"), ("accept", "accepted")),
        (("disabled", "inactive"), ("enabled", "active")),
        (("irrelevant", "not relevant"), ("relevant",)),
        (("thumbs down", "👎"), ("thumbs up", "👍")),
        (("✗", "✘", "❌", "☐"), ("✓", "✔", "✅", "☑")),
        (("not present", "none"), ("present",)),
        (("dislike",), ("like",)),
    ),
    no_answer="""
        na / n a / nan / nil answer / null / missing / unanswered / not answered / no answer / no response
        did not answer / didn't answer / blank / left blank / empty / skipped / skip / not asked / not shown / dk
        d k / dk na / dk ref / dunno / idk / don't know / do not know / i don't know / i do not know
        don't know no answer / don't know refused / don't know not applicable / don't remember / can't remember
        cannot remember / i don't remember / not known / unknown / no idea / can't say / cannot say / can't judge
        cannot judge / unable to judge / unable to say / unable to tell / can't answer / cannot answer
        unable to answer / can't choose / hard to say / no opinion / don't have an opinion / prefer not to say
        prefer not to answer / prefer not to disclose / prefer not to respond / i prefer not to say
        i prefer not to answer / i'd rather not say / would rather not say / rather not say / choose not to answer
        decline to answer / declined to answer / declined / refused / refusal / refuse to answer / not applicable
        does not apply to me / doesn't apply to me / not available / not stated / not ascertained / not determined
        nothing selected
    """,
    ladders={
        "agreement": """
            strongly disagree / completely disagree / totally disagree / fully disagree / absolutely disagree / disagree strongly / disagree completely / extremely disagree / entirely disagree / strong disagree / disagree very much / very strongly disagree / definitely disagree
            disagree / mostly disagree / moderately disagree / generally disagree / disagree moderately / do not agree / don't agree / largely disagree
            somewhat disagree / slightly disagree / rather disagree / tend to disagree / disagree somewhat / disagree slightly / mildly disagree / disagree a little / partly disagree / partially disagree / disagree mildly / weakly disagree
            neither agree nor disagree / neutral / undecided / neither / neither disagree nor agree / neither agree or disagree / unsure / not sure / uncertain / neither nor / neither agree, nor disagree / mixed / no preference / agree nor disagree
            somewhat agree / slightly agree / rather agree / tend to agree / agree somewhat / agree slightly / mildly agree / agree a little / partly agree / partially agree / agree mildly / weakly agree
            agree / mostly agree / moderately agree / generally agree / agree moderately / largely agree
            strongly agree / completely agree / totally agree / fully agree / absolutely agree / agree strongly / agree completely / extremely agree / entirely agree / strong agree / agree very much / very strongly agree / definitely agree
        """,
        "frequency": """
            never / not at any time / at no time / none of the time / not ever
            almost never / hardly ever / nearly never / very rarely / very seldom / very infrequently / a little of the time
            rarely / seldom / infrequently / not often / not very often
            occasionally / once in a while / now and then / from time to time / every now and then / on occasion
            sometimes / some of the time / at times
            half the time / about half the time / about half of the time / half of the time
            often / frequently / regularly / fairly often / quite often / a lot of the time / a good bit of the time / many times
            very often / usually / very frequently / most of the time / generally / mostly / mainly / normally
            almost always / nearly always / almost all of the time / nearly all the time / almost all the time / almost constantly
            always / all the time / all of the time / every time / constantly / at all times / without exception
        """,
        "days": """
            not at all / rarely or none of the time
            several days / some or a little of the time
            more than half the days / over half the days / more than half of the days / occasionally or a moderate amount of time
            nearly every day / almost every day / most or all of the time
        """,
        "how often": """
            never
            less than once a year / less often than once a year / less than yearly
            once a year / yearly / annually / about once a year / every year
            several times a year / a few times a year / less than once a month / less than monthly / less often than once a month
            once a month / monthly / about once a month / every month / 1 3 times a month
            several times a month / a few times a month / 2 3 times a month / less than once a week / less than weekly / two or three times a month
            once a week / weekly / about once a week / every week / 1 2 times a week
            several times a week / a few times a week / 2 3 times a week / two or three times a week / most days / 4 6 times a week
            once a day / daily / every day / about once a day
            several times a day / more than once a day / multiple times a day / many times a day
        """,
        "quality": """
            terrible / awful / horrible / extremely bad / extremely poor / dreadful / abysmal / appalling
            very poor / very bad / far below average
            poor / bad / below average / unsatisfactory / inadequate / weak / substandard
            fair / mediocre / passable / not so good / slightly below average
            average / okay / ok / acceptable / satisfactory / neutral / neither good nor bad / adequate / so so / neither / moderate / sufficient / neither bad nor good
            good / above average / well / fine / decent
            very good / great / far above average / very well
            excellent / outstanding / perfect / extremely good / superb / exceptional / amazing / fantastic / superior
        """,
        "mean opinion score": """
            bad
            poor
            fair
            good
            excellent
        """,
        "yes or no": """
            definitely not / definitely no / certainly not / absolutely not / clearly not / clearly no / definitely would not / definitely will not
            no / false
            probably not / probably no / rather no / mostly no / more no than yes / likely not / perhaps not / leaning no / weak no / probably would not / probably will not / lean no
            maybe / unsure / not sure / uncertain / possibly / perhaps / might or might not / may or may not / partly / partially / undecided / in part / somewhat / borderline / unclear / can go either way
            probably / probably yes / rather yes / mostly yes / more yes than no / likely yes / leaning yes / weak yes / yes probably / probably would / probably will / lean yes
            yes / true
            definitely / definitely yes / certainly / absolutely / clearly yes / yes definitely / definitely would / definitely will
        """,
        "truth": """
            definitely false / completely false / totally false / certainly false / absolutely false
            false / not true / untrue / not at all true
            mostly false / probably false / rather false / somewhat false / partly false / likely false / largely false / hardly true / barely true
            half true / neither true nor false / unsure / not sure / mixed / neutral / undecided / partly true partly false
            partly true / somewhat true / sometimes true / slightly true / partially true / a little true / rather true
            mostly true / probably true / likely true / largely true / moderately true
            true / very true / certainly true
            definitely true / completely true / totally true / absolutely true / exactly true / extremely true
        """,
        "amount": """
            not at all / none / none at all / nothing / not / no / never / absent / not in the least / not any / very slightly or not at all / zero
            hardly / barely / very little / hardly at all / scarcely / very slightly / minimally / hardly any / almost none / to a very small extent / minimal / only slightly
            slightly / a little / a little bit / a bit / mildly / little / to a small extent / low / a small amount / mild / slight / not much / not very / not so / a small extent / not very much / not so much / only a little
            somewhat / some / to some extent / partly / partially / some extent / in part / rather
            moderately / {} / a moderate amount / fairly / moderate / to a moderate extent / medium / reasonably / averagely / moderate extent / adequately
            quite a bit / quite / considerably / largely / mostly / quite a lot / to a considerable extent / a good deal / pretty / to a large extent / pretty much / substantially
            very / very much / much / a lot / strongly / to a great extent / great extent / highly / really / intensely / lots / high / strong
            extremely / completely / totally / entirely / fully / a great deal / an extreme amount / to a very great extent / to a very large extent / absolutely / extreme / an enormous amount / tremendously / to an extreme extent / exceptionally / very strongly / wholly / enormously / perfectly
        """,
        "share": """
            none / none of them / none of it / nobody / no one / nothing
            almost none / hardly any / very few / almost nobody / almost nothing / almost no one
            few / a few / a few of them / a minority / a little of it / less than half / a small part
            some / some of them / some of it / several
            half / about half / about half of them / half of them / half of it / about half of it / approximately half
            many / a lot / many of them / more than half / the majority / a majority / a large part
            most / most of them / most of it / the vast majority
            almost all / nearly all / almost everybody / almost everything / almost everyone
            all / all of them / all of it / everybody / everyone / everything
        """,
        "importance": """
            not at all important / not important / unimportant / not important at all / of no importance / no importance / irrelevant / completely unimportant
            of little importance / slightly important / a little important / low importance / not very important / not so important / of low importance / minor / less important / not too important
            somewhat important / of some importance / rather important / of moderate importance / of medium importance
            moderately important / fairly important / quite important / medium importance / moderate importance / neutral / of average importance / neither important nor unimportant
            important / high importance / of high importance / of great importance / major
            very important / of very high importance / highly important / really important
            extremely important / essential / absolutely essential / crucial / critical / critically important / of the utmost importance / vital
        """,
        "level": """
            lowest / extremely low / minimum / lowest possible / ultra low
            very low
            low / bottom / small / lower
            medium low / somewhat low / rather low / slightly low / moderately low / low medium / low to medium / below average / below medium
            medium / moderate / average / mid / middle / normal / intermediate / med / neither low nor high / neutral / neither high nor low
            medium high / somewhat high / rather high / slightly high / moderately high / high medium / medium to high / above average / above medium
            high / top / big / large / higher
            very high
            highest / extremely high / maximum / highest possible / ultra high
        """,
        "severity": """
            none / no / absent / not present / no problem / no problems / not at all / negligible
            minimal / very mild / trace / very slight / trivial / questionable / very minor
            mild / slight / minor / a little
            moderate / medium / some
            moderately severe / marked / considerable / serious / major / strong / quite severe
            severe / intense
            very severe / critical / very serious / very strong
            extreme / extremely severe / worst possible / worst imaginable / unbearable / catastrophic / most severe / blocker
        """,
        "size": """
            tiny / very small / extra small / xs / minuscule / xxs
            small / s / little
            medium / m / average / normal / mid sized / medium sized / middle / moderate
            large / l / big
            very large / xl / extra large / very big / huge
            enormous / xxl / giant / gigantic / massive
        """,
        "experience": """
            none / no experience / layperson / no knowledge
            beginner / novice / basic / entry level / junior / elementary / newcomer
            intermediate / medium / average / mid level / competent / some experience / regular
            advanced / proficient / experienced / senior / skilled
            expert / master / specialist / native / professional / fluent
        """,
        "temperature": """
            freezing / very cold / extremely cold / ice cold
            cold
            cool / slightly cool / chilly / slightly cold
            neutral / lukewarm / neither warm nor cold / mild / neither cold nor warm / tepid / comfortable
            warm / slightly warm
            hot / very warm
            boiling / very hot / extremely hot
        """,
        "comparison": """
            much worse / far worse / a lot worse / significantly worse / considerably worse / substantially worse / very much worse / strongly worse / much worse than before / way worse
            worse / moderately worse / worse than before / quite a bit worse / inferior
            slightly worse / somewhat worse / a bit worse / a little worse / minimally worse / marginally worse / somewhat worse than before / rather worse
            about the same / the same / same / equal / equally good / no difference / no change / unchanged / tie / as good / similar / neither / neither better nor worse / neutral / comparable / tied / stayed the same / just as good / both equal / roughly the same / about equal / equivalent
            slightly better / somewhat better / a bit better / a little better / minimally better / marginally better / somewhat better than before / rather better
            better / moderately better / better than before / quite a bit better / superior
            much better / far better / a lot better / significantly better / considerably better / substantially better / very much better / strongly better / much better than before / way better
        """,
        "average": """
            far below average / much below average / well below average
            below average / moderately below average
            somewhat below average / slightly below average / a little below average
            average / about average / around average
            somewhat above average / slightly above average / a little above average
            above average / moderately above average
            far above average / much above average / well above average
        """,
        "more or less": """
            much less / far less / a lot less / significantly less / considerably less / much lower / decreased a lot / much fewer
            less / fewer / moderately less / lower / decreased / decrease / reduced
            slightly less / somewhat less / a bit less / a little less / slightly lower / somewhat lower / decreased a little / slightly decreased / decreased slightly
            about the same / the same / same / equal / no difference / no change / unchanged / just as much / neither more nor less / as much / stayed the same / about right / just right
            slightly more / somewhat more / a bit more / a little more / slightly higher / somewhat higher / increased a little / slightly increased / increased slightly
            more / moderately more / higher / increased / increase / raised
            much more / far more / a lot more / significantly more / considerably more / much higher / increased a lot / many more
        """,
        "too little or too much": """
            far too little / much too little / far too low / much too small / far too few / much too low / far too weak / much too weak
            too little / too low / too small / too few / not enough / insufficient / too short / too slow / too weak
            slightly too little / a little too little / slightly too low / a little too low / slightly too small / slightly too weak / slightly too short / slightly too slow
            about right / just right / right / ok / okay / exactly right / just about right / appropriate / enough / adequate
            slightly too much / a little too much / slightly too high / a little too high / slightly too large / slightly too big / slightly too strong / slightly too long / slightly too fast
            too much / too high / too large / too many / too big / more than enough / too long / too fast / too strong
            far too much / much too much / far too high / much too large / far too many / much too high / far too strong / much too strong
        """,
    },
    degrees=(
        "extremely {} / completely {} / totally {} / absolutely {} / entirely {} / exceptionally {}",
        "very {} / highly {} / strongly {} / really {} / very much {}",
        "{} / moderately {} / quite {} / mostly {} / generally {} / mainly {}",
        "somewhat {} / slightly {} / rather {} / a little {} / a bit {} / fairly {} / mildly {} / a little bit {} / partly {} / partially {}",
    ),
    middle="neither {low} nor {high} / neither {high} nor {low} / neither {low} or {high} / neither {high} or {low} / neutral / neither / neither nor / undecided / in between / mixed / unsure / not sure / uncertain",
    opposites={
        "satisfaction": ("dissatisfied | unsatisfied", "satisfied", "indifferent / ok / okay"),
        "likelihood": (
            "unlikely | improbable",
            "likely | probable",
            "possible / 50 50 / as likely as not / equally likely and unlikely",
        ),
        "difficulty": ("difficult | hard | challenging", "easy | simple", "average / medium / ok / okay / normal"),
        "sentiment": ("negative", "positive", "objective / balanced"),
        "goodness": ("bad", "good", "average / fair / ok / okay"),
        "relevance": ("irrelevant | not relevant", "relevant", ""),
        "pleasantness": ("unpleasant", "pleasant", "indifferent / ok / okay"),
        "accuracy": ("inaccurate", "accurate", "neither inaccurate nor accurate"),
        "happiness": ("unhappy | sad", "happy", "indifferent / ok / okay"),
        "comfort": ("uncomfortable", "comfortable", "ok / okay"),
        "confidence": ("unconfident | insecure", "confident | secure", ""),
        "helpfulness": ("unhelpful | not helpful", "helpful", ""),
        "usefulness": ("useless | not useful", "useful", ""),
        "clarity": ("unclear", "clear", ""),
        "safety": ("unsafe | dangerous", "safe", ""),
        "attractiveness": ("unattractive | ugly", "attractive | beautiful", "average"),
        "trust": ("untrustworthy", "trustworthy", ""),
        "interest": ("boring | uninteresting", "interesting", "average / ok / okay"),
        "favour": ("unfavorable | unfavourable", "favorable | favourable", ""),
        "support": (
            "opposed | against | oppose",
            "in favor | in favour | for | support | supportive | favor | favour",
            "indifferent",
        ),
        "naturalness": ("unnatural", "natural", ""),
        "familiarity": ("unfamiliar", "familiar", ""),
        "appropriateness": ("inappropriate", "appropriate", ""),
        "speed": ("slow", "fast | quick", "medium / average / normal"),
        "length": ("short", "long", "medium / average / normal"),
        "height": ("short | small", "tall", "medium / average / normal"),
        "weight": ("light", "heavy", "medium / average / normal"),
        "strength": ("weak", "strong", "medium / average / normal / moderate"),
        "age": ("young", "old", "middle aged / medium"),
        "brightness": ("dark", "bright", "medium / average / normal"),
        "noise": ("quiet | silent", "loud | noisy", "medium / average / normal"),
    },
)
