"""Tables: what a judgment, a label and a value are, and how files of them are read.

Everything is checked here, once; after that it is trusted. Knows no mathematics.
"""
