"""SNS: notices for people, on the topic that the stack was given."""

from typing import Any

from commons.adapters.aws_errors import translated

# what SNS takes as the subject of a mail
_TITLE = 100


class Notices:
    def __init__(self, client: Any, topic_arn: str) -> None:
        self._client = client
        self._topic_arn = topic_arn

    def tell(self, title: str, text: str) -> None:
        """Nothing where there is no topic. Titles are ASCII; what is not is left out."""
        if not self._topic_arn:
            return
        subject = " ".join(title.encode("ascii", "ignore").decode().split())[:_TITLE]
        with translated("telling people by SNS"):
            self._client.publish(TopicArn=self._topic_arn, Subject=subject, Message=text)
