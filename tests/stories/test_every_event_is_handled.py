"""Whatever event comes: it is handled, counted out of scope or refused by name; none is lost."""

from local import settings
from tests.stories.company import register_cluster
from tests.stories.conftest import Cloud

EVENTS = sorted((settings.CHECKOUT / "events").glob("*.json"))


def test_every_event_of_the_project_leaves_no_message_behind(cloud: Cloud) -> None:
    register_cluster(cloud)
    told = cloud.deliver(*EVENTS)
    assert len(told) >= len(EVENTS)
    cloud.wait()
    sqs = cloud.client("sqs")
    left = {}
    for name, url in cloud.outputs.items():
        if name.endswith(("Queue", "DeadLetters")):
            counts = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
            left[name] = int(counts["ApproximateNumberOfMessages"]) + int(
                counts["ApproximateNumberOfMessagesNotVisible"]
            )
    assert set(left.values()) == {0}, left
