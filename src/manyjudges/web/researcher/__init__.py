"""The researcher's page: log in, see how a study stands, steer it, take its tables home.

``login`` says who may see it, ``overview`` makes its numbers from the store's, ``charts`` draws them, ``dashboard``
has the routes, ``downloads`` writes tables, ``cached`` keeps what takes time. Imported by ``web.app`` alone.
"""
