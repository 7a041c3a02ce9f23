"""The interface for programs: JSON in, JSON out.

``messages`` says what may be sent and what comes back, ``routes`` does it; OpenAPI and the documentation are made
from both. Imported by ``web.app`` alone. To add a request, write its message, then its route with every answer that
it has.
"""
