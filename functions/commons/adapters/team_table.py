"""The `teams` table: documents, look-ups, access, namespaces and the runner of every team."""

from commons.adapters.document_items import DocumentItems
from commons.adapters.lookup_items import LookupItems
from commons.adapters.namespace_items import NamespaceItems
from commons.adapters.rules_items import RulesItems
from commons.adapters.runner_items import RunnerItems


class TeamTable(DocumentItems, LookupItems, NamespaceItems, RulesItems, RunnerItems):
    """Built over a boto3 Table resource. Each part says what its items are for."""
