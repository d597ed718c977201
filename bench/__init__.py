"""`python -m bench`: the promised ratios, each measured against its rival in the same run."""
