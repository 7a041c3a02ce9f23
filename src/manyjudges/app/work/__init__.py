"""The work of the app, done in a process of its own: reading, checking, planning and predicting.

``process`` takes orders, ``tasks`` has a function for each, ``readings`` reads a table and says what is asked about it
(``questions``), ``preview`` shows its first rows, and ``answers`` and ``curves`` tell what was planned. All of them
give plain data, which the page fills in.
"""
