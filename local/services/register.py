"""Puts our services in the place of moto's."""

import moto.identitystore.urls

from local.services.identitystore import DirectoryResponse


def register() -> None:
    """To be called before the server makes its first application."""
    moto.identitystore.urls.url_paths["{0}/$"] = DirectoryResponse.dispatch
