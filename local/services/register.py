"""Puts our services in the place of moto's."""

import moto.identitystore.urls
import moto.sagemaker.urls
import moto.ssoadmin.urls

from local.services.identitystore import DirectoryResponse
from local.services.sagemaker import HyperPodResponse
from local.services.sso_admin import AccessResponse


def register() -> None:
    """To be called before the server makes its first application."""
    moto.identitystore.urls.url_paths["{0}/$"] = DirectoryResponse.dispatch
    moto.ssoadmin.urls.url_paths["{0}/$"] = AccessResponse.dispatch
    moto.sagemaker.urls.url_paths["{0}/$"] = HyperPodResponse.dispatch
