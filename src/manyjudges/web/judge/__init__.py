"""The pages that judges see: entering, a batch of questions, leaving.

``entry`` lets judges in, ``batch`` hands out work and takes it, ``display`` says how a question looks, ``form`` reads
what came back, ``exit`` says thank you. Imported by ``web.app``, and ``display`` by ``web.api``. A page works without
scripts.
"""
