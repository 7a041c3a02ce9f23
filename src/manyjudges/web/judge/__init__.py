"""The pages that judges see: entering, a batch of questions, leaving."""
