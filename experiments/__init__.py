"""The paper's experiments, and the same on real crowds, through the package's public interface only."""
