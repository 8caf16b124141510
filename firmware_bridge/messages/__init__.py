"""TWF messages as frozen dataclasses, and their bytes.

One table gives every message its type and its payload's layout, in the words of PROTOCOL.md;
reading and writing follow the table alone. Which message may come when is left to ``link`` and
to the firmware.
"""

from firmware_bridge.messages import limits
from firmware_bridge.messages.codec import (
    COMMAND_TYPES,
    EVENT_TYPES,
    LAYOUTS,
    Layout,
    Message,
    MessageError,
    decode_message,
    encode_message,
    layout_of,
)
from firmware_bridge.messages.codes import (
    ALL_SEATS,
    PLACE_EDGES,
    REAR_GATE,
    REAR_PLACES,
    RELEASE_EDGES,
    Container,
    FaultCode,
    FeederState,
    Flags,
    NakCode,
    ResetReason,
    Result,
    Sensors,
    Where,
)
from firmware_bridge.messages.commands import (
    BringUp,
    Bypass,
    Clear,
    CloseWell,
    Command,
    Drive,
    Dump,
    Feed,
    Hold,
    Lock,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    Return,
    Sense,
    Stop,
    Unlock,
)
from firmware_bridge.messages.reports import (
    Ack,
    Answer,
    DeviceEvent,
    DoneReport,
    Drawn,
    Estop,
    Fault,
    Lid,
    Nak,
    PutBack,
    Taken,
    TileAtGate,
    Well,
)
from firmware_bridge.messages.session import (
    Beat,
    Capabilities,
    Config,
    ConfigAck,
    EventAck,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Pins,
    PinsRequest,
    StatusCounters,
    StatusPlaces,
    StatusRequest,
    StatusState,
    capabilities_digest,
)
