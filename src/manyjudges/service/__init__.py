"""Services: a study put to work, with its planner, its predictor, its server and its models.

Rooms below know a study's folder, its store or its pages; here they meet. Imported by ``cli`` alone.
"""
