"""An S3 'Object Created' event on EventBridge, where the key is written plainly."""

from pydantic import BaseModel, ConfigDict, Field

from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.events import OutgoingEvent
from commons.domain.incoming import read_message

# an event stays small, and nobody reads more faults than this at once
_FAULTS = 50


class _Named(BaseModel):
    name: str


class _Object(BaseModel):
    key: str = Field(min_length=1)
    etag: str = ""
    sequencer: str = "0"


class _Detail(BaseModel):
    bucket: _Named
    object: _Object


class Upload(BaseModel):
    """`detail.object.sequencer` orders the uploads of one key."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    detail: _Detail

    @property
    def key(self) -> str:
        return self.detail.object.key

    @property
    def sequencer(self) -> str:
        return self.detail.object.sequencer


def read_upload(name: str, body: str) -> Upload:
    """Raises RefusedInput for the message `name` if it is no such event."""
    return read_message(Upload, name, body)


def accepted_event(
    document: ClusterDocument | TeamDocument | ChargebackRules, upload: Upload
) -> OutgoingEvent:
    """TeamDocumentAccepted, of a cluster's or the rules' document too: `kind` says which it is."""
    detail = {"schemaVersion": "1", "kind": document.kind, **subject_of(document)}
    return OutgoingEvent(
        detail_type="TeamDocumentAccepted",
        detail={**detail, "key": upload.key, "etag": upload.detail.object.etag},
    )


def refused_event(upload: Upload, faults: list[str], declared: dict[str, str]) -> OutgoingEvent:
    """TeamDocumentRefused; `declared`: kind and subject, as far as they can be read."""
    detail = {"schemaVersion": "1", **declared, "key": upload.key}
    return OutgoingEvent(
        detail_type="TeamDocumentRefused",
        detail={**detail, "etag": upload.detail.object.etag, "faults": faults[:_FAULTS]},
    )


def subject_of(document: ClusterDocument | TeamDocument | ChargebackRules) -> dict[str, str]:
    match document:
        case ClusterDocument():
            return {"cluster": document.cluster}
        case TeamDocument():
            return {"team": document.team}
    return {"version": document.version}
