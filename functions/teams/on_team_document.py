"""Answers an uploaded document: keeps the last good version, or says what is wrong with it."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap, settings
from commons.adapters.document_reader import RefusedDocument, read_document, refused_for
from commons.adapters.document_store import StoredDocument
from commons.adapters.messages import Message, each_message
from commons.bootstrap import logger
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.document_rules import unknown_classes
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.status import iso
from commons.domain.team import Accepted
from commons.domain.uploads import Upload, accepted_event, read_upload, refused_event


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    return each_message(event, _take, bootstrap.refuse, logger)


def _take(message: Message) -> None:
    upload = read_upload(message.name, message.body)
    stored = bootstrap.document_store().read(upload.key)
    if stored is None:
        # a document that was removed changes nothing: teams leave by their state
        logger.info("uploaded document is gone", key=upload.key)
        return
    try:
        document = read_document(upload.key, stored.body, settings.Documents.read().group_prefix)
        if isinstance(document, ChargebackRules):
            _keep_rules(document, upload, stored)
            return
        _claim(document, upload.key, stored.body)
    except RefusedDocument as refused:
        _refuse_document(message, upload, refused)
        return
    _accept(document, upload, stored)


def _keep_rules(rules: ChargebackRules, upload: Upload, stored: StoredDocument) -> None:
    """They count from the next run on. Raises RefusedDocument if the version is another's."""
    now = iso(bootstrap.now())
    if faults := bootstrap.team_table().keep_rules(rules, upload.key, stored.etag, now):
        raise refused_for(upload.key, stored.body, faults)
    bootstrap.document_store().keep(rules, stored.body)
    bootstrap.refusals().forget_document(upload.key)
    bootstrap.event_bus().publish([accepted_event(rules, upload)])
    logger.info("chargeback rules accepted", version=rules.version)


def _claim(document: TeamDocument | ClusterDocument, key: str, body: bytes) -> None:
    """Raises RefusedDocument for what only other documents show to be wrong."""
    if isinstance(document, ClusterDocument):
        return
    known = (accepted.document for accepted in bootstrap.team_table().clusters())
    if faults := unknown_classes(document, known):
        raise refused_for(key, body, faults)
    if faults := bootstrap.team_table().claim_namespaces(document, bootstrap.now()):
        raise refused_for(key, body, faults)


def _accept(
    document: TeamDocument | ClusterDocument, upload: Upload, stored: StoredDocument
) -> None:
    """Nothing is said before it is done, and all of it may be done twice."""
    accepted = Accepted[TeamDocument | ClusterDocument](
        document=document,
        key=upload.key,
        version=upload.sequencer,
        etag=stored.etag,
        uploaded_at=stored.uploaded_at,
        accepted_at=iso(bootstrap.now()),
    )
    touched = bootstrap.team_table().keep(accepted)
    if touched is None:
        logger.info("a newer upload is in force", key=upload.key)
        return
    bootstrap.document_store().keep(document, stored.body)
    bootstrap.refusals().forget_document(upload.key)
    for team in touched:
        bootstrap.runner().request(team, bootstrap.now())
    bootstrap.team_table().note_asked(accepted)
    bootstrap.event_bus().publish([accepted_event(document, upload)])
    logger.info("document accepted", key=upload.key, teams=touched)


def _refuse_document(message: Message, upload: Upload, refused: RefusedDocument) -> None:
    """The last good version stays in force."""
    source = {**message.source(), "etag": upload.detail.object.etag}
    bootstrap.refusals().record("document", upload.key, refused.reasons, bootstrap.now(), source)
    bootstrap.event_bus().publish([refused_event(upload, refused.reasons, refused.declared)])
    logger.warning("document refused", key=upload.key, faults=len(refused.reasons))
