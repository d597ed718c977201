"""Tells what a function can import and reach."""

import importlib.util
import os
import sys


def handler(event, context):
    names = ["boto3", "pydantic", "pytest", "commons"]
    return {
        "importable": [name for name in names if importlib.util.find_spec(name)],
        "python": list(sys.version_info[:2]),
        "environment": {k: v for k, v in os.environ.items() if k.startswith("AWS_")},
    }
