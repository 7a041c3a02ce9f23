"""The German words in which people answer."""

from __future__ import annotations

# ruff: noqa: E501 - a line is a step
from manyjudges.tables.answers.languages.language import Language

GERMAN = Language(
    name="German",
    pairs=(
        (("nein", "n", "nö", "ne"), ("ja", "j", "jo", "jep")),
        (("falsch", "unwahr"), ("wahr", "richtig")),
        (
            ("nicht ausgewählt", "nicht gewählt", "nicht genannt", "nicht angekreuzt"),
            ("ausgewählt", "gewählt", "genannt", "angekreuzt"),
        ),
        (("aus",), ("an", "ein")),
        (("nicht vorhanden", "abwesend"), ("vorhanden", "anwesend")),
        (("nicht bestanden", "durchgefallen"), ("bestanden",)),
        (("ungültig",), ("gültig",)),
    ),
    no_answer="""
        k a / ka / k. a. / keine angabe / keine angaben / keine antwort / ohne angabe / o a / nicht beantwortet / unbeantwortet / fehlt / fehlend
        weiß nicht / weiss nicht / weiß ich nicht / ich weiß nicht / ich weiß es nicht / weiß es nicht / weiß nicht keine angabe / weiß nicht k a / keine ahnung / w n / wn
        keine meinung / möchte ich nicht sagen / möchte ich nicht beantworten / möchte nicht antworten / möchte ich nicht angeben / möchte nicht sagen
        verweigert / antwort verweigert / verweigerung / kann ich nicht sagen / kann ich nicht beurteilen / kann ich nicht einschätzen / nicht beurteilbar / kann nicht beurteilt werden
        nicht zutreffend / entfällt / nicht anwendbar / unbekannt / leer / nicht gefragt / nicht gezeigt / n z / nicht bekannt
    """,
    ladders={
        "agreement": """
            stimme überhaupt nicht zu / stimme gar nicht zu / trifft überhaupt nicht zu / trifft gar nicht zu / stimme ganz und gar nicht zu / lehne voll und ganz ab / lehne stark ab / lehne entschieden ab / stimme absolut nicht zu / überhaupt nicht einverstanden / gar nicht einverstanden / starke ablehnung / stimmt überhaupt nicht / stimmt gar nicht / lehne völlig ab
            stimme nicht zu / trifft nicht zu / lehne ab / ablehnung / nicht einverstanden / stimmt nicht / stimme größtenteils nicht zu
            stimme eher nicht zu / trifft eher nicht zu / lehne eher ab / stimme weniger zu / eher nicht einverstanden / stimmt eher nicht / stimme wenig zu / trifft weniger zu / trifft kaum zu / stimmt wenig / stimme kaum zu / stimmt kaum / trifft wenig zu
            weder noch / teils teils / neutral / unentschieden / stimme weder zu noch lehne ich ab / stimme weder zu noch nicht zu / weder zustimmung noch ablehnung / stimme teils zu teils nicht zu / stimme teilweise zu / trifft teils zu teils nicht zu / trifft teilweise zu / stimmt teils teils / trifft teils teils zu / stimme teils teils zu / teilweise / stimme teils zu / unsicher / mittel / stimmt mittelmäßig
            stimme eher zu / trifft eher zu / eher einverstanden / stimmt eher / stimme etwas zu / stimmt ziemlich / trifft ziemlich zu / stimme ziemlich zu
            stimme zu / trifft zu / einverstanden / zustimmung / stimmt / stimme überwiegend zu / trifft überwiegend zu / stimme größtenteils zu
            stimme voll und ganz zu / stimme völlig zu / stimme voll zu / stimme vollkommen zu / stimme vollständig zu / trifft voll und ganz zu / trifft völlig zu / trifft voll zu / trifft genau zu / trifft vollkommen zu / stimme sehr zu / stimme stark zu / stimmt genau / stimmt völlig / stimmt voll und ganz / starke zustimmung / voll und ganz einverstanden / vollkommen einverstanden / stimmt sehr / stimme absolut zu
        """,
        "frequency": """
            nie / niemals / zu keiner zeit / noch nie
            fast nie / sehr selten / so gut wie nie / beinahe nie / kaum / praktisch nie
            selten / nicht oft
            gelegentlich / ab und zu / hin und wieder
            manchmal / zeitweise / teilweise / mitunter / bisweilen
            die hälfte der zeit / etwa die hälfte der zeit / ungefähr die hälfte der zeit / in der hälfte der zeit
            oft / häufig / regelmäßig / öfter / öfters
            sehr oft / meistens / sehr häufig / in der regel / meist / überwiegend / normalerweise / die meiste zeit
            fast immer / so gut wie immer / beinahe immer
            immer / stets / ständig / jederzeit / jedes mal / die ganze zeit
        """,
        "days": """
            überhaupt nicht
            an einzelnen tagen
            an mehr als der hälfte der tage
            beinahe jeden tag
        """,
        "how often": """
            nie / niemals
            seltener als einmal im jahr / weniger als einmal im jahr
            einmal im jahr / jährlich / einmal pro jahr
            mehrmals im jahr / mehrmals pro jahr / seltener als einmal im monat / seltener / weniger als einmal im monat
            einmal im monat / monatlich / einmal pro monat
            mehrmals im monat / mehrmals pro monat
            einmal in der woche / wöchentlich / einmal pro woche
            mehrmals in der woche / mehrmals pro woche / mehrmals wöchentlich
            einmal am tag / täglich / jeden tag / einmal pro tag
            mehrmals am tag / mehrmals täglich / mehrmals pro tag
        """,
        "quality": """
            extrem schlecht / miserabel / furchtbar / katastrophal
            sehr schlecht
            schlecht / mangelhaft / unterdurchschnittlich
            eher schlecht / weniger gut
            mittelmäßig / durchschnittlich / mittel / befriedigend / neutral / weder gut noch schlecht / teils teils / ausreichend / in ordnung / okay / ok / weder noch / geht so / zufriedenstellend
            gut / eher gut
            sehr gut
            ausgezeichnet / hervorragend / exzellent / extrem gut / perfekt
        """,
        "school grades": """
            ungenügend
            mangelhaft
            ausreichend
            befriedigend
            gut
            sehr gut
        """,
        "yes or no": """
            auf keinen fall / ganz sicher nicht / sicher nicht / bestimmt nicht / definitiv nicht / nein auf keinen fall / keinesfalls / ganz bestimmt nicht
            nein
            eher nein / wahrscheinlich nicht / eher nicht / vermutlich nicht / vielleicht nicht
            vielleicht / unsicher / teils teils / möglicherweise / eventuell / teilweise / nicht sicher / unentschieden / zum teil / unklar / jein
            eher ja / wahrscheinlich / eher schon / vermutlich / ja vielleicht / wahrscheinlich ja
            ja
            auf jeden fall / ganz sicher / sicher / bestimmt / definitiv / ja auf jeden fall / ganz bestimmt
        """,
        "amount": """
            überhaupt nicht / gar nicht / nicht / kein / keine / nie / keineswegs / nichts / gar keine / keinerlei
            kaum / sehr wenig / sehr gering / fast gar nicht / sehr schwach
            ein wenig / wenig / etwas / ein bisschen / gering / leicht / schwach / geringfügig / nicht sehr
            einigermaßen / teilweise / teils teils / zum teil / eher
            mittelmäßig / {} / mäßig / mittel / mittelstark / in mittlerem maße / halbwegs
            ziemlich / überwiegend / größtenteils / erheblich / recht / ziemlich stark / beträchtlich
            sehr / stark / viel / sehr viel / in hohem maße / hoch / weitgehend
            äußerst / völlig / extrem / vollständig / voll und ganz / außerordentlich / sehr stark / absolut / vollkommen / ganz / komplett / total / in sehr hohem maße
        """,
        "importance": """
            überhaupt nicht wichtig / gar nicht wichtig / unwichtig / nicht wichtig / völlig unwichtig / ganz unwichtig
            wenig wichtig / kaum wichtig / eher unwichtig / weniger wichtig / sehr wenig wichtig / nicht so wichtig
            etwas wichtig / teils teils / einigermaßen wichtig / ein wenig wichtig / mittel / neutral / weder noch / weder wichtig noch unwichtig
            mäßig wichtig / mittelmäßig wichtig / ziemlich wichtig / eher wichtig
            wichtig
            sehr wichtig
            äußerst wichtig / extrem wichtig / unverzichtbar / außerordentlich wichtig / entscheidend / absolut wichtig / essentiell
        """,
        "level": """
            extrem niedrig / niedrigste / minimal
            sehr niedrig / sehr gering
            niedrig / gering / klein / tief
            eher niedrig / eher gering / unterdurchschnittlich
            mittel / mittlere / mittlerer / mäßig / durchschnittlich / normal / moderat / weder noch
            eher hoch / überdurchschnittlich
            hoch / groß
            sehr hoch
            extrem hoch / höchste / maximal
        """,
        "severity": """
            keine / keiner / kein / nicht vorhanden / gar keine / nein
            minimal / sehr leicht / sehr gering
            leicht / gering / mild / schwach
            mittel / mäßig / mittelschwer / moderat / mittelgradig / mittelstark
            mittelschwer bis schwer / erheblich / deutlich / ausgeprägt
            schwer / stark / schlimm / schwerwiegend
            sehr schwer / sehr stark / sehr schlimm
            extrem / extrem schwer / unerträglich / extrem stark
        """,
        "comparison": """
            viel schlechter / deutlich schlechter / sehr viel schlechter / wesentlich schlechter
            schlechter / verschlechtert
            etwas schlechter / ein wenig schlechter / eher schlechter / ein bisschen schlechter / geringfügig schlechter
            gleich / gleich gut / unverändert / genauso / genauso gut / etwa gleich / kein unterschied / gleich geblieben / ungefähr gleich / weder noch / etwa gleich gut / keine veränderung / ebenso gut
            etwas besser / ein wenig besser / eher besser / ein bisschen besser / geringfügig besser
            besser / verbessert
            viel besser / deutlich besser / sehr viel besser / wesentlich besser
        """,
        "more or less": """
            viel weniger / deutlich weniger / sehr viel weniger
            weniger
            etwas weniger / ein wenig weniger / eher weniger
            gleich viel / gleich / genauso viel / unverändert / etwa gleich viel / kein unterschied
            etwas mehr / ein wenig mehr / eher mehr
            mehr
            viel mehr / deutlich mehr / sehr viel mehr
        """,
    },
    degrees=(
        "extrem {} / äußerst {} / völlig {} / absolut {} / vollkommen {} / außerordentlich {} / voll und ganz {} / ganz und gar {} / höchst {}",
        "sehr {} / stark {} / besonders {}",
        "{} / ziemlich {} / überwiegend {} / größtenteils {} / recht {}",
        "eher {} / etwas {} / leicht {} / ein wenig {} / einigermaßen {} / ein bisschen {} / teilweise {}",
    ),
    middle="weder {low} noch {high} / weder {high} noch {low} / weder noch / neutral / teils teils / unentschieden / mittel / mittelmäßig / durchschnittlich / gemischt / teils {low} teils {high} / teils {high} teils {low}",
    opposites={
        "satisfaction": ("unzufrieden | nicht zufrieden", "zufrieden", "in ordnung"),
        "likelihood": ("unwahrscheinlich", "wahrscheinlich", "möglich / vielleicht"),
        "difficulty": ("leicht | einfach", "schwer | schwierig", "normal"),
        "sentiment": ("negativ", "positiv", ""),
        "pleasantness": ("unangenehm", "angenehm", ""),
        "happiness": ("unglücklich | traurig", "glücklich", ""),
        "helpfulness": ("nicht hilfreich", "hilfreich", ""),
        "clarity": ("unverständlich | unklar", "verständlich | klar", ""),
        "safety": ("unsicher | gefährlich", "sicher", ""),
        "attractiveness": ("unattraktiv | hässlich", "attraktiv | schön", ""),
        "trust": ("nicht vertrauenswürdig", "vertrauenswürdig", ""),
        "interest": ("uninteressant | langweilig", "interessant", ""),
        "support": ("dagegen", "dafür", ""),
        "naturalness": ("unnatürlich", "natürlich", ""),
        "speed": ("langsam", "schnell", "normal"),
        "length": ("kurz", "lang", "normal"),
        "age": ("jung", "alt", ""),
        "brightness": ("dunkel", "hell", "normal"),
        "noise": ("leise", "laut", "normal"),
    },
)
