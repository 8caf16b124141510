class _Transitions:
    state: str

class Session:
    username: str | None
    password: str | None
    client_id: str | None
    clean_session: bool
    is_anonymous: bool
    transitions: _Transitions
    will_flag: bool
    will_topic: str | None
