"""The French words in which people answer."""

from __future__ import annotations

# ruff: noqa: E501 - a line is a step
from manyjudges.tables.answers.languages.language import Language

FRENCH = Language(
    name="French",
    pairs=(
        (("non", "n"), ("oui", "o")),
        (("faux",), ("vrai",)),
        (("incorrect",), ("correct",)),
        (("non coché", "non sélectionné", "pas coché"), ("coché", "sélectionné")),
        (("absent", "absente"), ("présent", "présente")),
        (("échec", "échoué"), ("réussi", "réussite")),
        (("non valide", "invalide"), ("valide",)),
    ),
    no_answer="""
        nsp / n s p / ne sait pas / ne sais pas / je ne sais pas / nspp / nsp nrp / ne se prononce pas / ne sait pas ne se prononce pas / je sais pas / sais pas
        sans réponse / pas de réponse / non réponse / aucune réponse / non répondu / sans avis / sans opinion / pas d'avis / pas d'opinion / aucune opinion / manquant / vide
        préfère ne pas répondre / je préfère ne pas répondre / préfère ne pas le dire / je préfère ne pas le dire / ne souhaite pas répondre / je ne souhaite pas répondre / préfère ne pas dire
        refus / refus de répondre / refuse de répondre / refusé / non applicable / sans objet / ne s'applique pas / non concerné / non concernée / inconnu / non renseigné / non demandé / ne peut pas juger
    """,
    ladders={
        "agreement": """
            pas du tout d'accord / tout à fait en désaccord / fortement en désaccord / totalement en désaccord / complètement en désaccord / pas d'accord du tout / très en désaccord / absolument pas d'accord / entièrement en désaccord
            pas d'accord / en désaccord / désaccord / pas vraiment d'accord
            plutôt pas d'accord / plutôt en désaccord / un peu en désaccord / peu d'accord / légèrement en désaccord / partiellement en désaccord / assez en désaccord / pas tellement d'accord
            ni d'accord ni en désaccord / ni d'accord ni pas d'accord / neutre / ni en accord ni en désaccord / indécis / indécise / indifférent / ni l'un ni l'autre / sans préférence / mitigé / moyennement d'accord / incertain
            plutôt d'accord / un peu d'accord / légèrement d'accord / partiellement d'accord / assez d'accord / plutôt en accord
            d'accord / en accord / accord
            tout à fait d'accord / fortement d'accord / totalement d'accord / complètement d'accord / entièrement d'accord / très d'accord / absolument d'accord / fortement en accord / parfaitement d'accord / tout à fait en accord
        """,
        "frequency": """
            jamais / à aucun moment
            presque jamais / très rarement / quasiment jamais
            rarement / peu souvent
            occasionnellement / de temps en temps / à l'occasion
            parfois / quelquefois / des fois / de temps à autre
            la moitié du temps / environ la moitié du temps / à peu près la moitié du temps
            souvent / fréquemment / régulièrement / assez souvent
            très souvent / la plupart du temps / généralement / habituellement / très fréquemment / d'habitude
            presque toujours / quasiment toujours
            toujours / tout le temps / en permanence / à chaque fois
        """,
        "days": """
            jamais / pas du tout
            plusieurs jours
            plus de la moitié du temps / plus de la moitié des jours / plus d'un jour sur deux
            presque tous les jours
        """,
        "quality": """
            exécrable / horrible / extrêmement mauvais / extrêmement mauvaise / catastrophique
            très mauvais / très mauvaise / très mal / très médiocre
            mauvais / mauvaise / mal / médiocre / insuffisant / insuffisante
            plutôt mauvais / plutôt mauvaise / passable
            moyen / moyenne / acceptable / correct / correcte / neutre / ni bon ni mauvais / satisfaisant / ni bonne ni mauvaise / assez bien / suffisant
            bon / bonne / bien / plutôt bon / plutôt bonne / assez bon / assez bonne
            très bon / très bonne / très bien
            excellent / excellente / parfait / parfaite / exceptionnel / exceptionnelle
        """,
        "yes or no": """
            certainement pas / sûrement pas / absolument pas / définitivement non / non certainement pas / non pas du tout
            non
            probablement pas / plutôt non / probablement non / sans doute pas / non plutôt pas
            peut-être / incertain / pas sûr / pas sûre / en partie / partiellement / possible / éventuellement / je ne suis pas sûr / indécis
            probablement / plutôt oui / probablement oui / sans doute / oui plutôt / oui probablement
            oui
            certainement / sûrement / absolument / oui certainement / oui tout à fait / tout à fait / définitivement oui
        """,
        "amount": """
            pas du tout / aucun / aucune / rien / nullement / en aucun cas / pas / aucunement / rien du tout
            à peine / très peu / très faiblement / presque pas / très légèrement
            un peu / peu / légèrement / faiblement / un petit peu / pas beaucoup / pas très / peu ou pas / plutôt pas
            quelque peu / en partie / plus ou moins / dans une certaine mesure / partiellement
            modérément / moyennement / {} / assez / moyen / modéré / moyennement fort
            plutôt / plutôt beaucoup / considérablement / en grande partie / pas mal
            très / beaucoup / fortement / vraiment / fort
            extrêmement / énormément / tout à fait / complètement / totalement / entièrement / absolument / parfaitement / très fortement
        """,
        "importance": """
            pas du tout important / pas du tout importante / pas important / pas importante / sans importance / aucune importance / sans aucune importance
            peu important / peu importante / un peu important / un peu importante / légèrement important / légèrement importante / pas très important
            plus ou moins important / quelque peu important / quelque peu importante
            moyennement important / moyennement importante / assez important / assez importante / modérément important / modérément importante / plutôt important / plutôt importante / neutre
            important / importante
            très important / très importante
            extrêmement important / extrêmement importante / essentiel / essentielle / primordial / primordiale / indispensable / capital / crucial
        """,
        "level": """
            extrêmement faible / minimal
            très faible / très bas / très basse
            faible / bas / basse / petit / petite
            plutôt faible / plutôt bas / assez faible / assez bas
            moyen / moyenne / modéré / modérée / normal / normale / intermédiaire / neutre
            plutôt élevé / plutôt élevée / assez élevé / assez élevée
            élevé / élevée / fort / forte / haut / haute / grand / grande
            très élevé / très élevée / très fort / très forte / très haut
            extrêmement élevé / extrêmement élevée / maximal
        """,
        "severity": """
            aucun / aucune / absent / absente / pas du tout / nul / nulle
            minime / très léger / très légère / minimal / minimale
            léger / légère / faible
            modéré / modérée / moyen / moyenne
            assez grave / assez sévère / marqué / marquée / important / importante
            sévère / grave / fort / forte / intense
            très sévère / très grave / très fort / très forte
            extrême / insupportable / extrêmement grave / extrêmement sévère
        """,
        "comparison": """
            bien pire / beaucoup moins bien / nettement moins bien / bien moins bien / beaucoup moins bon / beaucoup plus mauvais / nettement pire / beaucoup pire
            pire / moins bien / moins bon / plus mauvais / plus mal
            un peu moins bien / légèrement moins bien / un peu pire / légèrement pire / plutôt moins bien / un peu moins bon
            pareil / identique / le même / la même / aussi bien / équivalent / sans changement / aucun changement / inchangé / à peu près pareil / à peu près la même chose / pas de différence / égal / ni mieux ni moins bien / similaire / aussi bon
            un peu mieux / légèrement mieux / plutôt mieux / un peu meilleur / légèrement meilleur
            mieux / meilleur / meilleure
            bien mieux / beaucoup mieux / nettement mieux / bien meilleur / nettement meilleur
        """,
    },
    degrees=(
        "extrêmement {} / totalement {} / complètement {} / tout à fait {} / entièrement {} / absolument {} / parfaitement {}",
        "très {} / vraiment {} / fortement {}",
        "{} / modérément {} / moyennement {}",
        "plutôt {} / assez {} / un peu {} / légèrement {} / quelque peu {} / relativement {}",
    ),
    middle="ni {low} ni {high} / ni {high} ni {low} / neutre / ni l'un ni l'autre / indécis / moyen / moyenne / mitigé / incertain / indifférent",
    opposites={
        "satisfaction": (
            "insatisfait | insatisfaite | mécontent | mécontente | pas satisfait | pas satisfaite",
            "satisfait | satisfaite | content | contente",
            "",
        ),
        "likelihood": ("improbable | peu probable", "probable", "possible"),
        "difficulty": ("difficile | compliqué", "facile | simple", "normal"),
        "sentiment": ("négatif | négative", "positif | positive", ""),
        "pleasantness": ("désagréable", "agréable", ""),
        "happiness": ("malheureux | malheureuse | triste", "heureux | heureuse", ""),
        "helpfulness": ("inutile", "utile", ""),
        "attractiveness": ("laid | laide", "beau | belle", ""),
        "interest": ("inintéressant | ennuyeux", "intéressant", ""),
        "support": ("contre | opposé | opposée | défavorable", "pour | favorable", ""),
        "speed": ("lent | lente", "rapide", ""),
        "length": ("court | courte", "long | longue", ""),
        "age": ("jeune", "vieux | vieille | âgé | âgée", ""),
    },
)
