"""Needs a package that is in no layer."""

import a_package_in_no_layer


def handler(event, context):
    return a_package_in_no_layer
