from collections.abc import Mapping
from enum import StrEnum

class BaseContext:
    config: object

class Action(StrEnum):
    SUBSCRIBE = "subscribe"
    PUBLISH = "publish"
    RECEIVE = "receive"

class BrokerConfig:
    @classmethod
    def from_dict(cls, d: Mapping[str, object]) -> BrokerConfig: ...
