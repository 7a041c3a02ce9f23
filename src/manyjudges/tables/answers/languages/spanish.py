"""The Spanish words in which people answer."""

from __future__ import annotations

# ruff: noqa: E501 - a line is a step
from manyjudges.tables.answers.languages.language import Language

SPANISH = Language(
    name="Spanish",
    pairs=(
        (("no", "n"), ("sí", "si", "s")),
        (("falso",), ("verdadero", "cierto")),
        (("incorrecto", "incorrecta"), ("correcto", "correcta")),
        (("no marcado", "no seleccionado"), ("marcado", "seleccionado")),
        (("ausente",), ("presente",)),
        (("suspenso", "reprobado", "suspendido"), ("aprobado",)),
    ),
    no_answer="""
        ns / nc / ns nc / nsnc / n s / n c / ns nr / nr / no sabe / no sé / no lo sé / no sabe no contesta / no sabe no responde / no contesta / no responde / no contestó / no respondió
        sin respuesta / ninguna respuesta / no respondida / sin contestar / en blanco / vacío / falta / faltante / perdido
        prefiero no contestar / prefiero no responder / prefiero no decirlo / prefiere no contestar / prefiere no responder / prefiere no decirlo / prefiero no decir / no quiero contestar
        rechazado / rehúsa / rehúsa contestar / se niega a contestar / no aplica / no aplicable / no procede / no corresponde / sin opinión / no tengo opinión / desconocido / no disponible / no puedo juzgar / no recuerdo
    """,
    ladders={
        "agreement": """
            totalmente en desacuerdo / muy en desacuerdo / completamente en desacuerdo / fuertemente en desacuerdo / nada de acuerdo / absolutamente en desacuerdo / en total desacuerdo / en completo desacuerdo / en absoluto de acuerdo
            en desacuerdo / desacuerdo / no estoy de acuerdo / bastante en desacuerdo / moderadamente en desacuerdo / no de acuerdo
            algo en desacuerdo / un poco en desacuerdo / parcialmente en desacuerdo / ligeramente en desacuerdo / poco de acuerdo / más bien en desacuerdo / levemente en desacuerdo
            ni de acuerdo ni en desacuerdo / neutral / neutro / indeciso / indecisa / indiferente / ni en desacuerdo ni de acuerdo / ni acuerdo ni desacuerdo / no estoy seguro / neutra / ni una cosa ni la otra
            algo de acuerdo / un poco de acuerdo / parcialmente de acuerdo / ligeramente de acuerdo / más bien de acuerdo / levemente de acuerdo
            de acuerdo / acuerdo / estoy de acuerdo / bastante de acuerdo / moderadamente de acuerdo
            totalmente de acuerdo / muy de acuerdo / completamente de acuerdo / fuertemente de acuerdo / absolutamente de acuerdo / en total acuerdo / plenamente de acuerdo
        """,
        "frequency": """
            nunca / jamás / en ningún momento
            casi nunca / muy rara vez / muy raramente / muy pocas veces
            rara vez / raramente / pocas veces / raras veces / poco frecuentemente / con poca frecuencia
            ocasionalmente / de vez en cuando / en ocasiones
            a veces / algunas veces / alguna vez / regularmente
            la mitad del tiempo / aproximadamente la mitad del tiempo / cerca de la mitad del tiempo / la mitad de las veces
            a menudo / frecuentemente / con frecuencia / muchas veces / bastantes veces / seguido
            muy a menudo / usualmente / generalmente / normalmente / la mayoría de las veces / muy frecuentemente / habitualmente / la mayor parte del tiempo / con mucha frecuencia
            casi siempre
            siempre / todo el tiempo / en todo momento / constantemente
        """,
        "days": """
            ningún día / para nada / nunca
            varios días
            más de la mitad de los días
            casi todos los días
        """,
        "quality": """
            pésimo / pésima / terrible / horrible / extremadamente malo / extremadamente mala
            muy malo / muy mala / muy mal / muy deficiente
            malo / mala / mal / deficiente / insuficiente / pobre
            -
            regular / promedio / aceptable / normal / neutral / ni bueno ni malo / suficiente / satisfactorio / ni buena ni mala / pasable / medio
            bueno / buena / bien
            muy bueno / muy buena / muy bien / notable
            excelente / sobresaliente / perfecto / perfecta / excepcional / extremadamente bueno
        """,
        "yes or no": """
            definitivamente no / seguro que no / seguramente no / absolutamente no / en absoluto / con seguridad no
            no
            probablemente no / más bien no / quizás no / creo que no / posiblemente no
            tal vez / quizás / quizá / puede ser / no estoy seguro / a lo mejor / en parte / parcialmente / no estoy segura / posiblemente / indeciso
            probablemente / probablemente sí / más bien sí / creo que sí
            sí / si
            definitivamente / definitivamente sí / seguro que sí / seguro / absolutamente / con seguridad sí
        """,
        "amount": """
            nada / en absoluto / ninguno / ninguna / ningún / para nada / nada en absoluto / no / nulo
            apenas / muy poco / casi nada / mínimamente
            un poco / poco / ligeramente / levemente / un poquito / no mucho / no muy
            algo / en parte / parcialmente / hasta cierto punto / en cierta medida / más o menos
            moderadamente / {} / medianamente / regular / moderado / medio / en medida moderada
            bastante / considerablemente / en gran parte / en gran medida
            muy / mucho / fuertemente / en alto grado / muchísimo
            extremadamente / completamente / totalmente / sumamente / por completo / absolutamente / enormemente / del todo
        """,
        "importance": """
            nada importante / no importante / sin importancia / no es importante / en absoluto importante / ninguna importancia
            poco importante / de poca importancia / ligeramente importante / un poco importante / no muy importante
            algo importante / más o menos importante
            moderadamente importante / medianamente importante / bastante importante / regular / neutral
            importante
            muy importante
            extremadamente importante / esencial / fundamental / sumamente importante / imprescindible / crucial / vital
        """,
        "level": """
            extremadamente bajo / extremadamente baja / mínimo
            muy bajo / muy baja
            bajo / baja / pequeño / pequeña
            medio bajo / más bien bajo / algo bajo / medio baja
            medio / media / moderado / moderada / mediano / mediana / normal / intermedio / regular / neutral / promedio
            medio alto / más bien alto / algo alto / medio alta
            alto / alta / grande / elevado / elevada
            muy alto / muy alta / muy elevado
            extremadamente alto / extremadamente alta / máximo
        """,
        "severity": """
            ninguno / ninguna / ausente / nada / nulo / nula / sin
            mínimo / mínima / muy leve
            leve / ligero / ligera
            moderado / moderada / medio / media
            moderadamente grave / bastante grave / considerable / importante
            grave / severo / severa / fuerte / intenso / intensa
            muy grave / muy severo / muy severa / muy fuerte
            extremo / extrema / insoportable / extremadamente grave
        """,
        "comparison": """
            mucho peor / muchísimo peor / bastante peor
            peor
            algo peor / un poco peor / ligeramente peor
            igual / lo mismo / igual de bueno / sin cambios / sin cambio / más o menos igual / el mismo / la misma / no hay diferencia / similar / aproximadamente igual / ni mejor ni peor / casi igual
            algo mejor / un poco mejor / ligeramente mejor
            mejor
            mucho mejor / muchísimo mejor / bastante mejor
        """,
    },
    degrees=(
        "extremadamente {} / totalmente {} / completamente {} / sumamente {} / absolutamente {} / plenamente {}",
        "muy {} / fuertemente {}",
        "{} / bastante {} / moderadamente {} / medianamente {}",
        "algo {} / un poco {} / ligeramente {} / más bien {} / levemente {} / parcialmente {}",
    ),
    middle="ni {low} ni {high} / ni {high} ni {low} / neutral / neutro / neutra / indeciso / indiferente / regular / ni uno ni otro / mixto / normal",
    opposites={
        "satisfaction": (
            "insatisfecho | insatisfecha | descontento | descontenta",
            "satisfecho | satisfecha | contento | contenta",
            "",
        ),
        "likelihood": ("improbable | poco probable", "probable", "posible"),
        "difficulty": ("difícil", "fácil", "medio"),
        "sentiment": ("negativo | negativa", "positivo | positiva", ""),
        "pleasantness": ("desagradable", "agradable", ""),
        "happiness": ("infeliz | triste", "feliz", ""),
        "helpfulness": ("inútil", "útil", ""),
        "attractiveness": ("feo | fea", "guapo | guapa | bonito | bonita | bello | bella", ""),
        "interest": ("aburrido | aburrida", "interesante", ""),
        "support": ("en contra", "a favor", ""),
        "speed": ("lento | lenta", "rápido | rápida", ""),
        "length": ("corto | corta", "largo | larga", ""),
        "age": ("joven", "viejo | vieja", ""),
    },
)
