"""Chargeback rules in the `teams` table: every version that was ever accepted, for good.

Items: RULES#<version> / DOCUMENT, kind=rules; the document as text.
"""

from commons.adapters.table_items import TableItems, absent
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.faults import Fault


class RulesItems(TableItems):
    def chargeback_rules(self) -> list[ChargebackRules]:
        """Every version, by name."""
        found = (self._get(str(item["pk"]), "DOCUMENT") for item in self._of_kind("rules"))
        return [ChargebackRules.model_validate_json(item["document"]) for item in found if item]

    def keep_rules(self, rules: ChargebackRules, key: str, etag: str, at: str) -> list[Fault]:
        """Keep a version; a fault if it was accepted before with another content."""
        text = rules.model_dump_json()
        pk = f"RULES#{rules.version}"
        item = {"pk": pk, "sk": "DOCUMENT", "kind": "rules", "document": text}
        if self._put({**item, "key": key, "etag": etag, "accepted_at": at}, absent("pk")):
            return []
        known = self._get(pk, "DOCUMENT") or {}
        if known.get("document") == text:
            self._set(pk, "DOCUMENT", {"etag": etag})
            return []
        reason = f"{rules.version} was accepted with another content; give it a new version"
        return [Fault(("version",), reason)]

    def rules_etag(self, version: str) -> str | None:
        """ETag of the upload that was accepted last under this version."""
        item = self._get(f"RULES#{version}", "DOCUMENT")
        return str(item["etag"]) if item else None
